// @ts-check
// Charts: plots, scales, axes, lines, areas, crosshairs, dragging. Scales and shapes come from d3, the style from here
// and the style sheets. multiples.js combines charts to small multiples.

import { svg } from "./dom.js";
import { countText, numberText } from "./numbers.js";
import { enlargementOf } from "./presenting.js";
import { area, curveStepAfter, line, scaleLinear, scaleLog } from "./vendor/d3.js";
import { wordFor } from "./words.js";

// The plot of a chart: its box without the margins.
/** @type {(box: Box, margins: Margins) => Plot} */
export function plotOf({ x = 0, y = 0, width, height }, margins) {
  return {
    left: x + margins.left,
    right: x + width - margins.right,
    top: y + margins.top,
    bottom: y + height - margins.bottom,
  };
}

// A scale from values to pixels and, inverted, back; values outside stay on the edge unless they may `leave`.
/** @type {(domain: number[], range: number[], how?: { log?: boolean, leave?: boolean }) => Scale} */
export function scaleOf(domain, range, { log = false, leave = false } = {}) {
  return (log ? scaleLog() : scaleLinear()).domain(domain).range(range).clamp(!leave);
}

// At most `most` round numbers between the ends of a scale; on a log scale the powers of ten.
/** @type {(scale: Scale, most: number) => number[]} */
export function ticksOf(scale, most) {
  const [low, high] = scale.domain();
  if (scale.base) return powers(low, high);
  /** @type {(ticks: number[]) => boolean} */
  const areFarApart = ([first, second]) => second === undefined || second - first >= ((high - low) / most) * (1 - 1e-9);
  let count = most;
  while (count > 1 && !areFarApart(scale.ticks(count))) count -= 1;
  return scale.ticks(count);
}

/** @type {(low: number, high: number) => number[]} */
function powers(low, high) {
  return Array.from({ length: 16 }, (_, k) => 10 ** k).filter((power) => power >= low && power <= high);
}

// The text of a tick, with enough digits to distinguish it from the next one.
/** @type {(ticks: number[]) => (value: number) => string} */
export function tickTextOf(ticks) {
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : 1;
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return (value) => (step >= 2_000 ? shortCount(value).replace("-", "−") : numberText(value, digits));
}

/** @type {(count: number) => string} */
export function shortCount(count) {
  return Math.abs(count) < 10_000 ? countText(count) : `${Number((count / 1000).toFixed(1))}k`;
}

/** @type {(text: string, attributes: Attributes) => SVGTextElement} */
export function axisText(text, attributes) {
  return svg("text", { class: "rv-axis", ...attributes }, text);
}

// Lines across the plot, each with its value at the left.
/** @type {(plot: Plot, scale: Scale, values: number[], textOf: (value: number) => string) => SVGElement[]} */
export function heightAxis(plot, scale, values, textOf) {
  return values.flatMap((value) => [
    svg("line", { class: "rv-grid", x1: plot.left, x2: plot.right, y1: scale(value), y2: scale(value) }),
    axisText(textOf(value), { x: plot.left - 6, y: scale(value) + 4, "text-anchor": "end" }),
  ]);
}

// Values below the plot.
/**
 * @type {(plot: Plot, scale: Scale, values: number[], textOf: (value: number) => string, down?: number) =>
 *   SVGElement[]}
 */
export function widthAxis(plot, scale, values, textOf, down = 16) {
  return values.map((value) =>
    axisText(textOf(value), { x: scale(value), y: plot.bottom + down, "text-anchor": "middle" }),
  );
}

// A line through [x, y] in pixels; if stepped, it is horizontal up to the next point.
/** @type {(points: Point[], stepped?: boolean) => string} */
export function linePath(points, stepped = false) {
  const path = line().digits(1);
  return (stepped ? path.curve(curveStepAfter) : path)(points) ?? "";
}

// The area between two lines over the same places: [x, low y, high y].
/** @type {(points: [number, number, number][], stepped?: boolean) => string} */
export function areaPath(points, stepped = false) {
  const path = area()
    .digits(1)
    .x(([x]) => x)
    .y0(([, low]) => low)
    .y1(([, , high]) => high);
  return (stepped ? path.curve(curveStepAfter) : path)(points) ?? "";
}

// A rule at a place, and for each curve {at: [x, y], className, text}: a handle on it, and its text next to the plot.
/** @type {(plot: Plot, x: number, readings: { at: Point, className: string, text: string }[]) => SVGElement} */
export function crosshair(plot, x, readings) {
  const places = spread(
    readings.map(({ at: [, y] }) => y + 4),
    14,
    plot.top + 4,
    plot.bottom + 2,
  );
  return svg(
    "g",
    {},
    svg("line", { class: "rv-rule", x1: x, x2: x, y1: plot.top, y2: plot.bottom }),
    readings.map(({ at: [cx, cy], className }) => svg("circle", { class: `rv-handle ${className}`, cx, cy, r: 3.5 })),
    readings.map(({ className, text }, k) =>
      svg(
        "text",
        { class: `rv-reading ${className}`, x: plot.right + 8, y: places[k], "data-explains": wordFor(text, true) },
        text,
      ),
    ),
  );
}

// Moves overlapping labels apart, in the order of their heights.
/** @type {(wanted: number[], pitch: number, top: number, bottom: number) => number[]} */
export function spread(wanted, pitch, top, bottom) {
  const order = wanted.map((_, k) => k).sort((a, b) => wanted[a] - wanted[b]);
  const placed = [...wanted];
  order.forEach((k, n) => {
    placed[k] = Math.max(wanted[k], n ? placed[order[n - 1]] + pitch : top);
  });
  for (let n = order.length - 1; n >= 0; n -= 1) {
    placed[order[n]] = Math.min(placed[order[n]], bottom - (order.length - 1 - n) * pitch);
  }
  return placed;
}

// The position of a pointer in a drawing, in its pixels.
/** @type {(drawing: Element, event: MouseEvent) => Point} */
export function pointIn(drawing, event) {
  const box = drawing.getBoundingClientRect();
  const scale = enlargementOf(drawing);
  return [(event.clientX - box.left) / scale, (event.clientY - box.top) / scale];
}

// Calls `follow` with the position of the pointer on press and drag.
/** @type {(drawing: SVGElement, follow: (point: Point) => void) => void} */
export function dragged(drawing, follow) {
  drawing.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    drawing.setPointerCapture(event.pointerId);
    follow(pointIn(drawing, event));
  });
  drawing.addEventListener("pointermove", (event) => {
    if (drawing.hasPointerCapture(event.pointerId)) follow(pointIn(drawing, event));
  });
}
