// Learning: the bounds and the exact value of a field in training, n-gram models as levels to compare with, and the
// pairs of words that the model does not explain yet. The position is a recorded state; a run in progress is followed.

import { makePairs } from "./pairs.js";
import { ticksOf } from "../shared/chart.js";
import { html, setAttributes } from "../shared/dom.js";
import { fileName, makeExportBar } from "../shared/export_bar.js";
import { lookOf, seriesLook } from "../shared/methods.js";
import { makeMultiples } from "../shared/multiples.js";
import { countText, numberText } from "../shared/numbers.js";
import { makeSentences } from "../shared/parts.js";
import { makeStepper } from "../shared/transport.js";

const TITLE_HELP =
  "log-likelihood per token: the log of the probability of the text, divided by its tokens, separators counted.";
const SIZE = { height: 300, top: 32, bottom: 26, left: 46, right: 128, gap: 14, ticks: 5 };
const CURVES = [
  ["exact", lookOf("exact"), "exact, held out"],
  ["held_bound", seriesLook(0), "bound, held out"],
  ["bound", seriesLook(1), "bound, learnt from"],
];
const LINES = [seriesLook(2), seriesLook(3)];

const stepAt = (view) => view.payload.frames[view.position - 1].step;

function open(view, before) {
  const { payload } = view;
  const same = before?.kind === payload.kind && before.run === payload.run;
  const followed = !same || view.position === view.last;
  view.last = payload.frames.length;
  if (!same) view.position = Math.min(payload.step ?? view.last, view.last);
  else if (followed && !view.playing) view.position = view.last;
  view.position = Math.min(view.position, view.last);
}

// A curve's value at a step: the latest that is known by then.
function valueAt(view, curve, step) {
  const { step: steps, [curve]: values } = view.payload.points;
  const k = steps.findLastIndex((at, n) => at <= step && values[n] !== null);
  return k < 0 ? null : values[k];
}

function makeChart(view) {
  const multiples = makeMultiples(SIZE, "bounds and the exact value while it learns");
  const { node, drawing } = multiples;
  drawing.addEventListener("click", (event) => {
    const place = multiples.placeUnder(event);
    if (place === null) return;
    const steps = view.payload.frames.map((frame) => Math.abs(frame.step - place));
    view.go(1 + steps.indexOf(Math.min(...steps)));
  });

  function layout() {
    const { points, lines, frames } = view.payload;
    const last = Math.max(frames.at(-1).step, 2);
    const curves = CURVES.map(([curve, [className, , dash]]) => ({
      className,
      dash,
      points: points.step.map((step, k) => [step, points[curve][k]]).filter(([, value]) => value !== null),
    }));
    const levels = lines.map(([, value], k) => ({
      className: LINES[k][0],
      dash: LINES[k][2],
      points: points.step.map((step) => [step, value]),
    }));
    const named = { title: "log-likelihood per token", unit: "nats", is: TITLE_HELP };
    const chart = { ...named, curves: [...curves, ...levels], between: true };
    multiples.layout((node.clientWidth || view.width) - 18, 1, [chart], {
      domain: [points.step[0], last],
      noun: "steps",
      ticks: (scale) => ticksOf(scale, 6),
      text: countText,
    });
    setAttributes(drawing, {
      "aria-label":
        `After ${last} steps the held-out bound is ${numberText(points.held_bound.at(-1))} nats per token, ` +
        `the exact value ${numberText(valueAt(view, "exact", last))}.`,
    });
  }

  function paint() {
    const step = stepAt(view);
    multiples.cross(step, ({ curves }) =>
      curves
        .map((curve, k) => {
          const of = k < CURVES.length;
          const value = of ? valueAt(view, CURVES[k][0], step) : view.payload.lines[k - CURVES.length][1];
          if (value === null) return null;
          const name = of ? shortName(k) : levelName(view, k - CURVES.length);
          return [curve, [step, value], `${name} ${numberText(value)}`];
        })
        .filter(Boolean),
    );
  }

  return { node, drawing, layout, paint, highlight() {} };
}

const shortName = (k) => `${CURVES[k][1][1]} ${CURVES[k][2].split(",")[0]}${k === 2 ? ", train" : ""}`;
const levelName = (view, k) => `${LINES[k][1]} ${view.payload.lines[k][0]}`;

function describeStep(view) {
  const { lines, frames } = view.payload;
  const step = stepAt(view);
  const [exact, bound] = ["exact", "held_bound"].map((curve) => valueAt(view, curve, step));
  const said = [html("p", { class: "rv-detail-title" }, `After ${step} of ${frames.at(-1).step} steps`)];
  if (exact === null) return said;
  const beaten = lines.filter(([, value]) => exact > value).map(([name]) => name);
  const place = beaten.length
    ? `above the ${beaten.join(" and the ")}`
    : `below the ${lines.map(([name]) => name).join(" and the ")}`;
  said.push(
    html(
      "p",
      {},
      `The held-out text has ${numberText(exact)} nats per token exactly, ${place}; learning sees only the bound, ` +
        `${numberText(bound)}: the band between them is the gap of the bound.`,
    ),
    html("p", {}, "The map shows the pairs that occur more (+) or less (−) often in the text than in the model."),
  );
  return said;
}

function build(view) {
  const chart = makeChart(view);
  const pairs = makePairs(view);
  const sentences = makeSentences("learnt so far", () => describeStep(view));
  const transport = makeStepper(view, "state", () => view.last);
  const tools = makeExportBar(view, {
    file: () => fileName("field-learning", view.payload.title),
    link: { title: "a link to this state" },
    tables: [{ rows: () => tableOf(view), title: "the curves, step by step" }],
    picture: { title: "the curves and the map of pairs", drawings: () => [chart.drawing, ...pairs.drawings] },
    steps: "state",
    keys: [["S E X", "start or pause the training, one step, cancel"]],
    signs: [
      ...CURVES.map(([, [, mark], name]) => [mark, name]),
      ...LINES.map(([, mark], k) => [mark, `${view.payload.lines[k][0]} of the same text`]),
      ["+ −", "more or less often in the text than in the model"],
    ],
  });
  view.figures = [[chart.node, sentences.node], [pairs.node]];
  const stage = html("div", { class: "rv-stage rv-mrf-pair rv-learning-stage" }, chart.node, pairs.node);
  view.root.replaceChildren(transport.node, stage, sentences.node, tools.node);
  return { chart, pairs, sentences, transport, tools };
}

function tableOf({ payload: { points, lines } }) {
  const head = ["step", ...CURVES.map(([curve]) => curve), ...lines.map(([name]) => name)];
  const rows = points.step.map((step, k) => [
    step,
    ...CURVES.map(([curve]) => points[curve][k] ?? ""),
    ...lines.map(([, value]) => value),
  ]);
  return [head, ...rows];
}

export const learning = {
  pace: 220,
  open,
  build,
  // An update with the same words only repaints.
  keeps: (payload, { words }) => JSON.stringify(payload.words) === JSON.stringify(words),
  place: (view) => ({ step: view.position === view.last ? null : view.position }),
  marks: (view) => ({ "data-status": view.payload.status }),
  keys: () => ({}),
};
