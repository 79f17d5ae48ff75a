// The meaning of the slider, a method's value at a threshold, and its link.

import { ninesText } from "../shared/numbers.js";

export function ceilingOf(method) {
  const [answered, right] = [method.answered[method.ceiling], method.right[method.ceiling]];
  return { answered, wrong: answered - right, precision: right / answered };
}

export function spokenCounts(view) {
  const said = view.methods.map((method, m) => {
    const { answered, wrong, precision } = view.standings[m];
    return (
      `${method.name} answers ${answered} of ${view.N}, ${wrong} wrong` +
      (precision === null ? "" : `, precision ${ninesText(precision)}`)
    );
  });
  return said.join("; ");
}

export const TARGET = 0.99;

// The meanings of the slider: a scale from its integers to a value and back, and the value's cut of a method's answers.
export const RULES = {
  precision: {
    label: "precision at least",
    steps: (view) => Math.round((1 - view.low) * 1000),
    value: (step, view) => view.low + step / 1000,
    step: (value, view) => Math.round((value - view.low) * 1000),
    cut: (method, value) => method.answered.findLastIndex((answered, k) => method.right[k] >= value * answered - 1e-9),
  },
  confidence: {
    label: "confidence at least",
    steps: (view) => 100 * view.nines,
    value: (step) => 1 - 10 ** (-step / 100), // confidences crowd near 1: each further nine takes 100 steps
    step: (value) => Math.round(-100 * Math.log10(Math.max(1e-9, 1 - value))),
    cut: (method, value) => method.threshold.findLastIndex((threshold) => threshold >= value),
  },
  share: {
    label: "the surest",
    steps: (view) => view.N,
    value: (step, view) => step / view.N,
    step: (value, view) => Math.round(value * view.N),
    cut: (method, value) =>
      value <= 0 ? -1 : method.answered.findIndex((answered) => answered >= value * method.order.length - 1e-9),
  },
};

export const OPENING = {
  by: "precision",
  at: null,
  focus: 0,
  curve: "precision",
  band: false,
  bins: "mass",
  sort: "surest",
};

// The counts of a method at the current threshold.
export function countAnswers(view, method) {
  const cut = RULES[view.place.by].cut(method, view.place.at);
  const answered = cut < 0 ? 0 : method.answered[cut];
  const right = cut < 0 ? 0 : method.right[cut];
  const all = method.right[method.right.length - 1];
  return {
    cut,
    answered,
    right,
    wrong: answered - right,
    refused: view.N - answered,
    refusedRight: all - right,
    share: answered / view.N,
    precision: answered ? right / answered : null,
    threshold: cut < 0 ? null : method.threshold[cut],
  };
}

export function linkTo(view) {
  const link = new URL(window.location.href);
  for (const [name, usual] of Object.entries(OPENING)) {
    const value = view.place[name];
    if (value === usual && name !== "by" && name !== "at") link.searchParams.delete(name);
    // not rounded, or the word at the threshold would be refused
    else link.searchParams.set(name, typeof value === "boolean" ? Number(value) : value);
  }
  return link.href;
}
