// The small river below the panels: where in the run one is, and what scrubs.

import { html, setAttributes, svg } from "../shared/dom.js";
import { methodClass, methodMark } from "../shared/methods.js";
import { countText } from "../shared/numbers.js";
import { clamp } from "./geometry.js";
import { phaseNames } from "./phases.js";
import { drawRiver } from "./river.js";

const MOST = 60; // positions of a window: more would be too narrow to tell apart
const BAR = 5; // pixels of a budget's width
const EDGE = 1; // pixels by which what covers the river reaches over its edge

export function makeTimeline(view) {
  const node = html("div", {
    class: "rv-flow-timeline",
    tabindex: "0",
    role: "slider",
    "aria-label": "position and phase",
  });
  let line = null;

  // The positions from + 1 … to that are drawn: all of them, or a window around where one is.
  function windowAround(i) {
    const { T } = view.payload;
    if (T <= MOST) return [0, T];
    const page = Math.floor((MOST * 3) / 4);
    const from = clamp(Math.floor((i - 1) / page) * page - Math.floor(MOST / 8), 0, T - MOST);
    return [from, from + MOST];
  }

  function layout() {
    line = null;
    paint();
  }

  function build([from, to]) {
    const { t } = view.geometry;
    const { clientWidth: width, clientHeight: height } = node;
    const isNarrow = width < 40 * t;
    const left = isNarrow ? 0 : 10 * t;
    const inputs = height * (view.payload.images || view.payload.tokens ? 0.34 : 0.22);
    const cell = (width - left) / (to - from);
    const gap = t * 0.4;
    const most = Math.max(0, ...view.runs.flatMap((run) => run.budgets ?? []));
    const each = (height - inputs - gap * (view.runs.length - 1)) / view.runs.length;
    const x = (i) => left + (i - from) * cell;
    const past = svg("g");
    const head = html("div", { class: "rv-flow-head" });
    const future = html("div", { class: "rv-flow-future" });
    const root = svg("svg", { "aria-hidden": "true", class: "rv-drawing", width, height });
    const budgets = svg("svg", { "aria-hidden": "true", class: "rv-flow-budgets", width, height });
    view.runs.forEach((run, k) => {
      const y = inputs + k * (each + gap);
      const name = view.fitText(`${methodMark(run)} ${run.name}`, left - t);
      if (left) root.append(svg("text", { class: `rv-flow-own ${methodClass(run)}`, y: y + each / 2 }, name));
      root.append(svg("rect", { class: "rv-flow-track", x: left, y, width: width - left, height: each }));
      budgets.append(...budgetBars(run.budgets ?? [], { y: y + each, from, to, x, high: each / most }));
      future.append(html("div", { style: `top: ${y - inputs + EDGE}px; height: ${each}px` }));
      const room = { x, y, H: each - 3, gap: 3, thick: Math.min(3, cell / 4), least: 2, until: width, from, to };
      past.append(
        svg(
          "g",
          { class: `${methodClass(run)}${run.followed ? " rv-flow-following" : ""}` },
          drawRiver(view, run, room),
        ),
      );
    });
    const glyphs = Array.from({ length: to - from }, (_, k) => glyphAt(from + k + 1, x(from + k + 0.5), inputs, cell));
    root.append(past, ...glyphs.filter(Boolean));
    // Later positions are covered by their own layer: as it moves, the river is not painted again.
    const cover = html("div", { class: "rv-flow-cover", style: `left: ${left}px; top: ${inputs - EDGE}px` }, future);
    node.replaceChildren(root, cover, ...(most ? [budgets] : []), head);
    return { from, to, left, cell, future, head, glyphs, x };
  }

  // What a run's positions have of its budget, if they differ: bars over its river.
  function budgetBars(budgets, { y, from, to, x, high }) {
    return budgets.slice(from, to).map((budget, k) => {
      const height = Math.max(1, budget * high);
      const place = { x: x(from + k + 1) - BAR / 2, y: y - height, width: BAR, height };
      const title = svg("title", {}, `budget ${countText(budget)} at ${view.payload.unit} ${countText(from + k + 1)}`);
      return svg("rect", { class: "rv-flow-budget-bar", ...place }, title);
    });
  }

  function glyphAt(i, x, inputs, cell) {
    const { images, tokens } = view.payload;
    if (images) return view.ink(images[i - 1], { x: x - inputs / 4, y: 0, width: inputs / 2, height: inputs - 8 });
    const { letter } = view.geometry;
    const every = Math.ceil(((tokens ? 5.5 : String(i).length + 1.5) * letter) / cell);
    if (every > 1 && i % every) return null;
    const text = view.fitText(tokens ? tokens[i - 1] : String(i), cell * every - 4);
    if (x + (text.length * letter) / 2 > node.clientWidth) return null;
    return svg("text", { x, y: inputs / 2, "text-anchor": "middle", class: "rv-flow-input" }, text);
  }

  function paint() {
    const { i, phase } = view.where();
    const { T, unit } = view.payload;
    const [from, to] = windowAround(i);
    if (!line || line.from !== from || line.to !== to) line = build([from, to]);
    const x = line.x(view.s / 4);
    line.future.style.transform = `translateX(${Math.max(0, x - line.left).toFixed(2)}px)`;
    line.head.style.transform = `translateX(${x.toFixed(2)}px)`;
    if (line.shown === `${i}`) return say(i, phase);
    line.shown = `${i}`;
    line.glyphs.forEach((glyph, k) => {
      const at = line.from + k + 1;
      if (glyph) glyph.style.opacity = at === i ? 1 : at < i ? 0.72 : 0.6;
    });
    say(i, phase);

    function say(at, now) {
      const text = `${unit} ${countText(at)} of ${countText(T)}, ${phaseNames(view, at)[now]}`;
      const value = 4 * (at - 1) + now;
      setAttributes(node, {
        "aria-valuemin": 0,
        "aria-valuemax": 4 * T,
        "aria-valuenow": value,
        "aria-valuetext": text,
      });
    }
  }

  // Scrubs to where the pointer is.
  function scrub({ buttons, type, clientX, pointerId }) {
    if (!line || (type === "pointermove" && !buttons)) return;
    if (type === "pointerdown") node.setPointerCapture(pointerId);
    view.pause();
    view.put(4 * (line.from + (clientX - node.getBoundingClientRect().left - line.left) / line.cell));
  }
  for (const kind of ["pointerdown", "pointermove"]) node.addEventListener(kind, scrub);
  return { node, layout, paint };
}
