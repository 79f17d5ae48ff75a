// @ts-check
// A black screen for presentations: B or "." (sent by clickers) shows it, any key or click hides it and does nothing
// else. It lies above all views, so that a redrawn view does not hide it.

import { html } from "./dom.js";

const MODIFIERS = ["Shift", "Control", "Alt", "Meta"];
const STYLE =
  "position: fixed; inset: 0; width: 100%; height: 100%; max-width: none; max-height: none; margin: 0; border: 0; " +
  "padding: 0; background: #000; z-index: 1000000;";

/** @type {HTMLElement | null} */
let wall = null;

/** @type {(on: boolean) => void} */
export function setBlack(on) {
  if (on === (wall !== null)) return;
  if (wall) {
    wall.remove();
    wall = null;
    window.removeEventListener("keydown", wake, true);
    return;
  }
  const looks = { class: "rv-black-wall", role: "img", "aria-label": "black; any key shows the page again" };
  wall = html("div", { ...looks, popover: "manual", style: STYLE, onclick: () => setBlack(false) });
  document.body.append(wall);
  wall.showPopover?.();
  window.addEventListener("keydown", wake, true);
}

/** @type {(event: KeyboardEvent) => void} */
function wake(event) {
  if (MODIFIERS.includes(event.key)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  setBlack(false);
}
