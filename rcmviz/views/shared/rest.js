// @ts-check
// Actions once a view is at rest: a report to Python, or a new link.

import { isLeaving, isLoading, isRunning } from "./leaving.js";

const REST = 300; // milliseconds

const waiting = new Map(); // owner → { root, act, timer }

// Calls `act` once its owner has been at rest for `rest` ms, in place of an earlier action; null cancels it.
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

// A click may lead to another page. Streamlit would answer a report before the new page with a run of the old one
// within it, and the browser would show an error: so views are silent while a page is opened. They are also silent
// while widgets load, whose first values come with one run only.
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
