// @ts-check
// A black wall over everything, for whoever presents: B or "." (which clickers send) makes it, any key or a press ends
// it and does nothing else. It stands above all views, so that a view that is drawn again does not end it.

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
