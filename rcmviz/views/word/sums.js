// The sums behind the numbers, as data: the sums of the highlighted node, and the terms of each. All that is in
// them are logs from the payload; shares are logs less that of the whole position.

import { codeOf } from "./sum_terms.js";
import { rankTerms } from "./sums_of_candidate.js";
import { massTerms, posteriorTerms } from "./sums_of_context.js";
import { confidenceTerms, entropyTerms, logZTerms } from "./sums_of_position.js";

const OF_FOCUS = { mass: massTerms, posterior: posteriorTerms, rank: rankTerms };
const OF_POSITION = { logz: logZTerms, entropy: entropyTerms, confidence: confidenceTerms };

// The kinds of sums of the highlighted node, [kind, title], the usual one first.
export function kindsOf(view, focus) {
  const whole = view.hidesFuture() ? [] : [["confidence", "confidence"]];
  if (!focus) return [["logz", "log Z"], ["entropy", "entropy"], ...whole];
  const known = focus.rows[focus.run] && !view.hidesFuture();
  const posterior = known ? [["posterior", "posterior"]] : [];
  const rank = rankTerms(view, focus.run, focus) ? [["rank", "rank"]] : [];
  return [["mass", "mass"], ...posterior, ...rank];
}

// The terms of a sum, none for an empty sum.
export function termsOfSum(view, r, focus, kind) {
  const terms = focus ? OF_FOCUS[kind]?.(view, r, focus) : OF_POSITION[kind]?.(view, r, view.position);
  return terms || [];
}

// The lines before those of the terms: what they name.
export function firstLines(view, r, focus, kind) {
  const code = codeOf(view, r);
  const lines = ["import numpy as np", `post = rv.posterior(${code.lattice})`];
  const candidate = kind === "mass" && focus.candidates[r];
  const sums = candidate && view.payload.runs[r].columns[focus.position].candidates.sums;
  if (sums) {
    const label = candidate.labels.at(-1);
    const y = sums.y ? sums.y[candidate.index] : label;
    lines.push(`c, y = ${code.parent(focus.position, candidate)}, ${y}  # ${view.payload.labels[label]}`);
  }
  return lines;
}
