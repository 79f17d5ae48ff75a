// The sums behind the numbers, as data: the terms of a candidate's mass, of what its context took in, of a posterior,
// of a rank, of log Z. All that is in them are logs from the payload; shares are logs less that of the whole position.
//
// A term is {key, sign, share | factor | plain, name, code, light}: `share` the log of a share, `factor` a log that is
// shown as its exponential, `plain` a number; `light` says what of the picture it stands for: names of `rows` and
// `candidates` of the position, `cells` of the strip, `readout`.

import { spell } from "../shared/names.js";
import { countText } from "../shared/numbers.js";

const LARGEST = 3; // parts of an entropy that are named
const TAKEN = 2; // names of what a context took in

const upTo = (first, last) => Array.from({ length: Math.max(0, last - first + 1) }, (_, k) => first + k);
const logSum = (logs) => {
  const highest = Math.max(...logs);
  return highest === -Infinity ? highest : highest + Math.log(logs.reduce((sum, x) => sum + Math.exp(x - highest), 0));
};
const log = (value) => (value === null || value === undefined ? -Infinity : value);

// What the code calls the lattice and the trace of a run.
export function variablesOf(view, r) {
  return (view.payload.settings?.variables || [])[r] || ["lattice", "trace"];
}

// The kinds of sums that there are for what is looked at, [kind, title], the usual one first.
export function kindsOf(view, focus) {
  const whole = view.hidesFuture() ? [] : [["confidence", "confidence"]];
  if (!focus) return [["logz", "log Z"], ["entropy", "entropy"], ...whole];
  const ranked = focus.candidates[focus.run] && rankTerms(view, focus.run, focus);
  const known = focus.row && focus.row.at[focus.run] >= 0 && !view.hidesFuture();
  const posterior = known ? [["posterior", "posterior"]] : [];
  return [["mass", "mass"], ...posterior, ...(ranked ? [["rank", "rank"]] : [])];
}

// The terms of a sum, none where there is nothing to add up.
export function termsOfSum(view, r, focus, kind) {
  const makers = { mass: massTerms, posterior: posteriorTerms, rank: rankTerms };
  const made = focus ? makers[kind]?.(view, r, focus) : ofPosition[kind]?.(view, r, view.position);
  return made || [];
}

function massTerms(view, r, focus) {
  const i = focus.position;
  const column = view.payload.runs[r].columns[i];
  const candidate = focus.candidates[r];
  const place = focus.row ? focus.row.at[r] : -1;
  const whole = column.sums.whole;
  if (i === view.payload.T || !column.sums.own) return null;
  const [lattice, trace] = variablesOf(view, r);
  const here = `${lattice}.find(${i}, ${JSON.stringify(focus.name)})`;
  const silent = candidate && candidate.fate !== 0 && focus.candidate !== undefined; // a twin that another speaks for
  if (silent || (place < 0 && candidate)) {
    return [...productTerms(view, r, i, candidate), ...wentTo(view, r, i, candidate)];
  }
  if (place < 0) return null;
  const own =
    candidate && candidate.fate === 0
      ? productTerms(view, r, i, candidate)
      : ownTerm(column, place, focus.name, trace, here);
  const taken = column.sums.taken[place];
  if (!taken) return own;
  const sources = (view.memory.candidates(r, i) || []).filter((c) => c.fate !== 0 && c.carrier === focus.name);
  const named = sources.slice(0, TAKEN).map((c) => "`" + c.name + "`");
  const more = taken[0] - named.length;
  const names = named.join(", ") + (more > 0 && named.length ? ` and ${countText(more)} more` : "");
  const weight = focus.row.length ? 0 : view.payload.runs[r].sums.rootWeight;
  const weighed = weight === 0 ? "" : " + root";
  const root = { key: "root", sign: "×", factor: log(weight), name: "weight of the root", light: {} };
  root.code = `root = ${trace}.settings["root_weight"]`;
  return [
    ...own,
    {
      key: "taken",
      sign: own.length ? "+" : "",
      share: log(taken[1]) - whole,
      name: `took in ${names || countText(taken[0]) + " candidates"}`,
      code: `taken = ${trace}.log_mass[(${trace}.into == ${here}) & ~${trace}.kept]`,
      light: { candidates: sources.map((c) => c.name) },
    },
    ...(weight === 0 ? [] : [root]),
    {
      key: "forward",
      sign: "=",
      share: log(column.sums.forward[place]) - whole,
      name: `forward mass of \`${focus.name}\``,
      code: `forward = np.logaddexp.reduce(${own.length ? "[mass, *taken]" : "taken"})${weighed}`,
      light: { rows: [focus.name] },
    },
  ];
}

function ownTerm(column, place, name, trace, here) {
  const own = column.sums.own[place];
  if (own === null) return [];
  const light = { candidates: [name] };
  const code = `mass = ${trace}.log_mass[(${trace}.into == ${here}) & ${trace}.kept][0]`;
  return [{ key: "mass", sign: "", share: own - column.sums.whole, name: "its own candidate", code, light }];
}

// Parent × window × emission ÷ what all mass has grown by = its mass.
function productTerms(view, r, i, candidate) {
  const run = view.payload.runs[r];
  const column = run.columns[i];
  const { sums } = column.candidates;
  const k = candidate.index;
  const [from, parent] = sums.parents[sums.parent[k]];
  const before = run.columns[i - 1].sums.whole;
  const y = candidate.labels[candidate.labels.length - 1];
  const label = view.payload.labels[y];
  const known = candidate.length - 1;
  const seen = Math.min(known, run.sums.order || known);
  const [lattice, trace] = variablesOf(view, r);
  const split = sums.emission !== null;
  const toRoot = run.sums.rootWeight !== 0 && candidate.into >= 0 && !column.length[candidate.into];
  const weight = split ? windowName(view, run, candidate, seen, i) : "score of the arc";
  const emission = `${trace}.log_emit[${i - 1}, y]`;
  const terms = [
    {
      key: "parent",
      sign: "",
      share: log(parent) - before,
      name: `forward mass of \`${from}\``,
      code: `parent = post.forward[${lattice}.find(${i - 1}, ${JSON.stringify(from)})]`,
      light: { cells: upTo(i - known, i - 1), before: from },
    },
    {
      key: "window",
      sign: "×",
      factor: log(sums.window[k]),
      name: weight,
      code:
        `window = ${lattice}.score[c, y]${split ? " - " + emission : ""}` +
        (toRoot ? ` - ${trace}.settings["root_weight"]` : ""),
      light: { cells: upTo(i - seen, i) },
    },
    {
      key: "emission",
      sign: "×",
      factor: log(split ? sums.emission[k] : 0),
      name: `emission of \`${label}\` at ${i}`,
      code: `emission = ${emission}`,
      light: { cells: [i] },
    },
    {
      key: "growth",
      sign: "÷",
      factor: column.sums.whole - before,
      name: "growth of all mass",
      code: growthCode(trace, i),
      light: { readout: "logz" },
    },
    {
      key: "mass",
      sign: "=",
      share: log(sums.mass[k]) - column.sums.whole,
      name: `mass of \`${candidate.name}\``,
      code: `mass = parent + window${split ? " + emission" : ""}`,
      light: { candidates: [candidate.name] },
    },
  ];
  return split ? terms : terms.filter((term) => term.key !== "emission");
}

const growthCode = (trace, i) =>
  `growth = ${trace}.log_mass_of(${i})` + (i > 1 ? ` - ${trace}.log_mass_of(${i - 1})` : "");

// "*ol→v": what the window sees of the parent, and the label after it; of other models, the label and what it follows.
function windowName(view, run, candidate, seen, i) {
  const known = candidate.labels.slice(0, -1);
  const tail = seen ? spell(view, known.slice(-seen)) : "";
  const label = view.payload.labels[candidate.labels[candidate.labels.length - 1]];
  if (!run.sums.windows) return tail ? `\`${label}\` after \`${tail}\`` : `\`${label}\` after anything`;
  const begins = candidate.length === i && seen === i - 1;
  return `window \`${begins ? "^" : "*"}${tail}→${label}\``;
}

function wentTo(view, r, i, candidate) {
  const column = view.payload.runs[r].columns[i];
  if (candidate.into < 0) {
    if (candidate.fate !== 3) return [];
    return [{ key: "gone", sign: "→", plain: null, text: "dropped", name: "lost for good", code: "", light: {} }];
  }
  const verb = candidate.fate === 2 ? "joined" : "merged into";
  return [
    {
      key: "forward",
      sign: "→",
      share: log(column.sums.forward[candidate.into]) - column.sums.whole,
      name: `${verb} \`${candidate.carrier}\`, whose mass this is`,
      code: `forward = post.forward[${variablesOf(view, r)[0]}.find(${i}, ${JSON.stringify(candidate.carrier)})]`,
      light: { rows: [candidate.carrier], candidates: [candidate.name] },
    },
  ];
}

function posteriorTerms(view, r, focus) {
  const run = view.payload.runs[r];
  const column = run.columns[focus.position];
  const place = focus.row ? focus.row.at[r] : -1;
  if (place < 0) return null;
  const { forward, backward, whole } = column.sums;
  const rest = view.payload.T - focus.position;
  const here = `${variablesOf(view, r)[0]}.find(${focus.position}, ${JSON.stringify(focus.name)})`;
  return [
    {
      key: "forward",
      sign: "",
      share: log(forward[place]) - whole,
      name: `forward mass of \`${focus.name}\``,
      code: `forward = post.forward[${here}]`,
      light: { rows: [focus.name], cells: upTo(1, focus.position) },
    },
    {
      key: "backward",
      sign: "×",
      factor: log(backward[place]),
      name: rest ? `backward mass: ${rest === 1 ? "the last label" : `the ${rest} labels to come`}` : "backward mass",
      code: `backward = post.backward[${here}]`,
      light: { cells: upTo(focus.position + 1, view.payload.T) },
    },
    {
      key: "z",
      sign: "÷",
      factor: run.logZ - whole,
      name: "Z over all mass so far",
      code: "log_z = post.log_z",
      light: { readout: "logz" },
    },
    {
      key: "posterior",
      sign: "=",
      share: log(forward[place]) + log(backward[place]) - run.logZ,
      name: `posterior mass of \`${focus.name}\``,
      code: "posterior = np.exp(forward + backward - log_z)",
      light: { rows: [focus.name] },
    },
  ];
}

const AHEAD = { pass: "message of the pass before", queue: "bound on the rest", mass: "what else it was ranked by" };

function rankTerms(view, r, focus) {
  const candidate = focus.candidates[r];
  const column = view.payload.runs[r].columns[focus.position];
  const sums = candidate && column.candidates.sums;
  if (!sums || (!sums.ahead && !sums.joined)) return null;
  const k = candidate.index;
  const { whole } = column.sums;
  const joined = sums.joined ? log(sums.joined[k]) : -Infinity;
  const ahead = sums.ahead ? log(sums.ahead[k]) : 0;
  if (joined === -Infinity && !sums.ahead) return null;
  const light = { candidates: [candidate.name] };
  const mass = log(sums.mass[k]);
  const { by } = view.payload.runs[r].sums;
  const factor = { key: "ahead", sign: "×", factor: ahead, name: AHEAD[by], code: "", light: {} };
  const twins = { key: "joined", sign: "+", share: joined - whole, name: "twins that joined it", code: "", light: {} };
  return [
    { key: "mass", sign: "", share: mass - whole, name: `mass of \`${candidate.name}\``, code: "", light },
    ...(joined === -Infinity ? [] : [twins]),
    ...(sums.ahead ? [factor] : []),
    {
      key: "rank",
      sign: "=",
      share: logSum([mass, joined]) + ahead - whole,
      name: `ranked by: number ${candidate.rank}`,
      code: `${variablesOf(view, r)[1]}.table(${focus.position}).sort_values("rank")`,
      light,
    },
  ];
}

// Sums of a position, in nats.
const ofPosition = {
  logz(view, r, i) {
    const { columns } = view.payload.runs[r];
    const [before, here] = [columns[i - 1], columns[i]];
    const [lattice, trace] = variablesOf(view, r);
    const kept = log(here.logZ) - here.sums.whole;
    const so = (at) => `np.logaddexp.reduce(post.forward[${lattice}.column(${at})])`;
    const end = i === view.payload.T;
    const grown = {
      key: "growth",
      sign: "+",
      plain: here.sums.whole - log(before.logZ),
      name: `log of what all mass grew by at ${i}`,
      code: end ? "" : `grown = ${trace}.log_mass_of(${i}) - before`,
      light: { cells: [i] },
    };
    const left = { key: "left", sign: "+", plain: kept, name: "log of what was carried on", code: "", light: {} };
    return [
      {
        key: "before",
        sign: "",
        plain: log(before.logZ),
        name: `log Z so far, at ${i - 1}`,
        code: "before = " + so(i - 1),
        light: { cells: upTo(1, i - 1) },
      },
      grown,
      ...(Math.abs(kept) > 1e-9 ? [left] : []),
      {
        key: "logz",
        sign: "=",
        plain: log(here.logZ),
        name: end ? "log Z, of all outputs" : "log Z so far",
        code: "log_z = " + so(i),
        light: { readout: "logz" },
      },
    ];
  },
  entropy(view, r, i) {
    const column = view.payload.runs[r].columns[i];
    const all = Math.exp(log(column.logZ) - column.sums.whole);
    const mass = `post.forward[${variablesOf(view, r)[0]}.column(${i})]`;
    const parts = column.forward
      .map((mass, k) => [mass / all, k])
      .filter(([p]) => p > 0)
      .sort((a, b) => b[0] - a[0]);
    const rows = view.memory.rows(i);
    const nameOf = (k) => rows.find((row) => row.at[r] === k)?.name || "*";
    const told = parts.slice(0, LARGEST).map(([p, k], n) => ({
      key: "part" + n,
      sign: n ? "+" : "",
      plain: -p * Math.log(p),
      name: `\`${nameOf(k)}\`: p log 1/p, p = ${p.toFixed(3).replace(/^0/, "")}`,
      code: n ? "" : `p = np.exp(${mass} - np.logaddexp.reduce(${mass}))`,
      light: { rows: [nameOf(k)] },
    }));
    const rest = (column.entropy || 0) - told.reduce((sum, term) => sum + term.plain, 0);
    const others = column.total - told.length;
    const name = `${countText(others)} other contexts`;
    const more = { key: "rest", sign: "+", plain: Math.max(0, rest), name, code: "", light: {} };
    const light = { readout: "entropy" };
    return [
      ...told,
      ...(others > 0 ? [more] : []),
      {
        key: "entropy",
        sign: "=",
        plain: column.entropy || 0,
        name: "entropy, nats",
        code: "entropy = -np.sum(p[p > 0] * np.log(p[p > 0]))",
        light,
      },
    ];
  },
  confidence(view, r) {
    const run = view.payload.runs[r];
    const score = Math.log(run.path.p) + run.logZ;
    return [
      {
        key: "score",
        sign: "",
        factor: score,
        name: "weight of the best output",
        code: `path = rv.viterbi(${variablesOf(view, r)[0]})`,
        light: { cells: upTo(1, view.payload.T) },
      },
      {
        key: "z",
        sign: "÷",
        factor: run.logZ,
        name: "Z, of all outputs",
        code: "log_z = post.log_z",
        light: { readout: "logz" },
      },
      {
        key: "confidence",
        sign: "=",
        share: Math.log(run.path.p),
        name: "confidence",
        code: "confidence = np.exp(path.log_score - log_z)",
        light: { readout: "confidence" },
      },
    ];
  },
};

// The lines before those of the terms: what they name.
export function firstLines(view, r, focus, kind) {
  const [lattice] = variablesOf(view, r);
  const lines = ["import numpy as np", `post = rv.posterior(${lattice})`];
  const candidate = kind === "mass" && focus.candidates[r];
  const sums = candidate && view.payload.runs[r].columns[focus.position].candidates.sums;
  if (sums) {
    const y = sums.y ? sums.y[candidate.index] : candidate.labels[candidate.labels.length - 1];
    const label = view.payload.labels[candidate.labels[candidate.labels.length - 1]];
    const from = JSON.stringify(candidate.from);
    lines.push(`c, y = ${lattice}.find(${focus.position - 1}, ${from}), ${y}  # ${label}`);
  }
  return lines;
}
