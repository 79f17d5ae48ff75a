// @ts-check
// Small multiples: a grid of charts in one drawing, with the same places and one crosshair.
//
// A chart is {title, unit, text, curves}, and `is`, the definition of its title; `text` formats a value. Its axis
// begins at `low` and reaches at least `least`, or covers its curves. It may be `share` (ticks in per cent), `log`,
// `between` (the area between its first two curves). A curve is {className, points}, points as [place, value]; it may
// have a `dash`, and be `stepped`.

import { areaPath, axisText, crosshair, heightAxis, linePath, pointIn, plotOf } from "./chart.js";
import { scaleOf, shortCount, tickTextOf, ticksOf, widthAxis } from "./chart.js";
import { html, setAttributes, svg } from "./dom.js";
import { stretched } from "./figures.js";
import { numberText, percentText } from "./numbers.js";
import { wordFor } from "./words.js";

const NEAR = 10; // pixels around a chart that still belong to it

// `size` is {height, gap, ticks} and the margins of a chart, `note` a remark on all charts.
/** @type {(size: MultiplesSize, label: string, note?: string | null) => Multiples} */
export function makeMultiples(size, label, note = null) {
  const layers = { still: svg("g"), moving: svg("g") };
  const drawing = svg("svg", { class: "rv-drawing rv-charts", role: "img" }, layers.still, layers.moving);
  const words = note ? html("p", { class: "rv-more" }, note) : null;
  const node = html("section", { class: "rv-panel rv-chart-panel", "aria-label": label }, drawing, words);
  /** @type {ChartCell[]} */
  let cells = [];

  // `across` are the places: {domain, log, ticks(scale, width), text, noun}.
  /** @type {(width: number, columns: number, charts: Chart[], across: Across) => void} */
  function layout(width, columns, charts, across) {
    const wide = (width - size.gap * (columns - 1)) / columns;
    const rows = Math.ceil(charts.length / columns);
    const shape = { ...size, height: stretched(drawing, size.height, rows) };
    setAttributes(drawing, { width, height: shape.height * rows });
    cells = charts.map((chart, k) => {
      const [column, row] = [k % columns, Math.floor(k / columns)];
      return cellOf(chart, { x: column * (wide + size.gap), y: row * shape.height, width: wide }, shape, across);
    });
    layers.still.replaceChildren(...cells.map((cell) => cell.node));
  }

  // Readings of a chart are [curve, [place, value], text]; `above` may draw something over it.
  /**
   * @type {(place: number, readingsOf: (chart: Chart) => Reading[], above?: (cell: ChartCell, x: number) =>
   *   SVGElement | null) => void}
   */
  function cross(place, readingsOf, above = () => null) {
    const rules = cells.map((cell) => {
      const readings = readingsOf(cell.chart).map(([curve, [x, value], text]) => {
        return { className: curve.className, text, at: /** @type {Point} */ ([cell.x(x), cell.y(value)]) };
      });
      return svg("g", {}, crosshair(cell.plot, cell.x(place), readings), above(cell, cell.x(place)));
    });
    layers.moving.replaceChildren(...rules);
  }

  // The place at a point of the drawing, or at a pointer; null between the charts.
  /** @type {(point: Point) => number | null} */
  function placeAt([x, y]) {
    const cell = cells.find(({ plot }) => {
      const isAcross = x >= plot.left - NEAR && x <= plot.right + NEAR;
      return isAcross && y >= plot.top - size.top && y <= plot.bottom + size.bottom;
    });
    return cell ? cell.x.invert(x) : null;
  }

  const clear = () => layers.moving.replaceChildren();
  return { node, drawing, layout, cross, clear, placeAt, placeUnder: (event) => placeAt(pointIn(drawing, event)) };
}

/**
 * @type {(chart: Chart, box: { x: number, y: number, width: number }, size: MultiplesSize, across: Across) =>
 *   ChartCell}
 */
function cellOf(chart, box, size, across) {
  const plot = plotOf({ ...box, height: size.height }, size);
  const x = scaleOf(across.domain, [plot.left, plot.right], { log: across.log });
  const y = scaleOf(rangeOf(chart), [plot.bottom, plot.top], { log: chart.log });
  const title = svg(
    "text",
    { class: "rv-chart-title", x: box.x + 4, y: box.y + 17 },
    svg("tspan", { class: "rv-chart-name", "data-tells": chart.is, tabindex: chart.is ? "0" : null }, chart.title),
    svg("tspan", { class: "rv-chart-unit", dx: 8 }, chart.unit),
  );
  const heights = ticksOf(y, size.ticks);
  const axes = [
    ...heightAxis(plot, y, heights, heightText(chart, heights)),
    ...widthAxis(plot, x, across.ticks(x, plot.right - plot.left), across.text),
    across.noun ? nounBelow(across.noun, plot) : null,
  ];
  const shapes = chart.curves.flatMap((curve) => [curveShape(curve, x, y), ...breaks(curve, chart, x, y)]);
  const point = `curve ${chart.title}`; // a lesson may point at it
  const between = chart.between ? betweenShape(chart.curves, x, y) : null;
  const node = svg("g", { "data-point": point }, title, axes, between, shapes);
  return { chart, plot, x, y, node };
}

// The unit of the places.
/** @type {(noun: string, plot: Plot) => SVGElement} */
function nounBelow(noun, plot) {
  return axisText(noun, { x: plot.right + 18, y: plot.bottom + 16, "data-explains": wordFor(noun, true) });
}

// Cuts off the first values if they would dwarf all others.
/** @type {(chart: Chart) => [number, number]} */
function rangeOf({ curves, low, least, log }) {
  const values = curves.flatMap(({ points }) => points.map(([, value]) => value)).sort((a, b) => a - b);
  if (!values.length) return [low ?? (log ? 1 : -1), least ?? (log ? 10 : 0)];
  const highest = values[values.length - 1];
  if (log) return [1, Math.max(highest, 1) * 1.2];
  if (low !== undefined) return [low, Math.max(least ?? low, highest * 1.04)];
  const lowest = values[Math.floor(values.length * 0.06)];
  const span = highest - lowest || 1;
  return [lowest - 0.04 * span, highest + 0.04 * span];
}

/** @type {(chart: Chart, ticks: number[]) => (value: number) => string} */
function heightText({ share, log }, ticks) {
  if (share) return (value) => `${Number((100 * value).toFixed(1))} %`;
  if (log) return shortCount;
  return tickTextOf(ticks);
}

// A curve that leaves the axis continues at the edge, with a break that shows the value.
/** @type {(curve: Curve, chart: Chart, x: Scale, y: Scale) => SVGElement[]} */
function breaks({ className, points }, { text, share }, x, y) {
  const [low, high] = y.domain();
  const textOf = text ?? (share ? percentText : numberText);
  const below = points.filter(([, value]) => value < low);
  const above = points.filter(([, value]) => value > high);
  const beyond = [
    { list: below, arrow: "↓", down: -7, worst: Math.min },
    { list: above, arrow: "↑", down: 16, worst: Math.max },
  ].filter(({ list }) => list.length);
  return beyond.map(({ list, arrow, down, worst }) => {
    const value = worst(...list.map(([, one]) => one));
    const [left, edge] = [x(list[0][0]), y(value)];
    const at = Math.max(left, x.range()[0] + 9);
    return svg(
      "g",
      { class: `rv-break ${className}` },
      svg("path", { d: `M${at - 5} ${edge + 5}l4 -10m4 10l4 -10` }),
      svg("text", { class: "rv-reading", x: at + 10, y: edge + down }, `${arrow} ${textOf(value)}`),
    );
  });
}

// A single point is a dot.
/** @type {(curve: Curve, x: Scale, y: Scale) => SVGElement} */
function curveShape({ className, dash, points, stepped }, x, y) {
  /** @type {Point[]} */
  const places = points.map(([place, value]) => [x(place), y(value)]);
  if (places.length === 1) {
    return svg("circle", { class: `rv-curve-dot ${className}`, cx: places[0][0], cy: places[0][1], r: 3 });
  }
  const d = linePath(places, stepped);
  return svg("path", { class: `rv-curve ${className}`, d, "stroke-dasharray": dash || null });
}

// From the first place that both curves have.
/** @type {(curves: Curve[], x: Scale, y: Scale) => SVGElement} */
function betweenShape([upper, lower], x, y) {
  const above = new Map(upper.points);
  const points = lower.points.filter(([place]) => above.has(place));
  const d = areaPath(points.map(([place, value]) => [x(place), y(value), y(above.get(place) ?? value)]));
  return svg("path", { class: "rv-between", d });
}
