// log Z by budget: beam search climbs to it from below, ARS has it between two bounds.

import { spread, ticks } from "../shared/chart.js";
import { html, setAttributes, svg } from "../shared/dom.js";
import { countText, numberText } from "../shared/numbers.js";
import { panel } from "../shared/parts.js";
import { RACE_KINDS } from "./race_cards.js";
import { NARROW } from "../shared/view.js";

const RACE = { height: 250, left: 58, right: 150, top: 16, bottom: 40 };

// log Z by budget: beam search climbs to it from below, ARS has it between two bounds.
export function makeBounds(view) {
  const { node, body } = panel("log Z by budget", "rv-race-chart");
  const drawing = svg("svg", { class: "rv-drawing", role: "img" });
  const note = html(
    "p",
    { class: "rv-more" },
    "The mass of what beam search keeps is a lower bound of Z and grows with the budget; ARS has Z between what it " +
      "found and the mass of its bound. What RCMS merges is scored as if it were forgotten: its Z is that of another " +
      "model and may lie anywhere.",
  );
  body.append(drawing, note);

  function layout() {
    const scale = raceScale(view, body.clientWidth - 16);
    setAttributes(drawing, { width: scale.width, height: RACE.height, "aria-label": spokenRace(view) });
    drawing.replaceChildren(...raceAxes(view, scale), truthBand(view, scale), ...raceLines(view, scale));
  }

  return { node, drawing, layout, paint() {}, highlight() {} };
}

function raceScale(view, width) {
  const { sweep } = view.payload;
  const right = Math.max(220, width) - (view.width < NARROW ? 24 : RACE.right);
  const bottom = RACE.height - RACE.bottom;
  const values = [
    ...sweep.beam.map(([logZ]) => logZ),
    ...sweep.rcms.map(([logZ]) => logZ),
    ...view.truth.bounds,
  ].filter((value) => value !== null);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const reach = high - low || 1;
  const span = Math.log(sweep.budgets.at(-1) / sweep.budgets[0]) || 1;
  return {
    width: Math.max(220, width),
    right,
    bottom,
    low: low - 0.06 * reach,
    high: high + 0.06 * reach,
    x: (budget) => RACE.left + 12 + (Math.log(budget / sweep.budgets[0]) / span) * (right - RACE.left - 24),
    y: (logZ) => bottom - ((logZ - low + 0.06 * reach) / (1.12 * reach)) * (bottom - RACE.top),
  };
}

function raceAxes(view, scale) {
  const text = (label, attributes) => svg("text", { class: "rv-axis", ...attributes }, label);
  return [
    ...ticks(scale.low, scale.high, 5).flatMap((value) => [
      svg("line", { class: "rv-grid", x1: RACE.left, x2: scale.right, y1: scale.y(value), y2: scale.y(value) }),
      text(numberText(value, scale.high - scale.low < 1 ? 2 : 1), {
        x: RACE.left - 8,
        y: scale.y(value) + 4,
        "text-anchor": "end",
      }),
    ]),
    ...view.payload.sweep.budgets.map((budget) =>
      text(countText(budget), { x: scale.x(budget), y: scale.bottom + 18, "text-anchor": "middle" }),
    ),
    text("budget: contexts per position", {
      x: (RACE.left + scale.right) / 2,
      y: RACE.height - 6,
      "text-anchor": "middle",
    }),
  ];
}

function truthBand(view, scale) {
  const {
    bounds: [low, high],
  } = view.truth;
  const beside = view.width >= NARROW;
  const told = high - low < 1e-4 ? "■ exact log Z" : "◆ log Z is in here";
  return svg(
    "g",
    { class: "rv-m-other" },
    svg("rect", {
      class: "rv-truth",
      x: RACE.left,
      width: scale.right - RACE.left,
      y: scale.y(high),
      height: Math.max(2, scale.y(low) - scale.y(high)),
    }),
    svg(
      "text",
      {
        class: "rv-method",
        x: beside ? scale.right + 8 : scale.right - 4,
        y: scale.y((low + high) / 2) + 4,
        "text-anchor": beside ? "start" : "end",
      },
      told,
    ),
  );
}

function raceLines(view, scale) {
  const { sweep } = view.payload;
  const ends = spread(
    ["beam", "rcms"].map((kind) => scale.y(sweep[kind].at(-1)[0]) + 20),
    15,
    RACE.top,
    scale.bottom,
  );
  return ["beam", "rcms"].map((kind, k) => {
    const [className, mark] = RACE_KINDS[kind];
    const points = sweep[kind].map(([logZ], b) => [scale.x(sweep.budgets[b]), scale.y(logZ), sweep.budgets[b], logZ]);
    const told = kind === "beam" ? "Beam: lower bound" : "RCMS: no bound";
    const dots = points.map(([x, y, budget, logZ]) =>
      svg(
        "text",
        { class: "rv-method", x, y: y + 4.5, "text-anchor": "middle" },
        mark,
        svg("title", {}, `${kind} ${budget}: log Z ${numberText(logZ)}`),
      ),
    );
    return svg(
      "g",
      { class: className },
      svg("path", {
        class: "rv-curve",
        d: "M" + points.map(([x, y]) => `${x} ${y}`).join("L"),
        "stroke-dasharray": kind === "rcms" ? "2 4" : "7 4",
      }),
      dots,
      view.width >= NARROW
        ? svg("text", { class: "rv-method", x: scale.right + 8, y: ends[k] }, `${mark} ${told}`)
        : null,
    );
  });
}

function spokenRace({ payload: { sweep }, truth }) {
  const told = ["beam", "rcms"].map(
    (kind) => `${kind}: ${sweep.budgets.map((budget, b) => `${budget} ${numberText(sweep[kind][b][0])}`).join(", ")}`,
  );
  return `log Z between ${truth.bounds.map((bound) => numberText(bound)).join(" and ")}. By budget, ${told.join("; ")}`;
}
