// The sums of a position, in nats: log Z so far and the entropy; and of the whole, the confidence.

import { countText } from "../shared/numbers.js";
import { codeOf, factor, logOf, plainTerm, share, rangeOf } from "./sum_terms.js";

const LARGEST = 3; // parts of an entropy that are named

// log Z before + growth + the log of what was carried on = log Z so far.
export function logZTerms(view, r, i) {
  const { columns } = view.payload.runs[r];
  const { whole } = columns[i].sums;
  const [before, here] = [logOf(columns[i - 1].logZ), logOf(columns[i].logZ)];
  const code = codeOf(view, r);
  const codeSoFar = (at) => `np.logaddexp.reduce(post.forward[${code.column(at)}])`;
  const atEnd = i === view.payload.T;
  const carried = here - whole;
  return [
    plainTerm("before", "", before, {
      name: `log Z so far, at ${i - 1}`,
      code: `before = ${codeSoFar(i - 1)}`,
      light: { cells: rangeOf(1, i - 1) },
    }),
    plainTerm("growth", "+", whole - before, {
      name: `log of what all mass grew by at ${i}`,
      code: atEnd ? "" : `grown = ${code.allMass(i)} - before`,
      light: { cells: [i] },
    }),
    ...(Math.abs(carried) > 1e-9 ? [plainTerm("left", "+", carried, { name: "log of what was carried on" })] : []),
    plainTerm("logz", "=", here, {
      name: atEnd ? "log Z, of all outputs" : "log Z so far",
      code: `log_z = ${codeSoFar(i)}`,
      light: { readout: "logz" },
    }),
  ];
}

// The sum of p log 1/p over the contexts, the largest parts by name.
export function entropyTerms(view, r, i) {
  const column = view.payload.runs[r].columns[i];
  const entropy = column.entropy || 0;
  const nameOf = (k) => view.memory.rows(r, i)[k].name;
  const mass = `post.forward[${codeOf(view, r).column(i)}]`;
  const named = largestShares(column).map(([p, k], n) =>
    plainTerm("part" + n, n ? "+" : "", -p * Math.log(p), {
      name: `\`${nameOf(k)}\`: p log 1/p, p = ${p.toFixed(3).replace(/^0/, "")}`,
      code: n ? "" : `p = np.exp(${mass} - np.logaddexp.reduce(${mass}))`,
      light: { rows: [nameOf(k)] },
    }),
  );
  const others = column.total - named.length;
  const rest = Math.max(0, entropy - named.reduce((sum, term) => sum + term.plain, 0));
  return [
    ...named,
    ...(others > 0 ? [plainTerm("rest", "+", rest, { name: `${countText(others)} other contexts` })] : []),
    plainTerm("entropy", "=", entropy, {
      name: "entropy, nats",
      code: "entropy = -np.sum(p[p > 0] * np.log(p[p > 0]))",
      light: { readout: "entropy" },
    }),
  ];
}

// [share of the carried mass, number of the context in its column]
function largestShares(column) {
  const all = Math.exp(logOf(column.logZ) - column.sums.whole);
  return column.forward
    .map((mass, k) => [mass / all, k])
    .filter(([p]) => p > 0)
    .sort((a, b) => b[0] - a[0])
    .slice(0, LARGEST);
}

// Weight of the best output ÷ Z.
export function confidenceTerms(view, r) {
  const { path, logZ } = view.payload.runs[r];
  const confidence = Math.log(path.p);
  return [
    factor("score", "", confidence + logZ, {
      name: "weight of the best output",
      code: `path = rv.viterbi(${codeOf(view, r).lattice})`,
      light: { cells: rangeOf(1, view.payload.T) },
    }),
    factor("z", "÷", logZ, { name: "Z, of all outputs", code: "log_z = post.log_z", light: { readout: "logz" } }),
    share("confidence", "=", confidence, {
      name: "confidence",
      code: "confidence = np.exp(path.log_score - log_z)",
      light: { readout: "confidence" },
    }),
  ];
}
