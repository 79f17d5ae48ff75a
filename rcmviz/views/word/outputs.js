// Outputs in words, in full: what is not the gold's is marked, or, without a gold, what differs from the best output.
// Of a very long one, stretches that are as in the best are left out.

import { html } from "../shared/dom.js";
import { spell } from "../shared/names.js";

const LONG = 400; // characters of an output from which on equal stretches are left out
const AROUND = 3; // labels that stay on either side of a difference

// An output; `best` is the one that it is compared with.
export function outputName(view, labels, best) {
  const shown = new Set(shownPlaces(view, labels, best));
  const spaced = view.payload.labels.some((label) => label.length > 1);
  let left = false; // whether the label before was left out
  const parts = labels.flatMap((y, k) => {
    const gap = spaced && k ? [" "] : [];
    const was = left;
    left = !shown.has(k);
    if (left) return was ? [] : [...gap, "…"];
    return [...gap, labelNode(view, y, k, best[k])];
  });
  return html("code", { class: "rv-name", title: shown.size < labels.length ? spell(view, labels) : null }, parts);
}

// The gold, or its beginning.
export function goldName(view, gold) {
  return html("code", { class: "rv-name" }, spell(view, gold));
}

function shownPlaces(view, labels, best) {
  const places = labels.map((_, k) => k);
  const differing = places.filter((k) => labels[k] !== best[k]);
  if (spell(view, labels).length < LONG || !differing.length) return places;
  return differing.flatMap((k) => places.slice(Math.max(0, k - AROUND), k + AROUND + 1));
}

function labelNode(view, y, k, other) {
  const { gold, labels } = view.payload;
  if (y === (gold ? gold[k] : other)) return labels[y];
  return html("span", { class: gold ? "rv-wrong-letter" : "rv-other-letter" }, labels[y]);
}

// What the marks in a list of outputs mean.
export const markNote = ({ payload }) => `Underlined: not as in the ${payload.gold ? "gold" : "first"}.`;
