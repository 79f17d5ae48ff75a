// The what-if edits that are offered for a context or a label of a position: [text of a button, message to Python,
// title].

import { cutName } from "../shared/names.js";

const ON_BUTTON = 18; // characters of a name on a button, whose title has all of it

const budgetStep = (budget) => (budget < 10 ? 1 : budget < 50 ? 5 : 25);

// Pins and forbids a context, by the names of the labels that it remembers.
export function contextEdits(name, what) {
  const cut = cutName(name, ON_BUTTON);
  return [
    [`pin ${cut}`, { op: "pin", what }, "keep this context whatever its mass"],
    [`forbid ${cut}`, { op: "forbid", what }, "merge or drop this context whatever its mass"],
  ];
}

// Pins and forbids a label; `term` is what labels are called.
export function labelEdits(term, label, position) {
  const short = cutName(label, ON_BUTTON);
  return [
    [`${term} = ${short}`, { op: "pin", what: label }, `only ${label} at position ${position}`],
    [`${term} ≠ ${short}`, { op: "forbid", what: label }, `never ${label} at position ${position}`],
  ];
}

// A smaller and a larger budget of one position; none if there is none.
export function budgetEdits(budget) {
  if (!budget) return [];
  const step = budgetStep(budget);
  return [
    ["budget −", { op: "budget", what: Math.max(1, budget - step) }, "a smaller budget at this position"],
    ["budget +", { op: "budget", what: budget + step }, "a larger budget at this position"],
  ];
}
