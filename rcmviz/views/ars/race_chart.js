// log Z by budget: beam search climbs to it from below, ARS has it between two bounds.

import { axisText, heightAxis, linePath, plotOf, scaleOf } from "../shared/chart.js";
import { spread, tickTextOf, ticksOf, widthAxis } from "../shared/chart.js";
import { html, setAttributes, svg } from "../shared/dom.js";
import { stretched } from "../shared/figures.js";
import { lookOf } from "../shared/methods.js";
import { countText, numberText } from "../shared/numbers.js";
import { panel } from "../shared/parts.js";
import { NARROW } from "../shared/view.js";

const RACE = { height: 250, left: 58, right: 166, top: 16, bottom: 40 };

// log Z by budget: beam search climbs to it from below, ARS has it between two bounds.
export function makeBounds(view) {
  const { node, body } = panel("log Z by budget", "rv-race-chart");
  const drawing = svg("svg", { class: "rv-drawing", role: "img" });
  const note = html(
    "p",
    { class: "rv-more" },
    "The mass of what beam search keeps is a lower bound of Z and grows with the budget; ARS has Z between what it " +
      "found and the mass of its bound. RCMS scores merged contexts by what they remember: its Z is that of another " +
      "model and is no bound.",
  );
  body.append(drawing, note);

  function layout() {
    const scale = raceScale(view, body.clientWidth - 16);
    setAttributes(drawing, { width: scale.width, height: scale.height, "aria-label": spokenRace(view) });
    const lines = view.payload.sweep.methods.map((method) => sweepLine(view, scale, method));
    drawing.replaceChildren(...raceAxes(view, scale), truthBand(view, scale), ...lines, ...lineNames(view, scale));
  }

  return { node, drawing, layout, paint() {}, highlight() {} };
}

function raceScale(view, width) {
  const { sweep } = view.payload;
  const size = { width: Math.max(220, width), height: stretched(view.root, RACE.height) };
  const plot = plotOf(size, { ...RACE, right: view.width < NARROW ? 24 : RACE.right });
  const swept = sweep.methods.flatMap(({ kind }) => sweep[kind]).map(([logZ]) => logZ);
  const values = [...swept, ...view.truth.bounds].filter((value) => value !== null);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const more = 0.06 * (high - low || 1);
  const budgets = [sweep.budgets[0], sweep.budgets.at(-1)];
  return {
    ...size,
    plot,
    x: scaleOf(budgets, [plot.left + 12, plot.right - 12], { log: true }),
    y: scaleOf([low - more, high + more], [plot.bottom, plot.top]),
  };
}

function raceAxes(view, { plot, x, y }) {
  const heights = ticksOf(y, 5);
  const title = { x: (plot.left + plot.right) / 2, y: RACE.height - 6, "text-anchor": "middle" };
  return [
    ...heightAxis(plot, y, heights, tickTextOf(heights)),
    ...widthAxis(plot, x, view.payload.sweep.budgets, countText, 18),
    axisText("budget: contexts per position", title),
  ];
}

function truthBand(view, { plot, y }) {
  const [low, high] = view.truth.bounds;
  const place = { x: plot.left, width: plot.right - plot.left, y: y(high) };
  const band = svg("rect", { class: "rv-truth", ...place, height: Math.max(2, y(low) - y(high)) });
  return svg("g", { class: lookOf("exact")[0] }, band);
}

function sweepLine({ payload: { sweep } }, { x, y }, { kind, bounds }) {
  const [className, mark] = lookOf(kind);
  const points = sweep[kind].map(([logZ], b) => [x(sweep.budgets[b]), y(logZ)]);
  const line = { class: "rv-curve", d: linePath(points), "stroke-dasharray": bounds ? "7 4" : "2 4" };
  const dots = points.map(([left, top], b) =>
    svg(
      "text",
      { class: "rv-method", x: left, y: top + 4.5, "text-anchor": "middle" },
      mark,
      svg("title", {}, `${kind} ${sweep.budgets[b]}: log Z ${numberText(sweep[kind][b][0])}`),
    ),
  );
  return svg("g", { class: className }, svg("path", line), dots);
}

// The names of the lines and the band, next to the chart; if there is no space, only the band's.
function lineNames(view, { plot, y }) {
  const { sweep } = view.payload;
  const [low, high] = view.truth.bounds;
  const [exact, mark] = lookOf("exact");
  const truth = [exact, high - low < 1e-4 ? `${mark} exact log Z` : "log Z is in this band", y((low + high) / 2) + 4];
  const name = ([className, text], place) =>
    svg("g", { class: className }, svg("text", { class: "rv-method", ...place }, text));
  if (view.width < NARROW) return [name(truth, { x: plot.right - 4, y: truth[2], "text-anchor": "end" })];
  const lines = sweep.methods.map((method) => {
    const [className, mark] = lookOf(method.kind);
    return [className, `${mark} ${method.name}`, y(sweep[method.kind].at(-1)[0]) + 4];
  });
  const names = [truth, ...lines];
  const wanted = names.map(([, , top]) => top);
  const places = spread(wanted, 15, plot.top, plot.bottom);
  return names.map((entry, k) => name(entry, { x: plot.right + 8, y: places[k] }));
}

function spokenRace({ payload: { sweep }, truth }) {
  const logZ = (kind) => sweep.budgets.map((budget, b) => `${budget} ${numberText(sweep[kind][b][0])}`).join(", ");
  const sentences = sweep.methods.map(({ kind }) => `${kind}: ${logZ(kind)}`);
  const between = truth.bounds.map((bound) => numberText(bound)).join(" and ");
  return `log Z between ${between}. By budget, ${sentences.join("; ")}`;
}
