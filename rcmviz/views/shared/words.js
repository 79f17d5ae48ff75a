// @ts-check
// Terms of the glossary, explained on hover, focus and tap in one sentence, some with a picture.

import { html, setText } from "./dom.js";
import { GLOSSARY } from "./glossary.js";
import { drawingOf } from "./glossary_pictures.js";
import { enlargementOf } from "./presenting.js";

const LETTER = "[\\p{L}\\p{N}_]";
/** @type {Record<string, { is: string, forms?: string[], only?: string[] | null }>} */
const ENTRIES = GLOSSARY;
const wordOf = new Map();
const alone = new Map(); // terms that need a phrase, or a text of their own
for (const [word, { forms = [], only = null }] of Object.entries(ENTRIES)) {
  for (const form of only ?? [word, `${word}s`, ...forms]) wordOf.set(form.toLowerCase(), word);
  if (only) alone.set(word.toLowerCase(), word);
}
const longestFirst = [...wordOf.keys()].sort((a, b) => b.length - a.length);
const KNOWN = new RegExp(`(?<!${LETTER})(?:${longestFirst.join("|")})(?!${LETTER})`, "giu");

// A text as nodes; with `stops` its terms can be reached by keyboard, as in headings and names of numbers.
/** @type {(text: string, stops?: boolean) => (string | HTMLElement)[]} */
export function worded(text, stops = true) {
  const bare = text.replace(/^[^\p{L}]+/u, ""); // without the mark of a method
  if (alone.has(bare.toLowerCase())) return [text.slice(0, -bare.length), wordNode(bare, stops)].filter(Boolean);
  const nodes = [];
  let end = 0;
  for (const found of text.matchAll(KNOWN)) {
    if (isLetter(found)) continue;
    nodes.push(text.slice(end, found.index), wordNode(found[0], stops));
    end = found.index + found[0].length;
  }
  return [...nodes, text.slice(end)].filter((node) => node !== "");
}

// Excludes "a to z", since such terms are capitals, and "Y Z ZH", a phone among phones.
/** @type {(found: RegExpExecArray) => boolean} */
function isLetter({ 0: word, index, input }) {
  if (word.length > 1) return false;
  const [before, behind] = [input.slice(0, index), input.slice(index + 1)];
  return !(word in GLOSSARY) || /\b[A-Z]{1,2} $/.test(before) || /^ [A-Z]{1,2}\b/.test(behind);
}

/** @type {(text: string, stops: boolean) => HTMLElement} */
function wordNode(text, stops) {
  const word = wordOf.get(text.toLowerCase()) ?? alone.get(text.toLowerCase());
  return html("dfn", { class: "rv-explained", "data-explains": word, tabindex: stops ? "0" : null }, text);
}

// The name of a number with its own explanation.
/** @type {(text: string, is: string) => HTMLElement} */
export function named(text, is) {
  return html("dfn", { class: "rv-explained", "data-tells": is, tabindex: "0" }, text);
}

// Gives a heading or label that changes with the step its own explanation; without `is` nothing.
/** @type {<N extends HTMLElement>(node: N, is?: string | null) => N} */
export function telling(node, is) {
  if (!is) return node;
  node.classList.add("rv-explained");
  node.dataset.tells = is;
  node.setAttribute("tabindex", "0");
  return node;
}

// The term that a text is, if any; `within`: or that it contains.
/** @type {(text: string, within?: boolean) => string | null} */
export function wordFor(text, within = false) {
  const [whole, found] = [text.toLowerCase(), within ? text.match(KNOWN)?.[0].toLowerCase() : null];
  return wordOf.get(whole) || alone.get(whole) || wordOf.get(found) || null;
}

// Marks the terms in the paragraphs of a node.
/** @type {(node: Node) => void} */
export function explainWithin(node) {
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  /** @type {Text[]} */
  const texts = [];
  while (walker.nextNode()) texts.push(/** @type {Text} */ (walker.currentNode));
  for (const text of texts.filter((one) => !one.parentElement?.closest("code, button, dfn, svg"))) {
    const nodes = worded(text.data, false);
    if (nodes.length > 1 || nodes[0] instanceof Element) text.replaceWith(...nodes);
  }
}

// Like setText, for a text with terms.
/** @type {(node: Element, text: string) => void} */
export function setWorded(node, text) {
  if (node.textContent !== text) node.replaceChildren(...worded(text));
}

// Headings and names of numbers in a view, each explained once.
const TITLES = ".rv-panel-title, .rv-readout dt, .rv-actions-title, .rv-columns > span, .rv-legend, th, figcaption";
const NOTES = ".rv-more";
const DRAWN_TITLES = "svg :is(text.rv-gutter, .rv-chart-name, .rv-chart-unit):not([data-explains], [data-tells])";

/** @type {(root: Element) => void} */
export function explainTitles(root) {
  for (const node of root.querySelectorAll(`${TITLES}, ${NOTES}`)) {
    const [only, ...others] = node.childNodes;
    if (!(only instanceof Text) || others.length) continue;
    const nodes = worded(only.data, !node.matches(NOTES));
    if (nodes.length > 1 || nodes[0] instanceof Element) node.replaceChildren(...nodes);
  }
  for (const node of root.querySelectorAll(DRAWN_TITLES)) {
    const word = wordFor(node.textContent, true);
    if (word) for (const [name, value] of [["data-explains", word], ["tabindex", "0"]]) node.setAttribute(name, value);
  }
}

let tips = 0;

/** @type {(event: Event, selector: string) => HTMLElement | null} */
const closestElement = ({ target }, selector) => (target instanceof Element ? target.closest(selector) : null);

// One tip per view, for the term under the pointer or in focus. A title that is no term of the glossary has its own
// explanation (data-tells). Returns a function that removes it.
/** @type {(root: HTMLElement) => () => void} */
export function explaining(root) {
  const [text, picture] = [html("span", {}), html("span", { class: "rv-tip-picture", "aria-hidden": "true" })];
  const tip = html("div", { class: "rv-tip", role: "tooltip", id: `rv-tip-${++tips}`, hidden: true }, text, picture);
  /** @type {HTMLElement | null} */
  let shown = null;

  /** @type {(node: HTMLElement | null) => void} */
  function show(node) {
    if (node === shown) return;
    shown?.removeAttribute("aria-describedby");
    shown = node;
    tip.hidden = !node;
    if (!node) return;
    if (!tip.isConnected) root.append(tip);
    const { explains: word = "", tells } = node.dataset;
    setText(text, tells ?? `${word}: ${ENTRIES[word].is}`);
    picture.replaceChildren(...(tells ? [] : drawingOf(word)));
    node.setAttribute("aria-describedby", tip.id);
    place(node);
  }

  // Below the term, or above it at the end of the window; in present mode a player has larger pixels than the window.
  /** @type {(node: Element) => void} */
  function place(node) {
    const [at, size] = [node.getBoundingClientRect(), tip.getBoundingClientRect()];
    const scale = enlargementOf(root);
    /** @type {(length: number) => string} */
    const pixels = (length) => length / ((root.currentCSSZoom || 1) * scale) + "px";
    const below = at.bottom + 6 + size.height < window.innerHeight;
    tip.style.left = pixels(Math.max(8, Math.min(at.left, window.innerWidth - size.width - 8)));
    const scrolled = scale === 1 ? 0 : root.scrollTop * scale; // the tip scrolls with a scaled view
    tip.style.top = pixels(scrolled + (below ? at.bottom + 6 : at.top - 6 - size.height));
  }

  /** @type {(event: Event) => HTMLElement | null} */
  const wordAt = (event) => closestElement(event, "[data-explains], [data-tells]");
  root.addEventListener("pointerover", (event) => show(wordAt(event)));
  root.addEventListener("pointerleave", () => show(null));
  root.addEventListener("focusin", (event) => show(wordAt(event)));
  root.addEventListener("focusout", () => show(null));
  root.addEventListener("click", (event) => show(closestElement(event, "button") ? null : wordAt(event)));
  root.addEventListener("keydown", (event) => {
    if (event.key === "Escape") show(null);
  });
  const hide = () => show(null);
  window.addEventListener("scroll", hide, { capture: true, passive: true });
  return () => window.removeEventListener("scroll", hide, { capture: true });
}
