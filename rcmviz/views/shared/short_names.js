// @ts-check
// Names of labels cut to a width: in the middle, since both ends tell most; names that would look alike are cut where
// they differ. Contexts consist of such names, the last label first.

import { GLYPH, fitted } from "./names.js";

const LONG = 6; // characters; longer labels are written smaller
const WORD = 8; // characters of each label of a context before another label is shown
const LARGE = 10.3; // width of a monospaced character at 17 px
const tables = new WeakMap(); // of a payload's labels: short names by width in characters

/** @type {(width: number, glyph: number) => number} */
const charactersIn = (width, glyph) => Math.max(2, Math.floor(width / glyph));

// The short names of labels, each at most `most` characters: no two alike.
/** @type {(labels: string[], most: number) => string[]} */
export function shortNames(labels, most) {
  if (!tables.has(labels)) tables.set(labels, new Map());
  const known = tables.get(labels);
  if (!known.has(most)) known.set(most, distinctLabels(labels, most));
  return known.get(most);
}

/** @type {(view: Labelled, y: number, width: number, glyph?: number) => string} */
export function shortLabel(view, y, width, glyph = GLYPH) {
  return shortNames(view.payload.labels, charactersIn(width, glyph))[y];
}

/** @type {(view: Labelled) => number} */
export function longestLabel(view) {
  return Math.max(...view.payload.labels.map((name) => name.length));
}

// The font of a single label: long labels have wider columns and smaller letters.
/** @type {(view: Labelled) => { glyph: number, small: boolean, width: number }} */
export function letterOf(view) {
  const longest = longestLabel(view);
  const glyph = longest > LONG ? GLYPH : LARGE;
  return { glyph, small: longest > LONG, width: Math.min(98, 10 + longest * glyph) };
}

// A context fitted into a width: all of it, or its last labels as short names. In a tree, where a row is below the
// context that it ends in, the labels before those.
/** @type {(view: Labelled, context: Context, position: number, width: number, above?: Context | null) => string} */
export function shortContext(view, { name, labels, length }, position, width, above = null) {
  const most = charactersIn(width, GLYPH);
  if ([...name].length <= most || !labels.length || longestLabel(view) === 1) return fitted(name, width);
  const own = above ? labels.length - above.labels.length : labels.length;
  const end = own < labels.length ? " …" : "";
  const free = most - 1 - end.length;
  const shown = Math.min(own, Math.max(1, Math.floor(free / WORD)));
  const each = Math.max(2, Math.floor((free - shown + 1) / shown));
  const short = labels.slice(own - shown, own).map((y) => shortNames(view.payload.labels, each)[y]);
  const head = shown < own || labels.length < length ? "…" : length < position ? "*" : "";
  return head + short.join(" ") + end;
}

/** @type {(name: string, most: number) => string} */
export function middleCut(name, most) {
  const points = [...name];
  if (points.length <= most) return name;
  const head = Math.ceil((most - 1) / 2);
  return points.slice(0, head).join("") + "…" + points.slice(points.length - (most - 1 - head)).join("");
}

/** @type {(labels: string[], most: number) => string[]} */
function distinctLabels(labels, most) {
  const short = labels.map((name) => middleCut(name, most));
  groupEqual(short).forEach((group) => cutWhereTheyDiffer(labels, short, group, most));
  groupEqual(short).forEach((group) => group.forEach((y) => (short[y] = addNumber(short[y], y, most))));
  return short;
}

// Groups of two and more numbers whose names are equal.
/** @type {(names: string[], among?: Iterable<number>) => number[][]} */
function groupEqual(names, among = names.keys()) {
  const groups = new Map();
  for (const y of among) groups.set(names[y], [...(groups.get(names[y]) || []), y]);
  return [...groups.values()].filter((group) => group.length > 1);
}

/** @type {(labels: string[], short: string[], group: number[], most: number) => void} */
function cutWhereTheyDiffer(labels, short, group, most) {
  const points = group.map((y) => [...labels[y]]);
  const start = countCommon(points, (name, k) => name[k]);
  const end = countCommon(points, (name, k) => (k < name.length - start ? name[name.length - 1 - k] : undefined));
  group.forEach((y, k) => {
    const name = points[k];
    const rest = name.slice(start);
    const differs = name.slice(start, name.length - end);
    const room = most - differs.length - 2; // for the name, with an ellipsis on both sides
    if (start <= room + 1 || !differs.length) short[y] = name.slice(0, most - 1).join("") + "…";
    else if (room >= 0) short[y] = name.slice(0, room).join("") + "…" + differs.join("") + (end ? "…" : "");
    else short[y] = "…" + (most > 3 ? middleCut(rest.join(""), most - 1) : rest.slice(0, most - 1).join(""));
  });
  groupEqual(short, group).forEach((rest) => {
    if (rest.length < group.length) cutWhereTheyDiffer(labels, short, rest, most);
  });
}

// The number of characters that all names share, counted by `at`; undefined is the end of a name.
/** @type {(names: string[][], at: (name: string[], k: number) => string | undefined) => number} */
function countCommon(names, at) {
  let k = 0;
  while (at(names[0], k) !== undefined && names.every((name) => at(name, k) === at(names[0], k))) k += 1;
  return k;
}

// Names that still look alike get the number of their label.
/** @type {(short: string, y: number, most: number) => string} */
const addNumber = (short, y, most) => `${short.slice(0, Math.max(1, most - String(y).length - 1))}#${y}`;

// Contexts of a list fitted into a width. Those that would look alike show the position where they differ, the label
// there, and the last label.
/** @type {(view: Labelled, rows: Context[], position: number, width: number) => string[]} */
export function shortContexts(view, rows, position, width) {
  const texts = rows.map((row) => shortContext(view, row, position, width));
  groupEqual(texts).forEach((group) => tellApart(view, rows, texts, group, position, width, 1));
  return texts;
}

/**
 * @type {(view: Labelled, rows: Context[], texts: string[], group: number[], position: number, width: number, from:
 *   number) => void}
 */
function tellApart(view, rows, texts, group, position, width, from) {
  /** @type {(k: number, back: number) => number | undefined} */
  const labelFromEnd = (k, back) => rows[k].labels.at(-1 - back);
  const longest = Math.max(...group.map((k) => rows[k].labels.length));
  let back = from;
  while (back < longest && group.every((k) => labelFromEnd(k, back) === labelFromEnd(group[0], back))) back += 1;
  if (back >= longest) return;
  for (const k of group) {
    const place = String(position - back);
    const each = Math.max(2, Math.floor((charactersIn(width, GLYPH) - place.length - 4) / 2));
    const short = shortNames(view.payload.labels, each);
    const [there, last] = [back, 0].map((places) => {
      const label = labelFromEnd(k, places);
      return label === undefined ? "*" : short[label];
    });
    texts[k] = `${place} ${there} … ${last}`;
  }
  groupEqual(texts, group).forEach((rest) => {
    if (rest.length < group.length) tellApart(view, rows, texts, rest, position, width, back + 1);
  });
}
