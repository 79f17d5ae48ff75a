// What a tree shows at a position: one row per context of any run, in suffix order, with each run's masses.

import { contextName } from "../shared/names.js";
import { massText, ordinalText } from "../shared/numbers.js";

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

// Rows of the union of the runs' contexts. A row knows its parent (longest proper suffix that has a row), its depth
// and, per run, where it stands in the column sent (`at`, −1 = that run has no such context).
function unionRows(view, position) {
  const found = new Map();
  view.payload.runs.forEach((run, r) => {
    const column = run.columns[position];
    column.labels.forEach((labels, k) => {
      const key = labels.join(",");
      if (!found.has(key)) {
        const at = view.payload.runs.map(() => -1);
        found.set(key, {
          key,
          labels,
          length: column.length[k],
          at,
          name: contextName(view, labels, column.length[k], position),
        });
      }
      found.get(key).at[r] = k;
    });
  });
  addGhosts(view, position, found);
  const rows = heaviestRows(view, position, [...found.values()]);
  rows.sort((a, b) => compareSuffixes(a.labels, b.labels));
  linkParents(rows);
  addMasses(view, position, rows);
  return rows;
}

const MOST_UNION_ROWS = 36;
const GHOSTS = 4; // of each method the heaviest that it dropped, and the gold

// Where methods are compared, what one of them has just dropped gets a row too: it is lost for good.
function addGhosts(view, position, found) {
  if (view.payload.runs.length < 2) return;
  view.payload.runs.forEach((_, r) => {
    const dropped = (view.memory.candidates(r, position) || []).filter((candidate) => candidate.fate === 3);
    for (const { labels, length, name } of dropped.filter((c, k) => k < GHOSTS || c.gold)) {
      const key = labels.join(",");
      if (!found.has(key))
        found.set(key, { key, labels, length, name, at: view.payload.runs.map(() => -1), ghost: true });
    }
  });
}

function heaviestRows(view, position, rows) {
  const most = view.payload.runs.length > 1 ? MOST_UNION_ROWS : Infinity;
  if (rows.length <= most) return rows;
  const weight = (row) =>
    (row.ghost === undefined ? 0 : 1) +
    Math.max(
      ...view.payload.runs.map((run, r) => {
        const column = run.columns[position];
        if (row.at[r] < 0) return 0;
        return row.at[r] === column.gold ? 2 : Math.max(column.forward[row.at[r]], column.posterior[row.at[r]]);
      }),
    );
  const ranked = rows
    .map((row) => [weight(row), row])
    .sort((a, b) => b[0] - a[0])
    .map((pair) => pair[1]);
  const shown = new Set();
  for (const row of ranked) {
    const wanted = rows.filter((other) => isSuffix(other.labels, row.labels) && !shown.has(other)); // itself, ancestors
    if (shown.size + wanted.length <= most) wanted.forEach((other) => shown.add(other));
  }
  return [...shown];
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

// Per run and per kind of mass: what the context carries itself, and with all contexts that end in it.
function addMasses(view, position, rows) {
  for (const kind of ["forward", "posterior"]) {
    for (const row of rows) {
      row[kind] = view.payload.runs.map((run, r) => (row.at[r] < 0 ? null : run.columns[position][kind][row.at[r]]));
      row[kind + "Tree"] = view.payload.runs.map((run, r) =>
        row.at[r] < 0 ? 0 : run.columns[position][kind + "Tree"][row.at[r]],
      );
    }
    // Without a context of that name a run's mass is summed up over the rows that it has: less than all where some are
    // hidden.
    for (const row of [...rows].reverse()) {
      const above = rows[row.parent];
      if (above)
        above.at.forEach((k, r) => {
          if (k < 0) above[kind + "Tree"][r] += row[kind + "Tree"][r];
        });
    }
    const root = rows.find((row) => !row.length);
    if (root)
      root.at.forEach((k, r) => {
        if (k < 0) root[kind + "Tree"][r] = kind === "forward" ? view.payload.runs[r].columns[position].carried : 1;
      });
  }
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
    return { ...candidate, why: filledIn(run.sentences[sent.why[k]], candidate) };
  });
}

// A sentence with what it says of this candidate in its gaps.
function filledIn(sentence, { name, rank, key, mass, carrier }) {
  const values = { name, rank: ordinalText(rank), key: massText(key), mass: massText(mass), into: carrier };
  return sentence.replace(/\{(name|rank|key|mass|into)\}/g, (_, gap) => values[gap]);
}

// Both are asked for again at every hover, and a payload does not change: remember them.
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
    rows(position) {
      if (!rows.has(position)) rows.set(position, unionRows(view, position));
      return rows.get(position);
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
