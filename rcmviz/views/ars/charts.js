// How the bound closes, over all rounds: certificate or acceptance, log Z between its bounds, the size of q. One
// crosshair.

import { isCertificate, roundWord } from "./sentences.js";
import { dragged, spread, ticks } from "../shared/chart.js";
import { html, setAttributes, svg } from "../shared/dom.js";
import { countText, nats, numberText } from "../shared/numbers.js";
import { NARROW } from "../shared/view.js";

const CHART = { height: 208, top: 30, bottom: 26, left: 50, right: 108, gap: 10 };
export const percent = (share) => `${(100 * share).toFixed(share > 0.0995 || share === 0 ? 0 : 1)} %`;

const CERTIFICATE = {
  title: "q falls, p is found",
  unit: "log score of a round's path, nats",
  text: nats,
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
  text: percent,
  low: 0,
  curves: [
    { name: "last 100", kind: "lower", value: (view, r) => view.memory.acceptance100(r) },
    { name: "so far", kind: "found", value: (view, r) => view.memory.acceptance(r) },
  ],
};
const SANDWICH = {
  title: "log Z",
  unit: "between the mass of q and that of what was found",
  text: nats,
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
    unit: "states and weighted n-grams",
    text: (v) => shortCount(Math.round(v)),
    log: true,
    curves: [{ name: "states", kind: "lower", value: (_, r) => rounds.states[r] }, ...grams],
  };
  return mode === "decode"
    ? [CERTIFICATE, SANDWICH, size]
    : [ACCEPTANCE, { ...SANDWICH, curves: [...SANDWICH.curves, ESTIMATE] }, size];
}

export function makeCharts(view) {
  const drawing = svg("svg", { class: "rv-drawing rv-charts", role: "img" });
  const node = html("section", { class: "rv-panel rv-chart-panel", "aria-label": "curves over the rounds" }, drawing);
  const layers = { still: svg("g"), moving: svg("g") };
  drawing.append(layers.still, layers.moving);
  let cells = [];
  scrubbing(view, drawing, () => cells);

  function layout() {
    const charts = chartsOf(view);
    const columns = view.width < NARROW ? 1 : view.width < 900 ? 2 : 3;
    const width = (view.width - 18 - CHART.gap * (columns - 1)) / columns;
    setAttributes(drawing, { width: view.width - 18, height: CHART.height * Math.ceil(charts.length / columns) });
    cells = charts.map((chart, k) =>
      chartCell(view, chart, (k % columns) * (width + CHART.gap), Math.floor(k / columns) * CHART.height, width),
    );
    layers.still.replaceChildren(...cells.map((cell) => cell.node));
  }

  function paint() {
    layers.moving.replaceChildren(...cells.map((cell) => crosshair(view, cell)));
    setAttributes(drawing, { "aria-label": spokenCharts(view, cells) });
  }

  return { node, drawing, layout, paint, highlight() {} };
}

function chartCell(view, chart, x, y, width) {
  const room = {
    left: x + CHART.left,
    right: x + width - CHART.right,
    top: y + CHART.top,
    bottom: y + CHART.height - CHART.bottom,
  };
  const { R } = view.memory;
  const values = chart.curves.map((curve) => Array.from({ length: R }, (_, r) => curve.value(view, r)));
  const height = chart.log ? (value) => Math.log10(Math.max(1, value)) : (value) => value;
  const [low, high] = rangeOf(chart, values).map(height);
  const up = (value) =>
    room.bottom - (room.bottom - room.top) * Math.min(1, Math.max(0, (height(value) - low) / (high - low)));
  const cell = {
    chart,
    room,
    values,
    up,
    across: (r) => room.left + (R > 1 ? r / (R - 1) : 0.5) * (room.right - room.left),
    R,
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
    chartAxes(cell, low, high),
    chart.between ? betweenShape(cell) : null,
    chart.curves.map((curve, k) => curveShape(cell, curve, k)),
  );
  return cell;
}

// The first rounds can be so bad that nothing else could be seen beside them.
function rangeOf({ low, log }, values) {
  const known = values
    .flat()
    .filter((value) => value !== null)
    .sort((a, b) => a - b);
  if (!known.length) return [0, 1];
  const highest = known[known.length - 1];
  if (log) return [1, highest * 1.2];
  if (low !== undefined) return [low, Math.max(0.1, highest * 1.04)];
  const lowest = known[Math.floor(known.length * 0.06)];
  return [lowest - 0.04 * (highest - lowest || 1), highest + 0.04 * (highest - lowest || 1)];
}

function chartAxes({ room, across, R, chart }, low, high) {
  const at = chart.log ? Array.from({ length: Math.floor(high) + 1 }, (_, k) => k) : ticks(low, high, 4);
  const y = (value) => room.bottom - (room.bottom - room.top) * ((value - low) / (high - low));
  const shown = (value) =>
    chart.log
      ? shortCount(10 ** value)
      : chart.text === percent
        ? percent(value)
        : numberText(value, high - low < 2 ? 1 : 0);
  return [
    ...at.flatMap((value) => [
      svg("line", { class: "rv-grid", x1: room.left, x2: room.right, y1: y(value), y2: y(value) }),
      svg("text", { class: "rv-axis", x: room.left - 6, y: y(value) + 4, "text-anchor": "end" }, shown(value)),
    ]),
    ...(R > 1 ? ticks(1, R, 4) : [1])
      .filter(Number.isInteger)
      .map((round) =>
        svg(
          "text",
          { class: "rv-axis", x: across(round - 1), y: room.bottom + 16, "text-anchor": "middle" },
          countText(round),
        ),
      ),
  ];
}

function shortCount(count) {
  return count < 10_000 ? countText(count) : `${Number((count / 1000).toPrecision(3))}k`;
}

// More rounds than pixels: of those on one pixel the last speaks.
function pointsOf({ across, up, R, room }, values, stepped) {
  const every = Math.max(1, Math.floor(R / (2 * (room.right - room.left))));
  let d = "";
  values.forEach((value, r) => {
    if (value === null || (r % every && r < R - 1)) return;
    const [x, y] = [across(r).toFixed(1), up(value).toFixed(1)];
    d += d ? (stepped ? `H${x}V${y}` : `L${x} ${y}`) : `M${x} ${y}`;
  });
  return d;
}

function curveShape(cell, { kind, stepped }, k) {
  return svg("path", { class: `rv-curve rv-c-${kind}`, d: pointsOf(cell, cell.values[k], stepped) });
}

function betweenShape(cell) {
  const {
    values: [upper, lower],
    across,
    up,
  } = cell;
  const first = lower.findIndex((value) => value !== null);
  if (first < 0) return null;
  const back = upper
    .map((value, r) => `L${across(r).toFixed(1)} ${up(value).toFixed(1)}`)
    .slice(first)
    .reverse()
    .join("");
  return svg("path", { class: "rv-between", d: pointsOf(cell, lower, true) + back + "z" });
}

function crosshair(view, { chart, room, values, up, across }) {
  const { now } = view;
  const x = across(now);
  const found = chart.curves.map((curve, k) => [curve, values[k][now]]).filter(([, value]) => value !== null);
  const places = spread(
    found.map(([, value]) => up(value) + 4),
    14,
    room.top + 2,
    room.bottom + 2,
  );
  const proof =
    chart === CERTIFICATE && isCertificate(view, now)
      ? svg(
          "text",
          { class: "rv-proof rv-halo", x: x - 6, y: room.top + 10, "text-anchor": "end" },
          `proved optimal at round ${countText(now + 1)}`,
        )
      : null;
  return svg(
    "g",
    {},
    svg("line", { class: "rv-rule", x1: x, x2: x, y1: room.top, y2: room.bottom }),
    found.map(([curve, value]) =>
      svg("circle", { class: `rv-handle rv-c-${curve.kind}`, cx: x, cy: up(value), r: 3.5 }),
    ),
    found.map(([curve, value], k) =>
      svg(
        "text",
        { class: `rv-reading rv-c-${curve.kind}`, x: room.right + 8, y: places[k] },
        `${curve.name} ${chart.text(value)}`,
      ),
    ),
    proof,
  );
}

function spokenCharts(view, cells) {
  const told = cells.map(
    ({ chart, values }) =>
      `${chart.title}: ${chart.curves
        .map((curve, k) => [curve.name, values[k][view.now]])
        .filter(([, value]) => value !== null)
        .map(([name, value]) => `${name} ${chart.text(value)}`)
        .join(", ")}`,
  );
  return `${roundWord(view)} ${view.now + 1}. ${told.join("; ")}`;
}

// Press or drag in a chart: the round under the pointer.
function scrubbing(view, drawing, cellsNow) {
  const follow = (event) => {
    const box = drawing.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const cell = cellsNow().find(
      ({ room }) =>
        x >= room.left - 10 && x <= room.right + 10 && y >= room.top - CHART.top && y <= room.bottom + CHART.bottom,
    );
    if (cell)
      view.go(1 + Math.round(((x - cell.room.left) / (cell.room.right - cell.room.left)) * (view.memory.R - 1)));
  };
  dragged(drawing, follow);
}
