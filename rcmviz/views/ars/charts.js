// How the bound closes, over all rounds: certificate or acceptance, log Z between its bounds, the size of q.

import { dragged, shortCount, ticksOf } from "../shared/chart.js";
import { setAttributes, svg } from "../shared/dom.js";
import { makeMultiples } from "../shared/multiples.js";
import { countText, natsText, wholePercentText } from "../shared/numbers.js";
import { NARROW } from "../shared/view.js";
import { isCertificate, roundWord } from "./sentences.js";

const SIZE = { height: 208, top: 30, bottom: 26, left: 50, right: 108, gap: 10, ticks: 4 };

const CERTIFICATE = {
  title: "q falls, p is found",
  unit: "log score of a round's path, nats",
  text: natsText,
  curves: [
    { name: "log q", kind: "upper", value: (view, r) => view.payload.rounds.logQ[r] },
    { name: "log p", kind: "found", value: (view, r) => view.memory.logP(r) },
    {
      name: "best p",
      kind: "lower",
      stepped: true,
      value: (view, r) => view.payload.sequences.logP[view.memory.best(r)] ?? null,
    },
  ],
};
const ACCEPTANCE = {
  title: "acceptance",
  unit: "share of trials",
  text: wholePercentText,
  share: true,
  low: 0,
  least: 0.1,
  curves: [
    { name: "last 100", kind: "lower", value: (view, r) => view.memory.acceptance100(r) },
    { name: "so far", kind: "found", value: (view, r) => view.memory.acceptance(r) },
  ],
};
const SANDWICH = {
  title: "log Z",
  unit: "between the mass found and the mass of q",
  text: natsText,
  between: true,
  curves: [
    { name: "upper", kind: "upper", value: (view, r) => view.payload.rounds.upper[r] },
    { name: "lower", kind: "lower", stepped: true, value: (view, r) => view.payload.rounds.lower[r] },
  ],
};
const ESTIMATE = { name: "estimate", kind: "found", value: (view, r) => view.memory.estimate(r) };

function chartsOf(view) {
  const { mode, rounds } = view.payload;
  const grams = rounds.ngrams.map((counts, k) => ({
    name: `${k + 1}-grams`,
    kind: `order rv-order-${Math.min(k, 4)}`,
    value: (_, r) => counts[r] || null,
  }));
  const size = {
    title: "size of q",
    is: "size of q: its number of states, and of n-grams with their exact weight.",
    unit: "states and weighted n-grams",
    text: (value) => shortCount(Math.round(value)),
    log: true,
    curves: [{ name: "states", kind: "lower", value: (_, r) => rounds.states[r] }, ...grams],
  };
  return mode === "decode"
    ? [CERTIFICATE, SANDWICH, size]
    : [ACCEPTANCE, { ...SANDWICH, curves: [...SANDWICH.curves, ESTIMATE] }, size];
}

// Press or drag in a chart: the round under the pointer.
export function makeCharts(view) {
  const multiples = makeMultiples(SIZE, "curves over the rounds");
  const { node, drawing } = multiples;
  let charts = [];
  dragged(drawing, (point) => {
    const round = multiples.placeAt(point);
    if (round !== null) view.go(Math.round(round));
  });

  function layout() {
    const columns = view.width < NARROW ? 1 : view.width < 900 ? 2 : 3;
    charts = chartsOf(view).map((chart) => addPoints(view, chart, view.width / columns));
    multiples.layout(view.width - 18, columns, charts, acrossOf(view.memory));
  }

  function paint() {
    multiples.cross(view.position, (chart) => readingsNow(view, chart), proofOf(view));
    setAttributes(drawing, { "aria-label": chartsInWords(view, charts) });
  }

  return { node, drawing, layout, paint, highlight() {} };
}

function acrossOf({ R }) {
  return {
    domain: [1, R],
    ticks: (scale) => (R > 1 ? ticksOf(scale, 4).filter(Number.isInteger) : [1]),
    text: countText,
  };
}

// With more rounds than pixels, one round per pixel is drawn, and always the last round.
function addPoints(view, chart, width) {
  const { R } = view.memory;
  const every = Math.max(1, Math.floor(R / (2 * (width - SIZE.left - SIZE.right))));
  const curves = chart.curves.map((curve) => {
    const values = Array.from({ length: R }, (_, r) => curve.value(view, r));
    const points = values.map((value, r) => [r + 1, value]);
    const drawn = points.filter(([, value], r) => value !== null && (r % every === 0 || r === R - 1));
    return { ...curve, className: `rv-c-${curve.kind}`, values, points: drawn };
  });
  return { ...chart, curves };
}

function readingsNow(view, { curves, text }) {
  return curves
    .map((curve) => [curve, curve.values[view.now]])
    .filter(([, value]) => value !== null)
    .map(([curve, value]) => [curve, [view.position, value], `${curve.name} ${text(value)}`]);
}

// The note in the certificate's chart that the best sequence is proved.
function proofOf(view) {
  if (!isCertificate(view, view.now)) return () => null;
  return ({ chart, plot }, x) => {
    if (chart.title !== CERTIFICATE.title) return null;
    const text = `proved optimal at round ${countText(view.position)}`;
    return svg("text", { class: "rv-proof rv-halo", x: x - 6, y: plot.top + 10, "text-anchor": "end" }, text);
  };
}

function chartsInWords(view, charts) {
  const sentences = charts.map((chart) => {
    return `${chart.title}: ${readingsNow(view, chart)
      .map(([, , text]) => text)
      .join(", ")}`;
  });
  return `${roundWord(view)} ${view.position}. ${sentences.join("; ")}`;
}
