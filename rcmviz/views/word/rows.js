// What a tree shows at a position: one row per context of a run, in suffix order, with its masses.

import { contextName } from "../shared/names.js";
import { massText, ordinalText } from "../shared/numbers.js";

const MASSES = ["forward", "forwardTree", "posterior", "posteriorTree"]; // its own, and with all that end in it

export function compareSuffixes(a, b) {
  for (let k = 1; k <= Math.min(a.length, b.length); k++) {
    const difference = a[a.length - k] - b[b.length - k];
    if (difference) return difference;
  }
  return a.length - b.length;
}

function isSuffix(short, long) {
  const shift = long.length - short.length;
  return shift >= 0 && short.every((y, k) => y === long[k + shift]);
}

// Rows of the contexts that a run has at a position. A row knows its place in the column, its parent (longest proper
// suffix that has a row) and its depth.
function contextRows(view, run, position) {
  const column = run.columns[position];
  const rows = column.labels.map((labels, k) => ({
    labels,
    length: column.length[k],
    name: contextName(view, labels, column.length[k], position),
    ...Object.fromEntries(MASSES.map((kind) => [kind, column[kind][k]])),
  }));
  linkParents(rows);
  return rows;
}

function linkParents(rows) {
  const open = [];
  rows.forEach((row, r) => {
    while (open.length && !isSuffix(rows[open[open.length - 1]].labels, row.labels)) open.pop();
    row.index = r;
    row.parent = open.length ? open[open.length - 1] : -1;
    row.depth = open.length;
    open.push(r);
  });
}

// The candidates of a run at a position, with names; null where nothing was selected or recorded.
function candidateRows(view, run, position) {
  const column = run.columns[position];
  const sent = column.candidates;
  if (!sent) return null;
  const names = sent.labels.map((labels, k) => contextName(view, labels, sent.length[k], position));
  const once = new Set(names).size === names.length;
  return sent.labels.map((labels, k) => {
    const into = sent.into[k];
    const [[fromLabels, fromLength, fromId]] = sent.sums.parents[sent.sums.parent[k]];
    const candidate = {
      index: k,
      labels,
      length: sent.length[k],
      name: names[k],
      twin: once || names.indexOf(names[k]) === names.lastIndexOf(names[k]) ? undefined : k, // of one name
      mass: sent.mass[k],
      rank: sent.rank[k],
      key: sent.key ? sent.key[k] : null, // what it is ranked by, where that is more than its mass
      fate: sent.fate[k],
      into,
      from: contextName(view, fromLabels, fromLength, position - 1),
      cutFrom: fromLabels.length < fromLength ? fromId : null, // the id where the name is cut
      carrier: into < 0 ? null : contextName(view, column.labels[into], column.length[into], position),
      gold: k === sent.gold,
    };
    return { ...candidate, why: fillSentence(run.sentences[sent.why[k]], candidate) };
  });
}

// A sentence with what it says of this candidate in its gaps.
function fillSentence(sentence, { name, rank, key, mass, carrier }) {
  const values = { name, rank: ordinalText(rank), key: massText(key), mass: massText(mass), into: carrier };
  return sentence.replace(/\{(name|rank|key|mass|into)\}/g, (_, gap) => values[gap]);
}

// Both are needed at every hover, and a payload does not change: cache them.
export function remembered(view) {
  const rows = new Map();
  const candidates = new Map();
  const names = new Map();
  return {
    named(r, position) {
      const key = r + ":" + position;
      if (!names.has(key)) {
        const known = this.candidates(r, position) || [];
        names.set(key, new Map(known.map((candidate) => [candidate.name, candidate])));
      }
      return names.get(key);
    },
    rows(r, position) {
      const key = r + ":" + position;
      if (!rows.has(key)) rows.set(key, contextRows(view, view.payload.runs[r], position));
      return rows.get(key);
    },
    candidates(r, position) {
      const key = r + ":" + position;
      if (!candidates.has(key)) candidates.set(key, candidateRows(view, view.payload.runs[r], position));
      return candidates.get(key);
    },
  };
}

// Names of the ancestors of a context or candidate in the column of a run: least ancestor first, then its, … the root.
export function ancestorChain(view, r, position, labels) {
  const column = view.payload.runs[r].columns[position];
  const above = column.labels
    .map((other, k) => [other, column.length[k]])
    .filter(([other]) => other.length < labels.length && isSuffix(other, labels))
    .sort((a, b) => b[0].length - a[0].length);
  return above.map(([other, length]) => contextName(view, other, length, position));
}
