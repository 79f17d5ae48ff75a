// log Z by budget: beam search climbs to it from below, ARS has it between two bounds.

import { axisText, heightAxis, linePath, roomOf, scaleOf, spread, ticksOf, widthAxis } from "../shared/chart.js";
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
  const size = { width: Math.max(220, width), height: RACE.height };
  const room = roomOf(size, { ...RACE, right: view.width < NARROW ? 24 : RACE.right });
  const swept = [...sweep.beam, ...sweep.rcms].map(([logZ]) => logZ);
  const values = [...swept, ...view.truth.bounds].filter((value) => value !== null);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const more = 0.06 * (high - low || 1);
  const budgets = [sweep.budgets[0], sweep.budgets.at(-1)];
  return {
    ...size,
    room,
    x: scaleOf(budgets, [room.left + 12, room.right - 12], { log: true }),
    y: scaleOf([low - more, high + more], [room.bottom, room.top]),
  };
}

function raceAxes(view, { room, x, y }) {
  const [low, high] = y.domain();
  const digits = high - low < 1 ? 2 : 1;
  const title = { x: (room.left + room.right) / 2, y: RACE.height - 6, "text-anchor": "middle" };
  return [
    ...heightAxis(room, y, ticksOf(y, 5), (value) => numberText(value, digits)),
    ...widthAxis(room, x, view.payload.sweep.budgets, countText, 18),
    axisText("budget: contexts per position", title),
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
      x: scale.room.left,
      width: scale.room.right - scale.room.left,
      y: scale.y(high),
      height: Math.max(2, scale.y(low) - scale.y(high)),
    }),
    svg(
      "text",
      {
        class: "rv-method",
        x: beside ? scale.room.right + 8 : scale.room.right - 4,
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
    scale.room.top,
    scale.room.bottom,
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
        d: linePath(points),
        "stroke-dasharray": kind === "rcms" ? "2 4" : "7 4",
      }),
      dots,
      view.width >= NARROW
        ? svg("text", { class: "rv-method", x: scale.room.right + 8, y: ends[k] }, `${mark} ${told}`)
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
