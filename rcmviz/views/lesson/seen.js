// The view next to a lesson, and its moves. Two views are the same if their links differ only in the place, which a
// view reaches by itself.

export const PLAYER = '.rv-player[data-mode="full"]';
const PLACE = ["pos", "phase", "share", "node", "reveal", "stage", "present", "quiz", "lesson", "part"];

function settingsOf(query) {
  const entries = Object.entries(query).filter(([name]) => !PLACE.includes(name));
  return JSON.stringify(entries.map(([name, value]) => [name, String(value)]).sort());
}

// Whether a view is the one `seen` now. A lesson's link may leave out parameters that the page writes; a view that was
// opened from it (`stood`) and has not changed counts as the same.
export function isSameView(seen, view, stood = null) {
  if (seen.page !== view.page) return false;
  if (stood?.shown) {
    const isSame = settingsOf(stood.query) === settingsOf(view.query);
    return isSame && settingsOf(stood.shown.query) === settingsOf(seen.query);
  }
  const wanted = Object.entries(view.query).filter(([name]) => !PLACE.includes(name));
  return wanted.every(([name, value]) => seen.query[name] === String(value));
}

// Moves the view at once; it reports to its page as if the user had stepped.
export function moveTo({ query }) {
  const stage = query.stage === "trees" ? "trees" : "ranks";
  const position = Number(query.pos) || 1;
  const phase = query.phase ?? (position > 1 ? "settle" : "grow");
  const looks = { reveal: query.reveal === "1", stage, share: query.share ?? null };
  const detail = { position, phase, node: query.node || null, ...looks };
  document.querySelector(PLAYER)?.dispatchEvent(new CustomEvent("rv-go", { detail }));
}

// The place of the player, whose link follows only after a rest.
export function placeNow() {
  const { position, node } = document.querySelector(PLAYER)?.dataset ?? {};
  return { position: position ? Number(position) : null, node: node || null };
}

// Without room next to the page, the dock is over its lower end (view.css).
export function isSheet() {
  return window.innerWidth < 1280;
}

// Scrolls past the settings of the page to the player.
export function bringIntoSight() {
  const player = document.querySelector(PLAYER);
  if (!player || !isSheet()) return;
  player.style.scrollMarginTop = "66px"; // the page's own head
  player.scrollIntoView({ block: "start" });
}
