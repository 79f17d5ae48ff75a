// @ts-check
// Present mode of every view: the view alone in the whole window, enlarged for a projector by --rv-scale of
// presenting.css. P begins and ends it, Esc ends it, PageUp and PageDown (sent by clickers) step the bar, B or "."
// blackens the screen, and `present=1` in the link opens it. The mass flow has its own mode: it sets `view.presents` to
// false.

import { setBlack } from "./black_wall.js";
import { setAttributes } from "./dom.js";
import { linkWith } from "./links.js";

const PARAMETER = "present";
const PAGE = document.documentElement;
const TYPED = "input:not([type=range]), textarea, select, [contenteditable], [role=textbox], [role=combobox]";

// Views in a page of another site do not cover it.
/** @type {(view: View) => boolean} */
export function canPresent(view) {
  return view.presents !== false && !view.host.guest && !view.host.inner;
}

// The scale of a view's pixels relative to those of the window.
/** @type {(root: Element) => number} */
export function enlargementOf(root) {
  return Number(getComputedStyle(root).getPropertyValue("--rv-scale")) || 1;
}

// Covers the page if the link has `present=1`. Returns a function that ends everything that outlives the view's
// element.
/** @type {(view: View) => () => void} */
export function presenting(view) {
  if (!canPresent(view)) return () => {};
  /** @type {(keysOf: (view: View) => Steps<View>) => (event: KeyboardEvent) => void} */
  const hearing = (keysOf) => (event) => pressed(view, event, keysOf);
  const [first, last] = [hearing(coveredKeys), hearing(ownKeys)];
  document.addEventListener("keydown", first, true);
  document.addEventListener("keydown", last);
  if (new URLSearchParams(window.location.search).get(PARAMETER) === "1") cover(view, true);
  return () => {
    document.removeEventListener("keydown", first, true);
    document.removeEventListener("keydown", last);
    if (view.presenting) cover(view, false);
  };
}

// The browser's top layer keeps the view above the page; its new width triggers a new layout.
/** @type {(view: View, on: boolean) => void} */
function cover(view, on) {
  if (on && PAGE.hasAttribute("data-presenting")) return;
  view.presenting = on;
  setBlack(false);
  PAGE.toggleAttribute("data-presenting", on);
  setAttributes(view.root, { "data-presenting": on || null, popover: on ? "manual" : null });
  if (on) view.root.showPopover?.();
}

/** @type {(view: View) => void} */
function toggle(view) {
  cover(view, !view.presenting);
  const link = linkWith({ [PARAMETER]: view.presenting ? 1 : null });
  if (view.host.trigger) window.history.replaceState(window.history.state, "", link);
}

// Clicks the bar's own buttons, since each view numbers its steps differently.
/** @type {(view: View, button: string) => void} */
const stepBar = (view, button) =>
  /** @type {HTMLElement | null} */ (view.root.querySelector(`.rv-transport .rv-${button}`))?.click();

const black = () => setBlack(true);

// Keys that come before the view's own while it covers the page.
/** @type {Steps<View>} */
const COVERED = {
  ...{ b: black, B: black, ".": black },
  Escape: toggle,
  PageDown: (view) => view.advance?.() || stepBar(view, "next"),
  PageUp: (view) => stepBar(view, "prev"),
};
/** @type {(view: View) => Steps<View>} */
const coveredKeys = (view) => (view.presenting ? COVERED : {});

// Keys that come after the view's own: P presents unless the view uses it.
/** @type {(view: View) => Steps<View>} */
const ownKeys = () => ({ p: toggle, P: toggle });

/** @type {(view: View, event: KeyboardEvent, keysOf: (view: View) => Steps<View>) => void} */
function pressed(view, event, keysOf) {
  const { target } = event;
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !view.root.isConnected) return;
  if (target instanceof Element && target.closest(TYPED)) return;
  const step = keysOf(view)[event.key];
  if (!step) return;
  event.preventDefault();
  step(view);
}
