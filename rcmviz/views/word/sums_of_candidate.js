// The sums of a candidate: what its mass is made of, where it went, and what it was ranked by.

import { fateText, spell } from "../shared/names.js";
import { codeOf, factor, logOf, logSum, plainTerm, share, rangeOf } from "./sum_terms.js";

// Parent × window × emission ÷ what all mass has grown by = its mass.
export function productTerms(view, r, i, candidate) {
  const arc = arcOf(view, r, i, candidate);
  const { code, whole, before, emission } = arc;
  return [
    share("parent", "", arc.parent - before, aboutParent(arc)),
    factor("window", "×", arc.window, aboutWindow(view, arc)),
    ...(emission === null ? [] : [factor("emission", "×", emission, aboutEmission(arc))]),
    factor("growth", "÷", whole - before, {
      name: "growth of all mass",
      code: `growth = ${code.allMass(i)}` + (i > 1 ? ` - ${code.allMass(i - 1)}` : ""),
      light: { readout: "logz" },
    }),
    share("mass", "=", arc.mass - whole, {
      name: `mass of \`${candidate.name}\``,
      code: `mass = parent + window${emission === null ? "" : " + emission"}`,
      light: { candidates: [candidate.name] },
    }),
  ];
}

// Logs of a candidate's factors, `emission` null if it was not recorded; of the `known` labels before the last one
// the window sees a number.
function arcOf(view, r, i, candidate) {
  const run = view.payload.runs[r];
  const column = run.columns[i];
  const { sums } = column.candidates;
  const k = candidate.index;
  const known = candidate.length - 1;
  return {
    i,
    run,
    candidate,
    code: codeOf(view, r),
    label: view.payload.labels[candidate.labels.at(-1)],
    parent: logOf(sums.parents[sums.parent[k]][1]),
    window: logOf(sums.window[k]),
    emission: sums.emission && logOf(sums.emission[k]),
    mass: logOf(sums.mass[k]),
    whole: column.sums.whole,
    before: run.columns[i - 1].sums.whole,
    known,
    seen: Math.min(known, run.sums.order || known),
    weighed: run.sums.rootWeight !== 0 && candidate.into >= 0 && !column.length[candidate.into],
  };
}

function aboutParent({ i, candidate, code, known }) {
  return {
    name: `forward mass of \`${candidate.from}\``,
    code: `parent = post.forward[${code.parent(i, candidate)}]`,
    light: { cells: rangeOf(i - known, i - 1) },
  };
}

function aboutWindow(view, arc) {
  const { i, code, emission, seen, weighed } = arc;
  const parts = [
    `${code.lattice}.score[c, y]`,
    ...(emission === null ? [] : [emissionCode(arc)]),
    ...(weighed ? [code.rootWeight] : []),
  ];
  return {
    name: emission === null ? "score of the arc" : windowName(view, arc),
    code: `window = ${parts.join(" - ")}`,
    light: { cells: rangeOf(i - seen, i) },
  };
}

// "*ol→v": what the window sees of the parent, and the label after it; of other models, the label and what it follows.
function windowName(view, { i, run, candidate, label, seen }) {
  const tail = seen ? spell(view, candidate.labels.slice(0, -1).slice(-seen)) : "";
  if (!run.sums.windows) return tail ? `\`${label}\` after \`${tail}\`` : `\`${label}\` after anything`;
  const begins = candidate.length === i && seen === i - 1;
  return `window \`${begins ? "^" : "*"}${tail}→${label}\``;
}

function aboutEmission(arc) {
  const { i, label } = arc;
  return { name: `emission of \`${label}\` at ${i}`, code: `emission = ${emissionCode(arc)}`, light: { cells: [i] } };
}

const emissionCode = ({ i, code }) => `${code.trace}.log_emit[${i - 1}, y]`;

// What became of a candidate that is no context: the context that speaks for it, or nothing.
export function carrierTerms(view, r, i, { name, into, fate, carrier }) {
  const run = view.payload.runs[r];
  if (into < 0)
    return fate === 3 ? [plainTerm("gone", "→", null, { text: fateText(run, fate), name: "lost for good" })] : [];
  const { sums } = run.columns[i];
  return [
    share("forward", "→", logOf(sums.forward[into]) - sums.whole, {
      name: `${fate === 2 ? "joined" : "merged into"} \`${carrier}\`, whose mass this is`,
      code: `forward = post.forward[${codeOf(view, r).context(i, carrier)}]`,
      light: { rows: [carrier], candidates: [name] },
    }),
  ];
}

const AHEAD = {
  pass: "message of the pass before",
  queue: "bound on the rest",
  rule: "the rule's score over the mass",
  mass: "what else it was ranked by",
};
const RANKED_BY = { pass: "estimated posterior", queue: "ranked by", rule: "selection rule", mass: "ranked by" };

// (Its mass + that of the twins that joined it) × what was known of the rest; null where it was ranked by its mass.
export function rankTerms(view, r, { position, candidates }) {
  const candidate = candidates[r];
  const run = view.payload.runs[r];
  const column = run.columns[position];
  const sums = candidate && column.candidates.sums;
  if (!sums) return null;
  const k = candidate.index;
  const joined = sums.joined ? logOf(sums.joined[k]) : -Infinity;
  if (joined === -Infinity && !sums.ahead) return null;
  const [mass, ahead] = [logOf(sums.mass[k]), sums.ahead ? logOf(sums.ahead[k]) : 0];
  const { whole } = column.sums;
  const light = { candidates: [candidate.name] };
  return [
    share("mass", "", mass - whole, { name: `mass of \`${candidate.name}\``, light }),
    ...(joined === -Infinity ? [] : [share("joined", "+", joined - whole, { name: "twins that joined it" })]),
    ...(sums.ahead ? [factor("ahead", "×", ahead, { name: AHEAD[run.sums.by] })] : []),
    share("rank", "=", logSum([mass, joined]) + ahead - whole, {
      name: `${RANKED_BY[run.sums.by]}: number ${candidate.rank}`,
      code: `${codeOf(view, r).trace}.table(${position}).sort_values("rank")`,
      light,
    }),
  ];
}
