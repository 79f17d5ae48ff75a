// The class view in a student's browser: loaded when the teacher shows another view, moved to the teacher's place.

import { html } from "../shared/dom.js";

const STEPS = new Set(["position", "pos", "phase", "round", "cell", "at", "step"]); // what a place calls a step

const AGAIN = 2000; // milliseconds until a view that did not arrive is requested again
const WORDS = new Set(["player", "word"]); // the views of a word

// `onStray()` is called when the student steps alone.
export function makeStage({ base, load, onStray }) {
  const node = html("main", { class: "rv-class-stage" });
  const stage = { node, base, load, number: null, name: null, end: null, wanted: null, place: null, quiz: null };
  node.addEventListener("rv-place", (event) => checkPlace(stage, event.target, onStray));

  function show(state) {
    stage.wanted = state;
    if (!state.on || !state.view) return clear(stage);
    if (state.view.number === stage.number) return move(stage, state);
    fetchView(stage, state.view);
  }

  return { node, show, ask: (state) => ask(stage, state) };
}

function clear(stage) {
  stage.end?.();
  Object.assign(stage, { number: null, name: null, end: null, place: null, quiz: null });
  stage.node.replaceChildren();
}

const rootOf = (stage) => stage.node.querySelector(".rv-player");

// A view that arrives after another one is wanted is not drawn; one that did not arrive is requested again.
async function fetchView(stage, view) {
  if (stage.loading === view.number) return;
  stage.loading = view.number;
  try {
    const [answer, draw] = await Promise.all([
      fetch(`${stage.base}/view/${view.number}`),
      stage.load(view.name),
      dress(stage, view.name),
    ]);
    const payload = answer.ok ? await answer.json() : null;
    if (payload && isWanted(stage, view)) drawView(stage, view, payload, draw);
  } finally {
    if (stage.loading === view.number) stage.loading = null;
    if (stage.number !== view.number) setTimeout(() => isWanted(stage, view) && fetchView(stage, view), AGAIN);
  }
}

const isWanted = ({ wanted }, { number }) => Boolean(wanted.on) && wanted.view?.number === number;

function dress(stage, name) {
  if (document.head.querySelector(`link[data-view="${name}"]`)) return null;
  const link = html("link", { rel: "stylesheet", href: `${stage.base}/style/${name}.css`, "data-view": name });
  document.head.append(link);
  return new Promise((done) => ["load", "error"].forEach((end) => link.addEventListener(end, done)));
}

function drawView(stage, view, payload, draw) {
  if (view.name !== stage.name) clear(stage);
  const host = { setStateValue: null, setTriggerValue: null };
  Object.assign(stage, { number: view.number, name: view.name, place: null });
  stage.draws = (more = {}) => draw({ parentElement: stage.node, data: { ...payload, ...more }, ...host });
  stage.end = stage.draws();
  move(stage, stage.wanted);
  ask(stage, stage.wanted);
}

// A step moves the view at once. The rest of a place is in `opening`, with which the view is drawn again.
function move(stage, { place, opening }) {
  if (!place || JSON.stringify(place) === JSON.stringify(stage.place)) return;
  const { node = null, phase } = place;
  const isWord = WORDS.has(stage.name);
  const position = place.position ?? undefined;
  const before = stage.place;
  const turned = !isWord && opening && !(position && sameBut(STEPS, place, before));
  stage.place = place;
  if (turned) {
    stage.end();
    stage.end = stage.draws(opening);
  }
  tell(stage, "rv-go", { position, ...(isWord && { node, phase, ...looksOf(place, before) }) });
}

// The changes of a word's appearance; a quiz hides by itself. A view that was drawn again may keep its earlier one.
function looksOf(place, before) {
  const looks = {};
  if (!place.quiz && place.reveal !== before?.reveal) looks.reveal = place.reveal === "1";
  if (!before || place.stage !== before.stage) looks.stage = place.stage ?? "ranks";
  if (!before || place.share !== before.share) looks.share = place.share ?? null;
  return looks;
}

function sameBut(names, one, other) {
  const rest = (place) => JSON.stringify(Object.entries(place ?? {}).filter(([name]) => !names.has(name)));
  return rest(one) === rest(other);
}

function tell(stage, name, detail) {
  rootOf(stage)?.dispatchEvent(new CustomEvent(name, { detail }));
}

function checkPlace(stage, root, onStray) {
  const { position, round, pass } = root.dataset;
  const shown = Number(position ?? round ?? pass);
  const quiz = stage.node.querySelector("[data-quiz]");
  const isMoving = root.hasAttribute("data-moves"); // to the teacher's place
  if (stage.place && !quiz && !isMoving && stage.place.position !== null && shown !== stage.place.position) onStray();
}

// Makes the view ask a quiz, `question.quiz`.
function ask(stage, { question, result }) {
  const quiz = question?.quiz ? question.key : null;
  if (!rootOf(stage)) return;
  if (quiz !== stage.quiz) {
    stage.quiz = quiz;
    tell(stage, quiz ? "rv-quiz-ask" : "rv-quiz-end", question?.quiz);
  }
  if (!quiz || !result) return;
  tell(stage, "rv-quiz-reveal");
  const shares = result.counts.map((count) => count / Math.max(1, result.people));
  tell(stage, "rv-quiz-bars", { key: quiz, shares, people: result.people });
}
