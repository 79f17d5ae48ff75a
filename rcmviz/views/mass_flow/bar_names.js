// Names next to bars, cut to a number of characters, and shares as text.

import { countText, massText, wholePercentText } from "../shared/numbers.js";
import { fullName } from "./model.js";

const SMALL = 0.00095; // a tenth of a per cent: below it a power of ten says more
export const LEAST = 1e-13; // of all mass: less is rounding
const ROUNDED = 0.0005; // sums this near to 0 or 1 are rounded

// "62 %", "1.4 %", "3e−7"; nothing is "0 %" that has any mass.
export function shareText(share) {
  if (share >= SMALL) return wholePercentText(share);
  return share > 0 ? massText(share) : "0 %";
}

// A probability that may be too small for a number of 64 bits.
export const probabilityText = (p) => (p > 0 ? shareText(p) : "less than 1e−300");

// Lost mass: never "100 %" while some is left.
export function lostText(left) {
  if (left < ROUNDED) return "more than 99.9 %";
  if (left < 10 * ROUNDED) return `${(100 * (1 - left)).toFixed(1)} %`;
  return 1 - left < LEAST ? "0 %" : shareText(1 - left);
}

export const spellLabels = (view, labels) => labels.map((y) => view.payload.labels[y]).join(view.isGlued ? "" : " ");

// Names of one column in at most `most` characters, as [head, last label]. A longer name keeps its end; if two
// would look alike, the label by which they differ stands before the dots.
export function cutNames(view, entries, i, most) {
  const seen = new Map();
  return entries.map((entry) => {
    if (entry.isOthers) return [entry.rest ? `${countText(entry.rest)} more` : "others", ""];
    if (entry.name) return [entry.name.length > most ? `…${entry.name.slice(1 - most)}` : entry.name, ""];
    const names = entry.labels.map((y) => view.payload.labels[y]);
    const [whole, last] = [fullName(view, entry, i), names.at(-1) ?? ""];
    if (whole.length <= most) return [whole.slice(0, whole.length - last.length), last];
    const end = last.length < most ? last : last.slice(0, Math.max(1, most - 4)) + "…";
    const head = headThatFits(view, names, most - end.length);
    const twin = seen.get(head + end);
    if (!twin) seen.set(head + end, names);
    if (!twin) return ["…" + head, end];
    let back = 2;
    while (back < names.length && names.at(-back) === twin.at(-back)) back += 1;
    return [(names.at(-back) ?? "*").slice(0, Math.max(1, most - end.length - 1)) + "…", end];
  });
}

function headThatFits(view, names, room) {
  let head = "";
  for (const name of names.slice(0, -1).reverse()) {
    const longer = name + (view.isGlued ? "" : " ") + head;
    if (longer.length >= room) break;
    head = longer;
  }
  return head;
}

export const briefName = (view, entry, i, most = 24) => cutNames(view, [entry], i, most)[0].join("");

export const briefLabels = (view, labels, i, most = 24) => briefName(view, { labels, length: labels.length }, i, most);
