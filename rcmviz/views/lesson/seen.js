// The view next to a lesson, and how it is moved: two views are the same if their links differ in nothing but the
// place, which a view reaches by itself.

export const PLAYER = '.rv-player[data-mode="full"]';
const PLACE = ["pos", "phase", "share", "node", "reveal", "stage", "present", "quiz", "lesson", "part"];

function lasting(query) {
  const entries = Object.entries(query).filter(([name]) => !PLACE.includes(name));
  return JSON.stringify(entries.map(([name, value]) => [name, String(value)]).sort());
}

// Whether a view is the one `seen` now. A lesson's link may leave out what a page then writes: so one that has `stood`
// there, and is seen as it was, is known by its own words.
export function isSameView(seen, view, stood = null) {
  if (seen.page !== view.page) return false;
  if (stood?.shown) {
    return lasting(stood.query) === lasting(view.query) && lasting(stood.shown.query) === lasting(seen.query);
  }
  const asked = Object.entries(view.query).filter(([name]) => !PLACE.includes(name));
  return asked.every(([name, value]) => seen.query[name] === String(value));
}

// The view obeys at once and tells its page as if a person had stepped.
export function moveTo({ query }) {
  const stage = query.stage === "trees" ? "trees" : "ranks";
  const position = Number(query.pos) || 1;
  const phase = query.phase ?? (position > 1 ? "settle" : "grow");
  const looks = { reveal: query.reveal === "1", stage, share: query.share ?? null };
  const detail = { position, phase, node: query.node || null, ...looks };
  document.querySelector(PLAYER)?.dispatchEvent(new CustomEvent("rv-go", { detail }));
}

// Where the player stands: its link follows only after a rest.
export function placeNow() {
  const { position, node } = document.querySelector(PLAYER)?.dataset ?? {};
  return { position: position ? Number(position) : null, node: node || null };
}

// Without room next to the page, the dock lies over its lower end (view.css).
export function isSheet() {
  return window.innerWidth < 1280;
}

// There the page begins with its settings, and what a lesson speaks of is further down.
export function bringIntoSight() {
  const player = document.querySelector(PLAYER);
  if (!player || !isSheet()) return;
  player.style.scrollMarginTop = "66px"; // the page's own head
  player.scrollIntoView({ block: "start" });
}
