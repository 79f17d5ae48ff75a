// @ts-check
// Names of labels, contexts and fates, and how they are fitted into a width.

import { html } from "./dom.js";
import { worded } from "./words.js";

export const FATES = ["kept", "merged", "joined", "dropped"];
export const FATE_MARKS = ["●", "↳", "∪", "✕"];

// A method that draws candidates at random has its own words for fates.
/** @type {(run: { draws?: boolean }, fate: number) => string} */
export function fateText(run, fate) {
  return run.draws ? (fate === 0 ? "drawn" : "not drawn") : FATES[fate];
}

export const GLYPH = 7.9; // width of a monospaced character at 13 px

/** @type {(view: Labelled, labels: number[]) => string} */
export function spell(view, labels) {
  const names = labels.map((y) => view.payload.labels[y]);
  return names.join(names.every((name) => name.length === 1) ? "" : " ");
}

// "*ol": one star for the forgotten labels, none for a complete history; the root is "*".
/** @type {(view: Labelled, labels: number[], length: number, position: number) => string} */
export function contextName(view, labels, length, position) {
  const head = length < position || !length ? "*" : "";
  return head + (labels.length < length ? "…" : "") + spell(view, labels);
}

// A name that is too wide keeps its end: the labels nearest to the position tell most.
/** @type {(name: string, width: number) => string} */
export function fitted(name, width) {
  const most = Math.max(2, Math.floor(width / GLYPH));
  const points = [...name];
  return points.length <= most ? name : "…" + points.slice(points.length - most + 1).join("");
}

// Makes a blank between words visible.
/** @type {(text: string) => string} */
export function visible(text) {
  return text?.replaceAll(" ", "␣");
}

// Text with `names` between backticks in the monospaced face; its terms are explained.
/** @type {(text: string) => (string | HTMLElement)[]} */
export function withNames(text) {
  return text.split("`").flatMap((part, k) => (k % 2 ? nameNode(part) : worded(part, false)));
}

const IN_TEXT = 48; // characters of a name among words

/** @type {(name: string, most?: number) => string} */
export const cutName = (name, most = IN_TEXT) => fitted(name, most * GLYPH);

// A name within text; a cut one shows all of it under the pointer.
/** @type {(name: string) => HTMLElement} */
export function nameNode(name) {
  const shown = cutName(name);
  return html("code", { class: "rv-name", title: shown === name ? null : name }, shown);
}

// Handwriting has letters and words, other problems labels and outputs.
/** @type {(view: { payload: { images?: unknown } }) => { label: string, output: string }} */
export function termsOf(view) {
  return view.payload.images ? { label: "letter", output: "word" } : { label: "label", output: "output" };
}
