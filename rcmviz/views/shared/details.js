// @ts-check
// The simple layer of a view and its details. The style sheet hides exports and elements of class rv-details in the
// simple layer. The server reads a visitor's choice from a cookie, which the browser alone can keep.

import { setAttributes } from "./dom.js";

const COOKIE = "rcmviz-details";
const YEAR = 365 * 24 * 3600; // seconds

// `isShown` is null outside of the application, where all is shown; `isSwitched` if the view stood here before.
/** @type {(root: HTMLElement, isShown: boolean | null, isSwitched: boolean) => void} */
export function showDetails(root, isShown, isSwitched) {
  const before = root.dataset.details ?? null;
  const now = isShown === false ? "false" : null;
  setAttributes(root, { "data-details": now });
  if (!isSwitched || isShown === null || before === now) return;
  root.dispatchEvent(new CustomEvent("rv-layout"));
  document.cookie = `${COOKIE}=${Number(isShown)}; path=/; max-age=${YEAR}; SameSite=Strict`;
}
