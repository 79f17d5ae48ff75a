// Lifting: the ring of a text, the star it folds into, the messages of the star, and its bound as it is tightened. The
// position is the step of the tightening; `fold` runs from 0, the ring, to 1, the star.

import { makeFold } from "./fold.js";
import { makeMessages } from "./messages.js";
import { html, setAttributes } from "../shared/dom.js";
import { fileName, makeExportBar } from "../shared/export_bar.js";
import { lookOf, seriesLook } from "../shared/methods.js";
import { makeMultiples } from "../shared/multiples.js";
import { numberText } from "../shared/numbers.js";
import { makeSentences } from "../shared/parts.js";
import { makeStepper } from "../shared/transport.js";

const TITLE_HELP =
  "log Z per token: the log of the mass of all texts of this length, divided by the tokens of the ring.";
const HALF_WAY = 0.45; // of the fold: both the ring and the stars are recognizable
const SIZE = { height: 268, top: 32, bottom: 26, left: 46, right: 112, gap: 14, ticks: 4 };

const stepOf = (view) => view.payload.steps[view.position - 1];
const separators = (view) => view.payload.ring.filter((word) => word === 0).length;

function open(view, before) {
  const { payload } = view;
  view.last = payload.steps.length;
  view.position = Math.min(payload.step ?? view.last, view.last);
  const isNew = before?.kind !== payload.kind;
  view.fold = payload.fold ?? (isNew ? HALF_WAY : view.fold);
}

const LOOKS = [seriesLook(0), lookOf("exact"), seriesLook(1)]; // of the bound, the exact value, the bound by chains

function makeChart(view) {
  const multiples = makeMultiples(SIZE, "the bound as it is tightened");
  const { node, drawing } = multiples;
  drawing.addEventListener("click", (event) => {
    const place = multiples.placeUnder(event);
    if (place !== null) view.go(Math.round(place) + 1);
  });
  const level = (value, className, dash) => ({ className, dash, points: view.payload.steps.map((_, k) => [k, value]) });

  function layout() {
    const { steps, exact, chain, order } = view.payload;
    const bound = { className: LOOKS[0][0], points: steps.map((step, k) => [k, step.bound]) };
    const truth = level(exact, LOOKS[1][0], LOOKS[1][2]);
    const curves = order > 1 ? [bound, truth, level(chain, LOOKS[2][0], LOOKS[2][2])] : [bound, truth];
    const highest = steps[0].bound;
    const low = exact - 0.12 * (highest - exact);
    const named = { title: "log Z per token", unit: "nats", is: TITLE_HELP };
    const chart = { ...named, curves, low, least: highest + 0.06 * (highest - exact) };
    multiples.layout(node.clientWidth - 18 || view.width - 18, 1, [{ ...chart, between: true }], {
      domain: [0, Math.max(1, view.last - 1)],
      noun: "steps",
      ticks: (scale) => scale.ticks(Math.min(view.last - 1, 6)).filter(Number.isInteger),
      text: String,
    });
    setAttributes(drawing, {
      "aria-label":
        `The star bound falls from ${numberText(steps[0].bound, 3)} to ${numberText(steps.at(-1).bound, 3)} nats per ` +
        `token in ${view.last - 1} steps; the exact value is ${numberText(exact, 3)}.`,
    });
  }

  function paint() {
    const step = view.position - 1;
    const names = ["bound", "exact", "chains"].map((name, k) => `${LOOKS[k][1]} ${name}`);
    multiples.cross(step, ({ curves }) =>
      curves.map((curve, k) => {
        const value = k ? curve.points[0][1] : stepOf(view).bound;
        return [curve, [step, value], `${names[k]} ${numberText(value, 3)}`];
      }),
    );
  }

  return { node, drawing, layout, paint, highlight() {} };
}

function explain(view) {
  const { ring, order, words, exact, steps } = view.payload;
  const n = ring.length;
  const step = stepOf(view);
  const title = (text) => html("p", { class: "rv-detail-title" }, text);
  const ties = order === 1 ? "next" : `next ${order}`;
  const folded =
    view.fold < 0.02
      ? `The text as a ring of ${n} tokens: each is tied to the ${ties}, the last to the first; ` +
        `${separators(view)} of the tokens are separators.`
      : view.fold < 0.98
        ? `Every token takes its ${order} ${order === 1 ? "edge" : "edges"} to the right along: ${n} stars with the ` +
          `same potentials. A token is in ${order + 1} of them, so each counts 1/${order + 1}.`
        : `All ${n} stars are alike, so they lie on top of each other: one star of ${order + 1} nodes, whatever the ` +
          `length of the text.`;
  const gap = step.bound - exact;
  const said =
    view.position === 1
      ? "No messages yet: centre and leaves have different marginals."
      : `Messages δ move score from the centre to the leaves until both agree how often each of the ${words.length} ` +
        `words occurs: ${numberText(gap, 3)} nats per token above the exact value.`;
  const lowest = numberText(steps.at(-1).bound, 3);
  const last = view.position === view.last ? ` No message brings it lower than ${lowest}.` : "";
  const done = view.position - 1;
  const heading = done ? `After ${done} ${done === 1 ? "step" : "steps"} of the tightening` : "Before any message";
  return [title(heading), html("p", {}, folded), html("p", {}, said + last)];
}

function build(view) {
  const fold = makeFold(view);
  const chart = makeChart(view);
  const messages = makeMessages(view, stepOf);
  const sentences = makeSentences("explanation", () => explain(view));
  const transport = makeStepper(view, "state", () => view.last);
  const tools = makeExportBar(view, {
    file: () => fileName("field-lifting", view.payload.title),
    link: { title: "a link to this step and fold" },
    tables: [{ rows: () => tableOf(view), title: "bound, messages and marginals of every step" }],
    picture: { title: "ring or star, and the bound", drawings: () => [fold.drawing, chart.drawing] },
    steps: "state",
    keys: [["f", "fold the ring, or unfold the star"]],
    signs: [
      [LOOKS[0][1], "star bound: log Z is never above it"],
      [LOOKS[1][1], "exact log Z of the ring"],
      [LOOKS[2][1], "the tighter bound by K chains"],
      ["δ", "score of a word that a message moves from the centre to the leaf"],
      ["μ", "probability that a node is the word: centre above, leaf below"],
    ],
  });
  view.figures = [[fold.node], [chart.node, sentences.node], [messages.node, sentences.node]];
  view.root.replaceChildren(
    transport.node,
    html(
      "div",
      { class: "rv-stage rv-mrf-pair" },
      fold.node,
      html("div", { class: "rv-mrf-column" }, chart.node, sentences.node),
    ),
    messages.node,
    tools.node,
  );
  return { fold, chart, sentences, transport, messages, tools };
}

function tableOf({ payload }) {
  const { words, order, steps } = payload;
  const arms = Array.from({ length: order }, (_, l) => l);
  const head = ["step", "bound", "word", "centre", ...arms.flatMap((l) => [`leaf ${l + 1}`, `delta ${l + 1}`])];
  return [
    head,
    ...steps.flatMap(({ bound, delta, nodes }, t) =>
      words.map((word, w) => [t, bound, word, nodes[0][w], ...arms.flatMap((l) => [nodes[l + 1][w], delta[l][w]])]),
    ),
  ];
}

export const lifting = {
  pace: 600,
  open,
  build,
  place: (view) => ({
    step: view.position === view.last ? null : view.position,
    fold: view.fold === HALF_WAY ? null : String(Number(view.fold.toFixed(2))),
  }),
  marks: (view) => ({ "data-fold": view.fold.toFixed(2) }),
  keys: (view) => ({ f: () => view.parts.fold.flip() }),
};
