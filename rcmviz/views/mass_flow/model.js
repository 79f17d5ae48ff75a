// The payload as shares of all mass, when it was chosen or in the end. A part is mass with one origin and one
// destination, the smallest thing that moves.

import { contextName, spell } from "../shared/names.js";
import { lineage } from "./lineage.js";

const LEAST = 0.02; // of a bar that several outputs share: less is not marked as right
const LONGEST = 40; // labels of a context that are kept for its name

/**
 * @typedef {{labels: number[], length: number, mass: number, place: number, position: number, rest: number,
 *   isRoot: boolean, isOutput: boolean, isOthers: boolean, p: number, ways: number[], gold: number}} Bar
 * @typedef {{origin: number, into: number, kept: boolean, count: number, mass: number, proposed: number,
 *   flow: number | null, one: Candidate | null, rank: number, gold: number}} Part
 * @typedef {{origin: number, label: number, rank: number, labels: number[], length: number, mass: number,
 *   kept: boolean}} Candidate
 */

const sum = (list, value) => list.reduce((total, one) => total + value(one), 0);

// The runs of a payload, ready to be drawn; `gold` on bars and parts is the share that is the right beginning.
// When it was chosen, mass is what a run proposed at a position, scaled by what it had left before; `isEnd`: what comes
// this way of the mass that is left after all positions.
export function prepareRuns(payload, isEnd = false) {
  return payload.runs.map((sent) => prepareRun(payload, sent, isEnd));
}

// Whether a payload says what comes of each part in the end.
export const hasEnds = ({ runs, T }) => T > 1 && runs.some(({ result }) => result);

function prepareRun(payload, sent, isEnd) {
  const left = isEnd ? sent.left.map(() => sent.left.at(-1)) : sent.left;
  const run = { ...sent, isEnd, left, columns: [], steps: [] };
  for (let i = 0; i < payload.T; i += 1) run.columns.push(barsOf(run, sent.columns[i], i));
  run.columns.push(outputBars(payload, sent));
  run.columns[0][0].mass = left[0];
  run.steps = sent.steps.map((step, k) => prepareStep(payload, run, step, massesOf(sent, k, isEnd), k));
  if (payload.kind === "ctc") return addGold(run, sent, isEnd);
  const right = payload.gold && lineage(run, { labels: payload.gold, at: payload.T, isWhole: true });
  run.columns.forEach((column, i) => column.forEach((bar, k) => (bar.gold = right ? right.contexts[i][k] : 0)));
  run.steps.forEach((step, k) => {
    for (const part of step.parts) part.gold = right ? right.share(k + 1, part) : 0;
    step.fate = step.parts.find((part) => part.gold > 0) ?? null; // what has the right beginning
  });
  return run;
}

// The payload has the right share if a position is not a label: alignments that write the same part and
// meet again.
function addGold(run, sent, isEnd) {
  const { length } = run.steps;
  run.columns.forEach((column, i) => {
    const shares = i === length ? sent.outputGold : isEnd && i ? goldOfParts(run, sent, i) : sent.columns[i].gold;
    column.forEach((bar, k) => (bar.gold = shares[k] > LEAST ? shares[k] : 0));
  });
  run.steps.forEach((step, k) => {
    const { gold } = sent.steps[k].parts;
    step.parts.forEach((part, m) => (part.gold = gold?.[m] ?? run.columns[k + 1][part.into]?.gold ?? 0));
    step.fate = fateOf(step.parts);
  });
  return run;
}

// The right share of each bar by what has come into it.
function goldOfParts(run, sent, i) {
  const { gold = [] } = sent.steps[i - 1].parts;
  const mass = run.columns[i].map(() => 0);
  run.steps[i - 1].parts.forEach((part, m) => {
    if (part.into >= 0) mass[part.into] += (gold[m] ?? 0) * part.mass;
  });
  return run.columns[i].map((bar, k) => (bar.mass > 0 ? mass[k] / bar.mass : 0));
}

// What becomes of the heaviest right part; it is dropped where all of them are.
function fateOf(parts) {
  const right = parts.filter((part) => part.gold * part.mass > 0);
  const living = right.filter((part) => part.into >= 0);
  const heaviest = (list) => list.reduce((a, b) => (b.gold * b.mass > a.gold * a.mass ? b : a));
  return right.length ? heaviest(living.length ? living : right) : null;
}

function namedBars({ name, rest }, i) {
  const names = rest ? [...name, ""] : name;
  return names.map((one, place) => ({
    ...{ name: one, labels: [], length: 0, place, position: i, origin: -1, label: -1, mass: 0 },
    ...{ rest: one ? 0 : rest[1], isRoot: false, isOutput: false, isOthers: !one },
  }));
}

function barsOf(run, column, i) {
  if (column.name) return namedBars(column, i);
  const { origin, label, length, rest } = column;
  return origin.map((from, k) => {
    const isRest = rest !== null && k === rest[0];
    const labels = from >= 0 ? [...run.columns[i - 1][from].labels, label[k]] : [];
    const kept = length[k] > 0 ? labels.slice(-Math.min(length[k], LONGEST)) : [];
    return {
      ...{
        labels: kept,
        length: Math.max(0, length[k]),
        place: k,
        position: i,
        origin: from,
        label: label[k],
        mass: 0,
      },
      ...{ rest: isRest ? rest[1] : 0, isRoot: i > 0 && length[k] === 0, isOutput: false, isOthers: isRest },
    };
  });
}

function outputBars(payload, sent) {
  const isFrame = payload.kind === "ctc"; // an output of frames has fewer labels than there are frames
  const outputs = sent.outputs.map(([labels, p, ways], k) => {
    const shown = labels.slice(-LONGEST);
    const name = isFrame ? spell({ payload }, shown) || "nothing" : undefined;
    return { name, labels: shown, all: labels, length: labels.length, mass: 0, place: k, p, ways, isOthers: false };
  });
  const others = { labels: [], all: [], length: 0, mass: 0, place: outputs.length, p: 0, ways: [], isOthers: true };
  return [...outputs, others].map((bar) => ({ ...bar, position: payload.T, rest: 0, isRoot: false, isOutput: true }));
}

// Of the parts of a step. The last step is the rest: it has no more to lose.
function massesOf({ left, steps, result }, k, isEnd) {
  const { parts } = steps[k];
  if (!isEnd) return parts.share.map((share) => share * left[k]);
  if (!result) return parts.share.map(() => 0);
  if (k + 1 < steps.length) return parts.end.map((share) => share * left.at(-1));
  return parts.share.map((share, m) => (parts.into[m] < 0 ? 0 : share * left[k]));
}

function prepareStep(payload, run, sent, masses, k) {
  const [left, after] = [run.left[k], run.left[k + 1]];
  const [before, next] = [run.columns[k], run.columns[k + 1]];
  const { origin, label, rank, name } = sent.candidates;
  const candidates = origin.map((from, m) => {
    if (name)
      return { name: name[m], origin: from, label: -1, rank: rank[m], labels: [], length: 0, mass: 0, kept: true };
    const parent = before[from];
    const labels = [...parent.labels, label[m]].slice(-LONGEST);
    return { origin: from, label: label[m], rank: rank[m], labels, length: parent.length + 1, mass: 0, kept: true };
  });
  const { parts } = sent;
  const made = parts.origin.map((from, m) => {
    const one = candidates[parts.candidate[m]] ?? null;
    const [mass, kept] = [masses[m], Boolean(parts.kept[m])];
    if (one) Object.assign(one, { mass: one.mass + mass, kept });
    if (parts.into[m] >= 0) next[parts.into[m]].mass += mass;
    const [proposed, flow] = [parts.share[m], parts.flow?.[m] ?? null];
    const rank = one?.rank ?? Infinity;
    return { origin: from, into: parts.into[m], kept, count: parts.count[m], mass, proposed, flow, one, rank };
  });
  const cut = sum(made, (part) => (part.kept ? 0 : part.mass));
  const held = sum(made, (part) => (part.kept ? part.mass : 0));
  const merged = sum(made, (part) => (part.kept || part.into < 0 ? 0 : part.mass));
  const lost = sum(made, (part) => (part.into < 0 ? part.mass : 0));
  return {
    ...{ total: sent.total, possible: sent.possible, kept: sent.kept, budget: sent.budget, candidates, parts: made },
    ...{
      cut,
      held,
      merged,
      left,
      leftAfter: after,
      lost,
      lostBefore: 1 - left,
      lostAfter: 1 - after,
      isLast: k + 1 === payload.T,
    },
  };
}

// All labels of a bar or of a candidate, back to its beginning as far as they are remembered.
export function allLabels(run, bar) {
  if (bar.name) return [];
  if (bar.isOutput) return bar.all;
  const labels = [];
  let [at, place] = [bar.position, bar.place];
  while (labels.length < bar.length) {
    const one = run.columns[at][place];
    labels.unshift(one.label);
    [at, place] = [at - 1, one.origin];
  }
  return labels;
}

// What can be followed: a bar or a candidate of position i as { labels, at, isWhole }, in frames { name, at }.
export const followOfBar = (run, bar) => ({
  name: bar.name,
  labels: allLabels(run, bar),
  at: bar.position,
  isWhole: bar.length === bar.position,
});

export const followOfCandidate = (run, one, i) => ({
  name: one.name,
  labels: one.name ? [] : [...allLabels(run, run.columns[i - 1][one.origin]), one.label],
  at: i,
  isWhole: one.length === i,
});

// The best beginning of a run after i labels.
export function beginningOf(run, i) {
  let labels = [];
  for (const [kept, more] of run.soFar.slice(0, i)) labels = [...labels.slice(0, kept), ...more];
  return labels;
}

// "*ol", "consi"; before anything is read "start".
export function fullName(view, { labels, length, name }, i) {
  if (name) return name;
  return i ? contextName(view, labels, length, i) : "start";
}
