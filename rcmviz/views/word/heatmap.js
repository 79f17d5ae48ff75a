// Context × position: rows in suffix order (by the last label, then the one before), colour = log mass of a context.
// Above each position what a method reads there.

import { axisText } from "../shared/chart.js";
import { html, setAttributes, setText, svg, toggle } from "../shared/dom.js";
import { methodClass, methodMark } from "../shared/methods.js";
import { contextName } from "../shared/names.js";
import { letterOf, shortContext, shortLabel } from "../shared/short_names.js";
import { massText } from "../shared/numbers.js";
import { panel, segmented } from "../shared/parts.js";
import { NARROW } from "../shared/view.js";
import { TOKEN, makeHead } from "./heatmap_heads.js";
import { compareSuffixes } from "./rows.js";

const HEAT_ROWS = 160; // the heaviest; more would be thinner than a pixel of difference
const HEAT_FLOOR = 6; // decades that the colour spans
const LARGEST = 170; // pixels of a column

export function makeHeatmap(view) {
  const compared = view.payload.runs.length > 1;
  const tabs = compared
    ? segmented(
        "run shown in the heat map",
        view.payload.runs.map((run, r) => [r, `${methodMark(run)} ${run.name}`]),
        () => view.run,
        (r) => view.setRun(r),
      )
    : null;
  const legend = html("span", { class: "rv-legend" }, "mass 10⁻⁶", ramp(), "1");
  const box = panel("All positions: context × position", "rv-heat", tabs ? tabs.node : null, legend);
  const hint = html("span", { class: "rv-heat-hint", "aria-hidden": "true" });
  box.heading.after(hint);
  const frame = html("div", {
    class: "rv-heat-frame",
    tabindex: "0",
    role: "group",
    "aria-label": "heat map of contexts by position",
  });
  const drawing = svg("svg", { class: "rv-drawing" });
  frame.append(drawing);
  box.body.append(frame);
  const current = svg("rect", { class: "rv-current", rx: 4 });
  let columns = new Map(); // cells by position: thousands, so each is touched only when it changes
  let [groups, heads] = [[], []];
  let shownFor = "";
  let lit = [];
  const tokens = view.host.inner ? null : view.payload.tokens; // of details the picture shows them
  const size = { gutter: 34, column: 40, pitch: 8, top: 0, height: 0, tokens };

  function layout() {
    setAttributes(box.node, { class: `rv-panel rv-heat ${methodClass(view.payload.runs[view.run])}` });
    const { payload } = view;
    const run = payload.runs[view.run];
    const keys = heatKeys(view, run);
    const width = frame.clientWidth || 640;
    size.pitch = Math.max(4, Math.min(12, Math.floor(330 / Math.max(1, keys.length))));
    size.gutter = width < NARROW ? 52 : 70;
    const word = tokens ? Math.min(98, 8 + Math.max(...tokens.map((token) => token.length)) * TOKEN) : 0;
    size.column = Math.max(letterOf(view).width, word, Math.min(LARGEST, (width - size.gutter - 4) / payload.T));
    size.top = 40 + (payload.gold ? 22 : 0) + (tokens ? 22 : 0);
    size.height = keys.length * size.pitch;
    setAttributes(drawing, { width: size.gutter + size.column * payload.T + 2, height: size.top + size.height + 24 });
    const place = new Map(keys.map((key, k) => [key.text, k]));
    columns = new Map(view.positions.map((i) => [i, heatColumn(view, run, i, place, size, hint)]));
    groups = groupLines(view, keys, size);
    heads = view.positions.map((i) => makeHead(view, view.run, i, size));
    drawing.replaceChildren(
      ...[...groups, ...heads].map((part) => part.node),
      ...gutter(view, size),
      ...axis(view, size),
      ...[...columns.values()].flat().map((cell) => cell.node),
      current,
    );
    [shownFor, lit] = ["", []];
  }

  function paint() {
    if (tabs) tabs.paint();
    const shows = `${view.mass} ${view.hidesFuture() ? view.position : "all"}`;
    if (shows !== shownFor) [...groups, ...heads, ...[...columns.values()].flat()].forEach((part) => part.paint());
    shownFor = shows;
    setAttributes(current, { x: size.gutter - 1, y: 0, width: size.column, height: size.top + size.height + 1 });
    current.style.transform = `translateX(${size.column * (view.position - 1)}px)`;
    bringIntoSight(size.gutter + size.column * (view.position - 1));
    highlight();
  }

  // Of a long word the columns on either side of the position are in sight.
  function bringIntoSight(left) {
    const { scrollLeft, clientWidth } = frame;
    if (drawing.clientWidth <= clientWidth) return;
    if (left - size.column < scrollLeft) frame.scrollLeft = left - size.column;
    else if (left + 2 * size.column > scrollLeft + clientWidth) frame.scrollLeft = left + 2 * size.column - clientWidth;
  }

  function highlight() {
    const focus = view.focus();
    const now = focus ? [focus.position - 1, focus.position] : [];
    new Set([...lit, ...now]).forEach((i) => columns.get(i)?.forEach((cell) => cell.highlight(focus)));
    lit = now;
  }

  return { node: box.node, layout, paint, highlight, drawing };
}

function ramp() {
  const steps = Array.from({ length: 12 }, (_, k) =>
    svg("rect", {
      class: "rv-heat-step",
      x: k * 7,
      width: 7,
      height: 9,
      "fill-opacity": heatShade(10 ** (HEAT_FLOOR * (k / 11 - 1))),
    }),
  );
  return svg("svg", { class: "rv-drawing", width: 84, height: 9, "aria-hidden": "true" }, steps);
}

function heatShade(mass) {
  const shade = mass > 0 ? Math.max(0, 1 + Math.log10(mass) / HEAT_FLOOR) : 0;
  return (0.06 + 0.94 * shade).toFixed(3);
}

// The contexts that get a row, each once however many positions it occurs at.
function heatKeys(view, run) {
  const found = new Map();
  for (const i of view.positions) {
    if (i === view.payload.T) continue;
    const column = run.columns[i];
    column.labels.forEach((labels, k) => {
      const text = labels.join(",");
      const weight = Math.max(column.forward[k], column.posterior[k]);
      const known = found.get(text);
      if (!known) found.set(text, { text, labels, weight, first: i });
      else known.weight = Math.max(known.weight, weight);
    });
  }
  const heaviest = [...found.values()].sort((a, b) => b.weight - a.weight).slice(0, HEAT_ROWS);
  return heaviest.sort((a, b) => compareSuffixes(a.labels, b.labels));
}

function heatColumn(view, run, i, place, size, hint) {
  if (i === view.payload.T) return [];
  const column = run.columns[i];
  return column.labels
    .map((labels, k) => [labels, k])
    .filter(([labels]) => place.has(labels.join(",")))
    .map(([labels, k]) => {
      const name = contextName(view, labels, column.length[k], i);
      const node = svg("rect", {
        class: "rv-heat-cell",
        x: size.gutter + size.column * (i - 1),
        y: size.top + place.get(labels.join(",")) * size.pitch,
        width: Math.max(2, size.column - 2),
        height: Math.max(2, size.pitch - 1),
        rx: 1.5,
      });
      const short = shortContext(view, { name, labels, length: column.length[k] }, i, 480);
      const cellText = () => `${short} after position ${i}: ${massText(column[view.mass][k])}`;
      node.append(svg("title", {}, short));
      node.addEventListener("pointerenter", () => {
        setText(hint, cellText());
        view.hover({ name, run: view.run, position: i });
      });
      node.addEventListener("pointerleave", () => {
        setText(hint, "");
        view.hover(null);
      });
      node.addEventListener("click", () => {
        view.go(i);
        view.select(name, view.run);
      });
      const paint = () => {
        node.style.display = view.isOpen(i) ? "" : "none";
        setAttributes(node, { "fill-opacity": heatShade(column[view.mass][k]) });
      };
      const highlight = (focus) => {
        const here = focus && focus.position === i;
        toggle(node, "rv-on", here && (focus.name === name || focus.carrier[view.run] === name));
        const before = focus && focus.position === i + 1 && focus.from === name; // the context that was extended
        toggle(node, "rv-chain", before || (here && focus.chain.includes(name)));
      };
      return { node, paint, highlight };
    });
}

// Rows are sorted by the last label first, so they fall into groups: a line and a letter for each. A group is named
// once one of its contexts may be seen.
function groupLines(view, keys, size) {
  const lines = [];
  const firsts = new Map();
  keys.forEach(({ labels, first }) => firsts.set(labels.at(-1), Math.min(first, firsts.get(labels.at(-1)) ?? first)));
  const add = (node, key) => {
    const paint = () => {
      node.style.display = view.isOpen(firsts.get(key.labels.at(-1))) ? "" : "none";
    };
    lines.push({ node, paint });
  };
  let previous;
  let written = -20;
  keys.forEach((key, k) => {
    const last = key.labels.length ? key.labels[key.labels.length - 1] : null;
    if (last === previous) return;
    previous = last;
    const y = size.top + k * size.pitch;
    const [left, right] = [size.gutter - 4, size.gutter + size.column * view.payload.T];
    add(svg("line", { class: "rv-grid", x1: left, x2: right, y1: y - 0.5, y2: y - 0.5 }), key);
    if (y - written < 13) return;
    written = y;
    const text = last === null ? "*" : shortLabel(view, last, size.gutter - 12);
    add(axisText(text, { x: size.gutter - 8, y: y + 9, "text-anchor": "end" }), key);
  });
  return lines;
}

function gutter({ payload, hidesFuture }, { top, tokens }) {
  const rows = [[hidesFuture() ? "so far" : "decoded", top - 24]];
  if (payload.gold) rows.push(["gold", top - 46]);
  if (tokens) rows.push(["input", 15]);
  return rows.map(([text, y]) => svg("text", { class: "rv-gutter", x: 2, y }, text));
}

function axis(view, size) {
  const every = Math.ceil(24 / size.column);
  return view.positions
    .filter((i) => i === 1 || i % every === 0)
    .map((i) =>
      axisText(String(i), {
        x: size.gutter + size.column * (i - 0.5) - 1,
        y: size.top + size.height + 16,
        "text-anchor": "middle",
      }),
    );
}
