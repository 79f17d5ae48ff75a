// How methods learn, as curves over their steps; the numbers next to a chart are those under the crosshair.

import { shortCount, ticksOf } from "../shared/chart.js";
import { setAttributes } from "../shared/dom.js";
import { makeMultiples } from "../shared/multiples.js";
import { countText } from "../shared/numbers.js";
import { sizeClass } from "../shared/view.js";
import { lastStep, nearest } from "./checkpoints.js";
import { hideRightOf } from "./replay.js";

const SIZE = { height: 140, top: 30, bottom: 24, left: 46, right: 76, gap: 14, ticks: 3 };
const TICK = 48; // pixels from one tick to the next, at least

// `charts` are the curves of a method's points to draw, `noun` is the unit of their steps, `note` a remark on them.
export function makeCurves(view, charts, noun, note = null) {
  const multiples = makeMultiples(SIZE, "learning curves", note);
  const { node, drawing } = multiples;
  const stepUnder = (event) => {
    const place = multiples.placeUnder(event);
    return place === null || !view.steps.length ? null : Math.round(place);
  };
  drawing.addEventListener("pointermove", (event) => view.hover(stepUnder(event)));
  drawing.addEventListener("pointerleave", () => view.hover(null));
  drawing.addEventListener("click", (event) => {
    const step = stepUnder(event);
    if (step !== null) view.choose(nearest(view.steps, step));
  });

  function layout() {
    const columns = Math.min(charts.length, { wide: 3, medium: 2, narrow: 1 }[sizeClass(view.width)]);
    const drawn = charts.map((chart) => ({ ...chart, curves: view.methods.map((method) => curveOf(method, chart)) }));
    multiples.layout(view.width - 18, columns, drawn, acrossOf(view, noun));
    setAttributes(drawing, { "aria-label": curvesInWords(view, charts, noun) });
  }

  function paint() {
    const step = view.hovered ?? view.shown() ?? (view.methods.some(lastStep) ? view.longest : null);
    if (step === null) multiples.clear();
    else multiples.cross(Math.min(step, view.longest), (chart) => readingsAt(view, chart, step), hiding(view));
  }

  return { node, drawing, layout, paint, highlight() {} };
}

// Hides the part of a recording that has not been played yet.
function hiding(view) {
  return view.replayed ? (cell) => hideRightOf(cell, cell.x(view.replayed)) : undefined;
}

function acrossOf(view, noun) {
  const log = view.scale === "log";
  return {
    log,
    noun,
    domain: [log ? view.earliest : 0, view.longest],
    ticks: (scale, width) => ticksOf(scale, Math.max(2, Math.floor(width / TICK))),
    text: shortCount,
  };
}

function curveOf(method, { curve }) {
  const { [curve]: values, step: steps } = method.points;
  const points = steps.map((step, k) => [step, values[k]]).filter(([, value]) => value !== null);
  return { method, points, className: method.className, dash: method.dash };
}

// The values of each method at a step; none under the pointer for a method that has not reached it.
function readingsAt(view, { curves, text }, step) {
  return curves
    .filter(({ method }) => step <= lastStep(method) || view.hovered === null)
    .map((curve) => [curve, curve.points.findLast(([at]) => at <= step)])
    .filter(([, point]) => point)
    .map(([curve, point]) => [curve, point, `${curve.method.mark} ${text(point[1])}`]);
}

// The curves in words, for screen readers: the latest values of each method.
function curvesInWords(view, charts, noun) {
  const sentences = view.methods.map((method) => {
    if (!method.points.step.length) return `${method.name}: not begun`;
    const last = charts
      .map((chart) => [chart, curveOf(method, chart).points.at(-1)])
      .filter(([, point]) => point)
      .map(([{ title, text }, [, value]]) => `${title} ${text(value)}`);
    return `${method.name} after ${countText(lastStep(method))} ${noun}: ${last.join(", ")}`;
  });
  return "Learning curves. " + sentences.join(". ");
}
