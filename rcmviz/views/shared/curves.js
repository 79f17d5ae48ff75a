// Small multiples over the same steps, with one crosshair; the numbers beside a chart are those under it.

import { spread, ticks } from "./chart.js";
import { lastStep, nearest } from "../learn/checkpoints.js";
import { html, setAttributes, svg } from "./dom.js";
import { countText, numberText, percent } from "./numbers.js";
import { sizeClass } from "./view.js";

const CHART = { height: 168, top: 30, bottom: 24, left: 46, right: 76, gap: 14 };

// `charts` says which curves are drawn, `noun` what is counted along them, `note` what should be known of them.
export function makeCharts(view, charts, noun, note = null) {
  const drawing = svg("svg", { class: "rv-drawing rv-charts", role: "img" });
  const node = html(
    "section",
    { class: "rv-panel rv-chart-panel", "aria-label": "learning curves" },
    drawing,
    note ? html("p", { class: "rv-more" }, note) : null,
  );
  const layers = { still: svg("g"), moving: svg("g") };
  drawing.append(layers.still, layers.moving);
  let cells = [];
  drawing.addEventListener("pointermove", (event) => view.hover(stepUnder(view, cells, event)));
  drawing.addEventListener("pointerleave", () => view.hover(null));
  drawing.addEventListener("click", (event) => {
    const step = stepUnder(view, cells, event);
    if (step !== null) view.choose(nearest(view.steps, step));
  });

  function layout() {
    const columns = Math.min(charts.length, { wide: 3, medium: 2, narrow: 1 }[sizeClass(view.width)]);
    const width = (view.width - 18 - CHART.gap * (columns - 1)) / columns;
    const height = CHART.height * Math.ceil(charts.length / columns);
    setAttributes(drawing, { width: view.width - 18, height, "aria-label": spoken(view, charts, noun) });
    cells = charts.map((chart, k) =>
      chartCell(view, chart, (k % columns) * (width + CHART.gap), Math.floor(k / columns) * CHART.height, width, noun),
    );
    layers.still.replaceChildren(...cells.map((cell) => cell.node));
  }

  function paint() {
    const step = view.hovered ?? view.shown() ?? (view.methods.some(lastStep) ? view.longest : null);
    layers.moving.replaceChildren(...(step === null ? [] : cells.map((cell) => crosshair(view, cell, step))));
  }

  return { node, layout, paint, drawing };
}

// What a screen reader says of the curves: where each method stands.
function spoken(view, charts, noun) {
  const told = view.methods.map((method) => {
    const at = method.points.step.length - 1;
    return at < 0
      ? `${method.name}: not begun`
      : `${method.name} after ${countText(method.points.step[at])} ${noun}: ` +
          charts
            .map(({ curve, title, text }) => [title, text, valueAt(method, curve, Infinity)])
            .filter(([, , value]) => value !== null)
            .map(([title, text, value]) => `${title} ${text(value)}`)
            .join(", ");
  });
  return "Learning curves. " + told.join(". ");
}

function chartCell(view, chart, x, y, width, noun) {
  const room = {
    left: x + CHART.left,
    right: x + width - CHART.right,
    top: y + CHART.top,
    bottom: y + CHART.height - CHART.bottom,
  };
  const [low, high] = range(view, chart);
  const cell = {
    chart,
    room,
    x,
    width,
    across: (step) => room.left + (room.right - room.left) * view.along(step),
    up: (value) => room.bottom - (room.bottom - room.top) * Math.min(1, Math.max(0, (value - low) / (high - low))),
  };
  cell.node = svg(
    "g",
    {},
    svg(
      "text",
      { class: "rv-chart-title", x: x + 4, y: y + 17 },
      chart.title,
      svg("tspan", { class: "rv-chart-unit", dx: 8 }, chart.unit),
    ),
    axes(view, cell, low, high, noun),
    view.methods.map((method) => curveOf(cell, method)),
  );
  return cell;
}

// The first examples of a log-likelihood are so bad that nothing else could be seen beside them.
function range(view, { curve, low, least }) {
  const values = view.methods
    .flatMap((method) => method.points[curve].filter((value) => value !== null))
    .sort((a, b) => a - b);
  if (!values.length) return [low ?? -1, low === undefined ? 0 : least];
  const highest = values[values.length - 1];
  if (low !== undefined) return [low, Math.max(least, highest * 1.04)];
  const lowest = values[Math.floor(values.length * 0.06)];
  return [lowest - 0.02 * (highest - lowest || 1), highest + 0.04 * (highest - lowest || 1)];
}

function axes(view, { room, up, across, chart }, low, high, noun) {
  const grid = ticks(low, high, 3).map((value) => [
    svg("line", { class: "rv-grid", x1: room.left, x2: room.right, y1: up(value), y2: up(value) }),
    svg(
      "text",
      { class: "rv-axis", x: room.left - 6, y: up(value) + 4, "text-anchor": "end" },
      tickText(chart, value, high - low),
    ),
  ]);
  const below = stepTicks(view, room.right - room.left).map((step) =>
    svg("text", { class: "rv-axis", x: across(step), y: room.bottom + 16, "text-anchor": "middle" }, shortCount(step)),
  );
  return [...grid.flat(), ...below, svg("text", { class: "rv-axis", x: room.right + 18, y: room.bottom + 16 }, noun)];
}

function tickText({ text }, value, spread) {
  if (text === percent) return Number((100 * value).toFixed(1)) + " %";
  if (spread >= 10_000) return `${Number((value / 1000).toFixed(1))}k`.replace("-", "−");
  return numberText(value, spread < 2 ? 1 : 0);
}

function stepTicks(view, width) {
  if (view.scale === "linear") return ticks(0, view.longest, Math.max(2, Math.floor(width / 48)));
  return Array.from({ length: 8 }, (_, k) => 10 ** k).filter((step) => step >= view.earliest && step <= view.longest);
}

function shortCount(step) {
  return step < 10_000 ? countText(step) : `${Number((step / 1000).toFixed(1))}k`;
}

function curveOf({ chart, across, up }, method) {
  const values = method.points[chart.curve];
  const at = method.points.step
    .map((step, k) => (values[k] === null ? null : `${across(step).toFixed(1)} ${up(values[k]).toFixed(1)}`))
    .filter(Boolean);
  if (at.length === 1)
    return svg("circle", {
      class: `rv-curve-dot ${method.className}`,
      cx: at[0].split(" ")[0],
      cy: at[0].split(" ")[1],
      r: 3,
    });
  return svg("path", {
    class: `rv-curve ${method.className}`,
    d: at.length ? "M" + at.join("L") : "",
    "stroke-dasharray": method.dash || null,
  });
}

// The number of the last point of a curve up to a step that has a value, or −1.
function pointAt(method, curve, step) {
  const { [curve]: values, step: steps } = method.points;
  return values.findLastIndex((value, k) => value !== null && steps[k] <= step);
}

function valueAt(method, curve, step) {
  return method.points[curve][pointAt(method, curve, step)] ?? null;
}

function crosshair(view, { chart, room, up, across }, step) {
  const x = across(Math.min(step, view.longest));
  const found = view.methods
    .filter((method) => step <= lastStep(method) || view.hovered === null)
    .map((method) => [method, pointAt(method, chart.curve, step)])
    .filter(([, k]) => k >= 0)
    .map(([method, k]) => [method, method.points[chart.curve][k], method.points.step[k]]);
  const places = spread(
    found.map(([, value]) => up(value) + 4),
    14,
    room.top + 4,
    room.bottom,
  );
  return svg(
    "g",
    {},
    svg("line", { class: "rv-rule", x1: x, x2: x, y1: room.top, y2: room.bottom }),
    found.map(([method, value, at]) =>
      svg("circle", { class: `rv-handle ${method.className}`, cx: across(at), cy: up(value), r: 3.5 }),
    ),
    found.map(([method, value], k) =>
      svg(
        "text",
        { class: `rv-reading ${method.className}`, x: room.right + 8, y: places[k] },
        `${method.mark} ${chart.text(value)}`,
      ),
    ),
  );
}

function stepUnder(view, cells, event) {
  const box = event.currentTarget.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  const cell = cells.find(
    ({ room }) =>
      x >= room.left - 8 && x <= room.right + 8 && y >= room.top - CHART.top && y <= room.bottom + CHART.bottom,
  );
  if (!cell || !view.steps.length) return null;
  return Math.round(view.back((x - cell.room.left) / (cell.room.right - cell.room.left)));
}
