// @ts-check
// Present mode of every view: the player and one figure alone in the whole window, enlarged for a projector
// (figures.js). P begins and ends it, Esc ends it, PageUp and PageDown (sent by clickers) step the bar, G shows the
// next figure, B or "." blackens the screen, and `present=1` in the link opens it, `present=2` with the second one. The
// mass flow has its own mode: it sets `view.presents` to false.

import { setBlack } from "./black_wall.js";
import { setAttributes } from "./dom.js";
import { figuresOf, hideFigure, showFigure } from "./figures.js";
import { linkWith } from "./links.js";
import { makeResultPoster } from "./result_poster.js";

const PARAMETER = "present";
const UNCOVERED = "rv-uncovered"; // a view that was presented has been taken down
export const TALK = "data-rv-talk"; // of html: a talk goes from view to view, and the next one presents itself
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
  const fitted = () => fitFigure(view);
  window.addEventListener("resize", fitted);
  const asked = figureAsked();
  if (asked >= 1) cover(view, true, asked);
  return () => {
    window.removeEventListener("resize", fitted);
    document.removeEventListener("keydown", first, true);
    document.removeEventListener("keydown", last);
    if (!view.presenting) return;
    cover(view, false);
    document.dispatchEvent(new CustomEvent(UNCOVERED));
  };
}

// The figure that the link or a talk asks to present, from 1; 0 for none.
/** @type {() => number} */
export function figureAsked() {
  const link = new URLSearchParams(window.location.search).get(PARAMETER);
  return Math.round(Number(link ?? PAGE.getAttribute(TALK))) || 0;
}

// Tells a lesson that a person begins or ends to present.
/** @type {(on: boolean, figure?: number) => void} */
export function tellPresenting(on, figure = 1) {
  document.dispatchEvent(new CustomEvent("rv-presents", { detail: { on, figure } }));
}

// The browser's top layer keeps the view above the page; its new width triggers a new layout.
/** @type {(view: View, on: boolean, figure?: number) => void} */
function cover(view, on, figure = 1) {
  if (on && PAGE.hasAttribute("data-presenting")) {
    const follow = () => view.root.isConnected && cover(view, true, figure); // the view before it is still there
    document.addEventListener(UNCOVERED, follow, { once: true });
    return;
  }
  if (view.poster) showPoster(view, false);
  Object.assign(view, { presenting: on, figure, fitted: null });
  setBlack(false);
  PAGE.toggleAttribute("data-presenting", on);
  setAttributes(view.root, { "data-presenting": on || null, popover: on ? "manual" : null });
  if (on) view.root.showPopover?.();
  else hideFigure(view);
  fitFigure(view);
}

// Fits the figure into the window; view.js calls it after each layout.
/** @type {(view: View) => void} */
export function fitFigure(view) {
  const act = { next: () => nextFigure(view), help: helpOf(view), leave: () => toggle(view) };
  if (canPresent(view) && view.presenting && view.width && view.root.isConnected)
    showFigure(view, view.figure ?? 1, act);
}

/** @type {(view: View) => (() => void) | null} */
const helpOf = (view) => /** @type {{ help?(): void } | undefined} */ (view.parts.tools)?.help ?? null;

/** @type {(view: View) => boolean} */
function closeHelp({ root }) {
  const open = /** @type {HTMLElement | null} */ (root.querySelector(".rv-help:popover-open"));
  open?.hidePopover();
  return open !== null;
}

/** @type {(view: View) => void} */
function nextFigure(view) {
  view.figure = ((view.figure ?? 1) % Math.max(1, figuresOf(view).length)) + 1;
  fitFigure(view);
  sayInLink(view);
}

/** @type {(view: View) => void} */
function toggle(view) {
  cover(view, !view.presenting);
  tellPresenting(Boolean(view.presenting), view.figure);
  sayInLink(view);
}

/** @type {(view: View) => void} */
function sayInLink(view) {
  const link = linkWith({ [PARAMETER]: view.presenting ? (view.figure ?? 1) : null });
  if (view.host.trigger) window.history.replaceState(window.history.state, "", link);
}

// Clicks the bar's own buttons, since each view numbers its steps differently. After the last step come the poster and,
// in a talk, the next view.
/** @type {(view: View, by: 1 | -1) => void} */
function stepBar(view, by) {
  const button = /** @type {HTMLElement | null} */ (
    view.root.querySelector(`.rv-transport .rv-${by > 0 ? "next" : "prev"}`)
  );
  if (by < 0 && view.poster) showPoster(view, false);
  else if (button && !isAtEnd(view, by)) button.click();
  else if (by < 0 || view.poster || !showPoster(view, true)) leaveBy(view.root, by);
}

// Tells a talk that the view is presented to its end, or back to its beginning.
/** @type {(root: Element, by: 1 | -1) => void} */
export function leaveBy(root, by) {
  root.dispatchEvent(new CustomEvent("rv-presented", { bubbles: true, detail: { by } }));
}

/** @type {(view: View, by: 1 | -1) => boolean} */
function isAtEnd({ root }, by) {
  const scrubber = /** @type {HTMLInputElement | null} */ (root.querySelector(".rv-transport .rv-scrubber"));
  if (!scrubber) return true;
  return scrubber.value === (by > 0 ? scrubber.max : scrubber.min);
}

// Shows or hides the poster; returns whether it is shown.
/** @type {(view: View, on: boolean) => boolean} */
function showPoster(view, on) {
  view.poster?.remove();
  view.poster = on ? makeResultPoster(view) : null;
  if (view.poster) view.root.append(view.poster);
  setAttributes(view.root, { "data-poster": view.poster ? "true" : null });
  fitFigure(view);
  return Boolean(view.poster);
}

const black = () => setBlack(true);

// Keys that come before the view's own while it covers the page.
/** @type {Steps<View>} */
const COVERED = {
  ...{ b: black, B: black, ".": black },
  Escape: (view) => closeHelp(view) || toggle(view),
  "?": (view) => helpOf(view)?.(),
  g: nextFigure,
  G: nextFigure,
  PageDown: (view) => view.advance?.() || stepBar(view, 1),
  PageUp: (view) => stepBar(view, -1),
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
