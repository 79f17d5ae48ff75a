// Names of labels cut to a width: in the middle, for both ends tell most; names that would then look alike are cut
// where they differ instead. Contexts are made of such names, the last label first.

import { GLYPH, fitted } from "./names.js";

const WIDE = 12; // characters from which a label is a long one
const tables = new WeakMap(); // of a payload's labels: per room their short names

const roomIn = (width, glyph) => Math.max(2, Math.floor(width / glyph));

// The short names of labels, each at most `room` characters: no two alike.
export function shortNames(labels, room) {
  if (!tables.has(labels)) tables.set(labels, new Map());
  const known = tables.get(labels);
  if (!known.has(room)) known.set(room, toldApart(labels, room));
  return known.get(room);
}

export function shortLabel(view, y, width, glyph = GLYPH) {
  return shortNames(view.payload.labels, roomIn(width, glyph))[y];
}

// What a label alone takes: where labels are long, columns are wider and their letters smaller.
export function longestLabel(view) {
  return Math.max(...view.payload.labels.map((name) => name.length));
}

export const hasLongLabels = (view) => longestLabel(view) > WIDE;

// A context in a width: all of it, or its last labels, each as a short name.
export function shortContext(view, { name, labels, length }, position, width) {
  const room = roomIn(width, GLYPH);
  if ([...name].length <= room || !labels.length || longestLabel(view) === 1) return fitted(name, width);
  const shown = Math.min(labels.length, Math.max(1, Math.floor(room / WIDE)));
  const each = Math.max(2, Math.floor((room - shown) / shown));
  const short = labels.slice(-shown).map((y) => shortNames(view.payload.labels, each)[y]);
  const head = shown < length ? (shown < labels.length ? "…" : "*") : length < position ? "*" : "";
  return head + short.join(" ");
}

export function middleCut(name, room) {
  const points = [...name];
  if (points.length <= room) return name;
  const head = Math.ceil((room - 1) / 2);
  return points.slice(0, head).join("") + "…" + points.slice(points.length - (room - 1 - head)).join("");
}

function toldApart(labels, room) {
  const short = labels.map((name) => middleCut(name, room));
  alike(short).forEach((group) => cutWhereTheyDiffer(labels, short, group, room));
  alike(short).forEach((group) => group.forEach((y) => (short[y] = numbered(labels[y], y, room))));
  return short;
}

// Groups of two and more numbers whose names are equal.
function alike(names, among = names.keys()) {
  const groups = new Map();
  for (const y of among) groups.set(names[y], [...(groups.get(names[y]) || []), y]);
  return [...groups.values()].filter((group) => group.length > 1);
}

function cutWhereTheyDiffer(labels, short, group, room) {
  const points = group.map((y) => [...labels[y]]);
  const start = common(points, (name, k) => name[k]);
  const end = common(points, (name, k) => (k < name.length - start ? name[name.length - 1 - k] : undefined));
  group.forEach((y, k) => {
    const name = points[k];
    const differs = name.slice(start, name.length - end);
    const beside = room - differs.length - 2; // what fits besides, with an ellipsis on both sides
    if (start <= beside + 1 || !differs.length) short[y] = name.slice(0, room - 1).join("") + "…";
    else if (beside >= 0) short[y] = name.slice(0, beside).join("") + "…" + differs.join("") + (end ? "…" : "");
    else short[y] = "…" + (room > 3 ? middleCut(name.slice(start).join(""), room - 1) : name.slice(start, start + room - 1).join(""));
  });
  alike(short, group).forEach((rest) => {
    if (rest.length < group.length) cutWhereTheyDiffer(labels, short, rest, room);
  });
}

// How many characters all names share, counted as `at` says; undefined is the end of one.
function common(names, at) {
  let k = 0;
  while (at(names[0], k) !== undefined && names.every((name) => at(name, k) === at(names[0], k))) k += 1;
  return k;
}

const numbered = (name, y, room) => `${middleCut(name, Math.max(2, room - String(y).length - 1))}#${y}`;
