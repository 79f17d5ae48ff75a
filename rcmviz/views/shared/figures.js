// @ts-check
// The figures of a view in present mode: one fills the window, with its companions as far as there is room; G shows the
// next one. A view lists them as `figures`, the main one first, each as its element followed by its companions.

import { html, setAttributes, setText } from "./dom.js";

const READABLE = 18; // pixels of the smallest type on a projector
const WALL = { width: 1900, height: 1050, scale: 1.8 }; // a large window is enlarged more
const USUAL = 1.6; // the scale at which the type is measured
const NARROWEST = 1000; // pixels; below, nothing is enlarged
const LARGER = [3, 2.7, 2.4, 2.2, 2, 1.85, 1.7]; // scales of figures that leave room
const SHOWN = "data-shown";

// The figures of a view; the largest of its elements if it names none.
/** @type {(view: View) => Element[][]} */
export function figuresOf({ root, figures }) {
  if (figures?.length) return figures.map((group) => group.filter(Boolean));
  const other = ".rv-transport, .rv-result-poster, :has(> .rv-tools)";
  const parts = [...root.children].filter((node) => !node.matches(other));
  const largest = parts.sort((one, other) => other.scrollHeight - one.scrollHeight)[0];
  return largest ? [[largest]] : [];
}

// Height of a drawing: in present mode, the usual one and a share of what the figure leaves free.
/** @type {(node: Element, usual: number, rows?: number) => number} */
export function stretched(node, usual, rows = 1) {
  const free = Number(getComputedStyle(node).getPropertyValue("--rv-free")) || 0;
  return Math.max(0.4 * usual, usual + free / rows);
}

// Makes the bar's buttons of present mode, which name the figure and show the next one.
/** @type {(act: { next(): void, help: (() => void) | null, leave(): void }) => HTMLElement} */
function makeButtons(act) {
  /** @type {(text: string, title: string, onclick: () => void) => HTMLElement} */
  const button = (text, title, onclick) => html("button", { type: "button", class: "rv-button", title, onclick }, text);
  const next = button("", "next figure (g)", act.next);
  const node = html(
    "div",
    { class: "rv-present-buttons" },
    next,
    act.help ? button("?", "keys and marks (?)", act.help) : null,
    button("leave", "leave present mode (Esc)", act.leave),
  );
  return setAttributes(node, { "data-figures": "" });
}

// Shows the figure of this number, counted from 1 and around, as large as the window allows. Nothing is laid out again
// if neither the elements nor the window have changed.
/** @type {(view: View, number: number, act: { next(): void, help: (() => void) | null, leave(): void }) => void} */
export function showFigure(view, number, act) {
  const groups = view.poster ? [[view.poster]] : figuresOf(view);
  if (!groups.length) return;
  const k = (((number - 1) % groups.length) + groups.length) % groups.length;
  const group = groups[k];
  const fitted = [group[0], k, window.innerWidth, window.innerHeight];
  const bar = barOf(view);
  if (!bar.querySelector("[data-figures]")) bar.append(makeButtons(act));
  const [next] = bar.querySelectorAll("[data-figures] button");
  setText(next, `figure ${k + 1} of ${groups.length}`);
  next.toggleAttribute("hidden", groups.length < 2);
  if (view.fitted && fitted.every((one, n) => one === view.fitted?.[n])) return;
  view.fitted = fitted;
  setAttributes(view.root, { "data-figure": view.poster ? null : k + 1 });
  fit(view, group, bar);
}

// Shows the whole view again.
/** @type {(view: View) => void} */
export function hideFigure({ root }) {
  root.querySelectorAll("[data-figures], .rv-present-bar").forEach((node) => node.remove());
  root.querySelectorAll(`[${SHOWN}]`).forEach((node) => node.removeAttribute(SHOWN));
  root.removeAttribute("data-figure");
  for (const name of ["--rv-scale", "--rv-free"]) root.style.removeProperty(name);
}

// The player's bar, or one for a view without steps.
/** @type {(view: View) => HTMLElement} */
function barOf({ root }) {
  const found = /** @type {HTMLElement | null} */ (root.querySelector(".rv-transport"));
  if (found) return found;
  const bar = html("div", { class: "rv-transport rv-present-bar" });
  root.prepend(bar);
  return bar;
}

// Companions stay if all fits at the least scale. Then drawings take the space left; without any, a figure is enlarged.
// A figure that is still too high scrolls within the figure.
/** @type {(view: View, group: Element[], bar: HTMLElement) => void} */
function fit(view, group, bar) {
  for (let count = group.length; count > 0; count -= 1) {
    const shown = [bar, ...group.slice(0, count)];
    reveal(view.root, shown, group[0]);
    layOut(view, shown, USUAL);
    const least = leastScale(shown);
    const over = layOut(view, shown, least);
    if (over > 0 && count > 1) continue; // there is no room for the last companion
    const left = stretch(view, shown, least, over);
    if (over > 0 || left > 0.4 * over) return;
    const largest = LARGER.find((scale) => scale > least && layOut(view, shown, scale) <= 0);
    if (!largest) layOut(view, shown, least);
    return;
  }
}

// Gives drawings the free pixels, or takes the missing ones; returns how much is still too high.
/** @type {(view: View, shown: Element[], scale: number, over: number) => number} */
function stretch(view, shown, scale, over) {
  const left = layOut(view, shown, scale, -over);
  return left > 0 && over < 0 ? layOut(view, shown, scale, -over / 2) : left;
}

// Marks the visible elements, and those around them.
/** @type {(root: Element, shown: Element[], main: Element) => void} */
function reveal(root, shown, main) {
  root.querySelectorAll(`[${SHOWN}]`).forEach((node) => node.removeAttribute(SHOWN));
  for (const node of shown) {
    node.setAttribute(SHOWN, node === main ? "main" : "too");
    for (let around = node.parentElement; around && around !== root; around = around.parentElement) {
      if (!around.hasAttribute(SHOWN)) around.setAttribute(SHOWN, "around");
    }
  }
}

// The scale at which the smallest type can be read from the last row.
/** @type {(shown: Element[]) => number} */
function leastScale(shown) {
  if (window.innerWidth < NARROWEST) return 1;
  const isWall = window.innerWidth >= WALL.width && window.innerHeight >= WALL.height;
  const sizes = shown.flatMap((node) => [...node.querySelectorAll("*")].filter(hasText).map(fontSize));
  return Math.max(isWall ? WALL.scale : 1, READABLE / Math.min(READABLE, ...sizes));
}

/** @type {(node: Element) => boolean} */
const hasText = (node) => [...node.childNodes].some((child) => child.nodeType === 3 && child.nodeValue?.trim());
/** @type {(node: Element) => number} */
const fontSize = (node) => parseFloat(getComputedStyle(node).fontSize);

// Lays the view out at a scale, its drawings larger by `free` pixels; returns by how much it is too high.
/** @type {(view: View, shown: Element[], scale: number, free?: number) => number} */
function layOut(view, shown, scale, free = 0) {
  const { root } = view;
  root.style.setProperty("--rv-scale", String(scale));
  root.style.setProperty("--rv-free", String(free));
  root.setAttribute("data-fitting", "");
  view.fitWidth?.();
  view.repaint(2);
  const { paddingTop, paddingBottom, rowGap } = getComputedStyle(root);
  const heights = shown.reduce((sum, node) => sum + /** @type {HTMLElement} */ (node).offsetHeight, 0);
  const used = heights + parseFloat(rowGap) * (shown.length - 1) + parseFloat(paddingTop) + parseFloat(paddingBottom);
  root.removeAttribute("data-fitting");
  if (shown[0].scrollWidth > shown[0].clientWidth + 1) return root.clientHeight; // the bar does not fit
  return Math.ceil(used - root.clientHeight);
}
