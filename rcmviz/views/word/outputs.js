// Outputs in words: all labels of a short one; of long ones what differs from the best.

import { html } from "../shared/dom.js";
import { spell } from "../shared/names.js";
import { shortNames } from "../shared/short_names.js";

const LONG = 44; // characters of an output beyond which only what differs is shown
const FEW = 4; // differences that are listed one by one
const ROOM = 12; // characters of a label among them

// An output, wrong labels marked; `best` is the one that a long output is compared with.
export function outputName(view, labels, best) {
  const name = spell(view, labels);
  const isLong = name.length > LONG;
  const text = isLong && labels !== best ? differences(view, labels, best) : spelled(view, labels);
  return html("code", { class: "rv-name", title: isLong ? name : null }, text);
}

// The gold, or its beginning.
export function goldName(view, gold, best) {
  const name = spell(view, gold);
  const isLong = name.length > LONG;
  const text = isLong ? differences(view, gold, best) : name;
  return html("code", { class: "rv-name", title: isLong ? name : null }, text);
}

function spelled(view, output) {
  const spaced = view.payload.labels.some((label) => label.length > 1);
  return output.flatMap((y, k) => [spaced && k ? " " : null, label(view, y, k, view.payload.labels[y])]);
}

function differences(view, output, best) {
  const places = output.map((_, k) => k).filter((k) => output[k] !== best[k]);
  if (!places.length) return ["as the first"];
  if (places.length > FEW) return [`${places.length} of ${output.length} differ`];
  const short = shortNames(view.payload.labels, ROOM);
  return places.flatMap((k, n) => [`${n ? ", " : ""}${k + 1} `, label(view, output[k], k, short[output[k]])]);
}

function label(view, y, k, text) {
  const { gold } = view.payload;
  return gold && gold[k] !== y ? html("span", { class: "rv-wrong-letter" }, text) : text;
}
