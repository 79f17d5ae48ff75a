// @ts-check
// Actions once a view is at rest: report to Python, or write the link.

import { isLeaving, isLoading, isRunning } from "./leaving.js";

const REST = 300; // milliseconds

const waiting = new Map(); // owner → { root, act, timer }

// `act` when its owner has rested for so long, in place of what it was to do before; null for nothing.
/** @type {(owner: object, root: Element, act: (() => void) | null, rest?: number) => void} */
export function atRest(owner, root, act, rest = REST) {
  clearTimeout(waiting.get(owner)?.timer);
  waiting.delete(owner);
  if (act) wait(owner, { root, act }, rest);
}

/** @type {(owner: object) => boolean} */
export function isWaiting(owner) {
  return waiting.has(owner);
}

/** @type {(owner: object, entry: Waiting, rest: number) => void} */
function wait(owner, entry, rest) {
  clearTimeout(entry.timer);
  entry.timer = setTimeout(() => settle(owner), rest);
  waiting.set(owner, entry);
}

// A press may lead to another page. Streamlit answers a message between the click and the new page with a run of
// the old page within the new one, and the browser is left with an error: so nothing is sent while a page is made. Nor
// while widgets are loaded: their values come with one run only, and a second one before they are loaded takes
// it from them.
/** @type {(owner: object) => void} */
function settle(owner) {
  const entry = waiting.get(owner);
  if (isRunning() || isLoading() || isLeaving()) {
    wait(owner, entry, REST);
    return;
  }
  waiting.delete(owner);
  if (entry.root.isConnected) entry.act();
}

for (const press of ["pointerdown", "keydown"]) {
  document.addEventListener(press, () => waiting.forEach((entry, owner) => wait(owner, entry, REST)), true);
}
