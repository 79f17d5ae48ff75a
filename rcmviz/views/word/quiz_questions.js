// What the quiz asks at a position, and what an answer is worth: functions of what the player was sent, so that page,
// file and notebook ask everybody the same.

import { contextName } from "../shared/names.js";
import { compareSuffixes } from "./rows.js";

export const KINDS = ["kept", "mass"];
const [KEPT, MERGED, DROPPED] = [0, 1, 3]; // of the fates
const CANDIDATES = 6; // that are asked about at once
const PLACES = 4; // contexts that are offered as the place of a mass
const FACTORS = ["window", "emission", "joined", "ahead"];
const HEAVIEST = 3; // of the candidates that are not kept, whose mass is worth a question

// The question about a position, or null if nothing can be predicted. `wanted`: a kind, or "both" alternating; `run`:
// the method of the question, by default each in its turn. `truth` holds the numbers of the choices that are right.
export function questionAt(view, position, wanted = "both", run = null) {
  const able = view.payload.runs.map((_, r) => r).filter((r) => canBeAsked(view, r, position));
  const r = run ?? able[position % able.length];
  if (!able.includes(r)) return null;
  const kind = wanted === "both" ? kindAt(view, r, position, able.length) : wanted;
  const asked = (kind === "kept" ? keptQuestion : massQuestion)(view, r, position);
  if (!asked) return null;
  const { method, name } = view.payload.runs[r];
  return { key: [view.payload.subject, position, r, kind].join(":"), kind, position, run: r, method, name, ...asked };
}

// Something is kept and something is not, by a rule and not at random.
function canBeAsked(view, r, position) {
  const run = view.payload.runs[r];
  if (run.draws || !run.columns[position]?.candidates) return false;
  const [kept, others] = sides(view, r, position);
  return kept.length > 0 && others.length > 0;
}

// Candidates with a mass and a name of their own, those that are kept and the others, by rank. Which one of several
// equal ones speaks for all is no prediction.
function sides(view, r, position) {
  const known = view.memory.candidates(r, position).filter((one) => one.mass > 0 && one.twin === undefined);
  const among = (fates) => known.filter((one) => fates.includes(one.fate));
  return [among([KEPT]), among([MERGED, DROPPED])];
}

// Alternating; where masses are dropped there is little to ask about them.
function kindAt(view, r, position, methods) {
  const round = Math.floor(position / methods);
  const drops = view.payload.runs[r].columns[position].candidates.groups[DROPPED][0] > 0;
  return position > 2 && (drops ? round % 4 === 3 : round % 2 === 1) ? "mass" : "kept";
}

// Candidates on either side of the budget line: the nearest to it, and some that are farther.
function keptQuestion(view, r, position) {
  const [kept, others] = sides(view, r, position);
  const wish = 2 + (numberOf(view, r, position) % 3);
  const above = Math.min(kept.length, Math.max(wish, CANDIDATES - others.length));
  const chosen = [...fromTheLine(kept.reverse(), above), ...fromTheLine(others, CANDIDATES - above)];
  chosen.sort((a, b) => compareSuffixes(a.labels, b.labels));
  const choices = chosen.map(addFactors(view, r, position, chosen));
  return { choices, truth: numbersWhere(choices, (choice) => choice.candidate.fate === KEPT), about: null };
}

// One candidate that is not kept, and contexts that might take it in.
function massQuestion(view, r, position) {
  const [, others] = sides(view, r, position);
  const rankKey = others.filter((one) => one.fate === DROPPED || one.carrier !== null);
  if (!rankKey.length) return null;
  const most = Math.min(HEAVIEST, rankKey.length);
  const about = rankKey.find((one) => one.gold) ?? rankKey[numberOf(view, r, position) % most];
  const contexts = placesFor(view, r, position, about).map((context) => ({ ...context, text: `to ${context.name}` }));
  const choices = [...contexts, { name: null, text: "nowhere: dropped" }];
  const right = about.fate === DROPPED ? null : about.carrier;
  return { choices, truth: numbersWhere(choices, (choice) => choice.name === right), about };
}

// The context that takes it in, the root, other ancestors, and the heaviest of those that end alike or at all.
function placesFor(view, r, position, about) {
  const column = view.payload.runs[r].columns[position];
  const all = column.labels.map((labels, k) => {
    const length = column.length[k];
    return { labels, length, mass: column.forward[k], name: contextName(view, labels, length, position) };
  });
  const worth = ({ name, labels, length, mass }) => [
    name === about.carrier,
    length === 0,
    isAncestor(labels, about.labels) && length < about.length,
    labels.at(-1) === about.labels.at(-1),
    mass,
  ];
  const ranked = all.map((context) => [worth(context), context]).sort(([a], [b]) => firstDifference(b, a));
  const names = new Set();
  const chosen = ranked.map(([, context]) => context).filter(({ name }) => !names.has(name) && names.add(name));
  return chosen.slice(0, PLACES).sort((a, b) => compareSuffixes(a.labels, b.labels));
}

function firstDifference(a, b) {
  const k = a.findIndex((value, at) => value !== b[at]);
  return k < 0 ? 0 : a[k] - b[k];
}

// Whether all labels of one context are the last ones of another.
export function isAncestor(short, long) {
  return short.length <= long.length && short.every((y, k) => y === long[long.length - short.length + k]);
}

// A number of items of a list that begins at the budget line: the first, then ever farther ones, the gold among them.
function fromTheLine(list, count) {
  if (list.length <= count) return list;
  const distantIndex = (j) => (j * (j + 3)) / 2;
  const last = Math.min(list.length - 1, distantIndex(count - 1));
  const chosen = [];
  let at = -1;
  for (let j = 0; j < count; j += 1) {
    at = Math.max(at + 1, count > 1 ? Math.round((distantIndex(j) / distantIndex(count - 1)) * last) : 0);
    chosen.push(list[at]);
  }
  const gold = list.find((one) => one.gold);
  return gold && !chosen.includes(gold) ? [...chosen.slice(0, -1), gold] : chosen;
}

// A choice knows the factors of what it is ranked by: the share of what it comes from, and how well its label fits,
// each against the best of those that are asked about. A search has one queue for all positions: it ranks otherwise.
function addFactors(view, r, position, all) {
  const run = view.payload.runs[r];
  const { sums } = run.columns[position].candidates;
  const { whole } = run.columns[position - 1].sums;
  const value = (factor, k) => (factor === "joined" ? joinedBy(sums, k) : (sums[factor][k] ?? -Infinity));
  const factors = run.sums.by === "queue" ? [] : FACTORS.filter((factor) => sums[factor]);
  const best = factors.map((factor) => Math.max(...all.map(({ index }) => value(factor, index))));
  return (candidate) => {
    const { index, name, labels, length, from } = candidate;
    const [[known, remembered], mass] = sums.parents[sums.parent[index]];
    const fits = factors.map((factor, f) => [factor, Math.exp(value(factor, index) - best[f])]);
    const parent = { name: from, labels: known, length: remembered };
    return { name, text: name, labels, length, candidate, parent, from: Math.exp(mass - whole), fits };
  };
}

// By what factor a mass is larger with that of those it speaks for.
function joinedBy({ mass, joined }, k) {
  return Math.log1p(Math.exp((joined[k] ?? -Infinity) - mass[k]));
}

const numbersWhere = (list, holds) => list.map((_, k) => k).filter((k) => holds(list[k]));

// A number that is the same wherever the same word is looked at.
function numberOf({ payload }, r, position) {
  return [...`${payload.subject}:${r}:${position}`].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) >>> 0, 7);
}

// How many of those that are kept were found, of how many, and how many guessing would find. Whoever marks more of them
// than are kept is scored by the number marked.
export function scoreAnswer({ kind, choices, truth }, marks) {
  if (kind === "mass") return { right: Number(marks.includes(truth[0])), of: 1, chance: 1 / choices.length };
  const right = marks.filter((k) => truth.includes(k)).length;
  const of = Math.max(truth.length, marks.length);
  return { right, of, chance: (of * truth.length) / choices.length };
}

// The first question about what comes after a position, or null.
export function questionAfter(view, position, wanted, run) {
  for (let i = position + 1; i < view.payload.T; i += 1) {
    const question = questionAt(view, i, wanted, run);
    if (question) return question;
  }
  return null;
}
