// A card for each method: its answer, its claim, the truth.

import { html, setContent } from "../shared/dom.js";
import { lookOf } from "../shared/methods.js";
import { countText, durationText, massText, numberText } from "../shared/numbers.js";

// The known truth: the best words, the best log p, and log Z, exactly or between two bounds.
export function truthOf(methods) {
  const answered = methods.filter((method) => method.words);
  const best = answered.reduce((a, b) => (b.logScore > a.logScore + 1e-4 ? b : a));
  const exact = methods.find((method) => method.kind === "exact" && method.words);
  const ars = methods.find((method) => method.kind === "ars");
  const below = methods.filter((method) => method.logZIs === "a lower bound").map((method) => method.logZ);
  const bounds = exact ? [exact.logZ, exact.logZ] : [Math.max(ars.bounds[0], ...below), ars.bounds[1]];
  return { best, bounds, proved: ars.proved || Boolean(exact) };
}

export function makeCards(view) {
  const cards = view.payload.methods.map((method) => raceCard(view, method));
  return { node: html("div", { class: "rv-stage rv-cards" }, cards), layout() {}, paint() {}, highlight() {} };
}

function raceCard(view, method) {
  const [className, mark] = lookOf(method.kind);
  const head = html(
    "div",
    { class: "rv-card-head" },
    html("b", { class: "rv-method" }, `${mark} ${method.name}`),
    method.words ? html("span", { class: "rv-dim" }, durationText(method.milliseconds / 1000)) : null,
  );
  const node = html("section", {
    class: `rv-panel rv-card ${className}`,
    "aria-label": method.name,
    "data-kind": method.kind,
  });
  if (!method.words) return setContent(node, head, html("p", {}, method.refused));
  const words = html(
    "p",
    { class: "rv-card-words" },
    method.words.map((word, i) =>
      html("span", { class: word === view.truth.best.words[i] ? "" : "rv-wrong-letter" }, `${word} `),
    ),
  );
  const facts = factsOf(view, method).map(([term, value]) =>
    html("div", {}, html("dt", {}, term), html("dd", {}, value)),
  );
  return setContent(
    node,
    head,
    words,
    html("p", { class: "rv-dim" }, raceSentence(view, method)),
    html("dl", { class: "rv-card-facts" }, facts),
  );
}

function shareText(low, high) {
  const [a, b] = [massText(low), massText(Math.min(1, high))];
  return a === b ? a : `${a} – ${b}`;
}

function factsOf({ truth }, method) {
  const share = ([low, high]) => shareText(Math.exp(method.logScore - high), Math.exp(method.logScore - low));
  const behind = truth.best.logScore - method.logScore;
  const logZ =
    method.kind === "ars"
      ? `${numberText(method.bounds[0])} … ${numberText(method.bounds[1])}`
      : numberText(method.logZ);
  return [
    ["log p", numberText(method.logScore)],
    ["behind the best", behind < 1e-4 ? "–" : `${numberText(behind)} nats`],
    ["its confidence", method.kind === "ars" ? share(method.bounds) : massText(method.own)],
    ["in truth", share(truth.bounds)],
    [method.logZIs === "of another model" ? "log Z, its own" : "log Z", logZ],
    [method.kind === "ars" ? "states" : "contexts", countText(method.contexts)],
    ["arcs", (method.kind === "ars" ? "about " : "") + countText(method.arcs)],
  ];
}

function raceSentence({ truth }, method) {
  const found = truth.best.logScore - method.logScore < 1e-4;
  if (method.kind === "ars") {
    if (method.proved) return `Proved in ${countText(method.rounds)} rounds: no sequence has a higher log p.`;
    return `Not proved yet: at most ${numberText(method.gap)} nats below the best there is.`;
  }
  if (method.kind === "exact") return "Keeps every context, so its answer is exact.";
  const whether = found
    ? truth.proved
      ? "Finds the best sequence, without a proof."
      : "Finds the best sequence known."
    : "Misses the best sequence.";
  return method.logZIs === "a lower bound"
    ? `${whether} Its log Z is a lower bound.`
    : `${whether} Its log Z belongs to another model: no bound.`;
}
