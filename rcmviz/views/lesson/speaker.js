// The notes of the speaker in a second window: the present view, its note, the next one, and the time that is left. The
// windows speak over a BroadcastChannel, so that a reload of one does not part them.

const CHANNEL = "rv-talk";
const BEGUN = "rv-talk-begun"; // when this tab began to present
const STYLE =
  "body{margin:0;padding:24px 32px;font:20px/1.5 system-ui,sans-serif;background:#11151c;color:#eef1f5}" +
  "h1{font-size:28px;margin:8px 0}#note{font-size:26px;white-space:pre-wrap}#time{font-size:44px;font-weight:700;" +
  "font-variant-numeric:tabular-nums}.dim{color:#aab3c0}.late{color:#ff9068}";

// Opens the window; its page asks the presenting one for the state.
export function openNotes() {
  const popup = window.open("", "rv-speaker", "popup,width=900,height=640");
  if (!popup) return;
  const parts = ["part", "time"].map((name) => `<p id="${name}" class="${name === "part" ? "dim" : ""}"></p>`);
  const body = `${parts.join("")}<h1 id="title"></h1><div id="note"></div><p id="next" class="dim"></p>`;
  const script = `(${speaker})(${JSON.stringify(CHANNEL)})`;
  const head = `<!doctype html><html lang="en"><title>Speaker notes</title><style>${STYLE}</style>`;
  popup.document.open();
  popup.document.write(`${head}<body>${body}<script>${script}<${"/script"}></body></html>`); // a file holds this
  popup.document.close();
}

// Runs in the second window, and uses nothing of this module.
function speaker(name) {
  const channel = new BroadcastChannel(name);
  const put = (id, text) => (document.getElementById(id).textContent = text);
  const minutes = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
  let state = null;
  const tick = () => {
    if (!state) return;
    const left = state.minutes * 60 - (state.begun ? (Date.now() - state.begun) / 1000 : 0);
    put("time", left < 0 ? `${minutes(-left)} over` : `${minutes(left)} left`);
    document.getElementById("time").className = left < 0 ? "late" : "";
  };
  channel.onmessage = ({ data }) => {
    if (!data.state) return;
    state = data.state;
    put("part", `${state.talk} · view ${state.part} of ${state.of}`);
    put("title", state.title);
    put("note", state.note);
    put("next", state.next ? `Next: ${state.next}` : "This is the last view.");
    tick();
  };
  setInterval(tick, 500);
  document.addEventListener("keydown", ({ key }) => {
    if (["PageDown", "PageUp", "b", "."].includes(key)) channel.postMessage({ key });
  });
  channel.postMessage({ asks: true });
}

// The presenting side: sends `state()` at each `tell()` and when the second window asks; `press(key)` gets its keys.
export function speakTo(state, press) {
  const channel = new BroadcastChannel(CHANNEL);
  const tell = () => channel.postMessage({ state: { ...state(), begun: begunAt() } });
  channel.onmessage = ({ data }) => {
    if (data.asks) tell();
    if (data.key) press(data.key);
  };
  return { tell, close: () => channel.close() };
}

function begunAt() {
  try {
    return Number(window.sessionStorage.getItem(BEGUN)) || null;
  } catch {
    return null; // a page without storage has no clock
  }
}

// Starts the clock, unless it runs.
export function beginClock() {
  if (!begunAt()) window.sessionStorage.setItem(BEGUN, String(Date.now()));
}

export function endClock() {
  window.sessionStorage.removeItem(BEGUN);
}
