// The mapping as squares: a row per symbol, a column per letter or word, the commonest first; the area of a
// square is the share of the symbol's occurrences. A ring is the truth.

import { passOf, pinsAt, readingOf } from "./passes.js";
import { axisText, pointIn } from "../shared/chart.js";
import { html, setAttributes, svg } from "../shared/dom.js";
import { fitted } from "../shared/names.js";
import { percentText } from "../shared/numbers.js";
import { segmented } from "../shared/parts.js";
import { NARROW } from "../shared/view.js";

// Pixels: of a cell (the second one if a run is compared with an earlier one), between two mappings, of a page
// above the first one, of a panel around one.
const MATRIX = { largest: 20, small: 13, smallest: 8.5, gap: 8, above: 262, around: 84 };
const LEAST_SHARE = 0.012; // smaller squares are too small to see

// The controls of all mappings, if the key is known: marks of mistakes, order of the rows.
export function makeChoices(view) {
  if (!view.payload.key) return [];
  const sorted = segmented(
    "order of the symbols in the mapping",
    [
      ["frequency", "by frequency"],
      ["key", "by the key"],
    ],
    () => view.sorted,
    (kind) => view.put({ sorted: kind }, "layout"),
  );
  const mistakes = html(
    "button",
    { type: "button", class: "rv-button", onclick: () => view.put({ mistakes: !view.mistakes }) },
    "mark mistakes",
  );
  const paint = () => setAttributes(mistakes, { "aria-pressed": view.mistakes });
  return [{ node: mistakes, paint }, sorted];
}

// The symbols in row order: by frequency, or so that the truth is a diagonal.
function rowsOf({ payload, sorted }) {
  const rows = Array.from({ length: payload.rows }, (_, symbol) => symbol);
  if (sorted === "frequency" || !payload.key) return rows;
  const place = new Map(payload.columns.map((label, column) => [label, column]));
  const targetPlace = (symbol) => place.get(payload.key[symbol]) ?? payload.columns.length;
  return rows.sort((a, b) => targetPlace(a) - targetPlace(b));
}

// The mapping of a method below its caption.
export function makeMatrix(view, m) {
  const layers = {
    frame: svg("g"),
    row: svg("rect", { class: "rv-matrix-row" }),
    right: svg("path", { class: "rv-square" }),
    ring: svg("path", { class: "rv-ring" }),
    pins: svg("path", { class: "rv-pin-square" }),
  };
  const drawing = svg("svg", { class: "rv-drawing rv-matrix", role: "img" }, Object.values(layers));
  const title = html("figcaption", { class: "rv-dim" }, captionOf(view));
  const node = html("figure", { class: "rv-matrix-frame" }, title, drawing);
  let grid = null;
  const symbolUnder = (event) => {
    const row = Math.floor((pointIn(drawing, event)[1] - grid.top) / grid.cell);
    return grid.rows[row] ?? null;
  };
  drawing.addEventListener("pointermove", (event) => view.point(symbolUnder(event)));
  drawing.addEventListener("pointerleave", () => view.point(null));
  drawing.addEventListener("click", (event) => {
    const symbol = symbolUnder(event);
    if (symbol !== null) view.hold(symbol);
  });

  function layout() {
    grid = gridOf(view);
    setAttributes(drawing, { width: grid.width, height: grid.height });
    layers.frame.replaceChildren(...frameOf(view, grid));
  }

  function highlight() {
    const row = grid.rows.indexOf(view.pointed ?? view.held);
    setAttributes(layers.row, {
      display: row < 0 ? "none" : null,
      x: 0,
      y: grid.top + Math.max(0, row) * grid.cell,
      width: grid.width,
      height: grid.cell,
    });
  }

  function paint() {
    const method = view.methods[m];
    const pass = passOf(view, method);
    const pins = pinsAt(view, method, pass);
    const placed = [...pins]
      .map(([symbol, label]) => [grid.rows.indexOf(symbol), view.payload.columns.indexOf(label)])
      .filter((place) => Math.min(...place) >= 0);
    setAttributes(layers.right, { d: squaresOf(view, grid, pass, pins) });
    setAttributes(layers.pins, { d: placed.map(([row, column]) => squareAt(grid, row, column, 1)).join("") });
    setAttributes(layers.ring, { d: view.mistakes && view.payload.key && pass ? ringsOf(view, grid) : "" });
    setAttributes(drawing, { "aria-label": `${method.name}: ${spokenMapping(view, method)}` });
    highlight();
  }

  return { node, drawing, layout, paint, highlight };
}

function captionOf({ payload }) {
  const title = `the ${payload.term} behind a symbol`;
  const { rows, total, columns } = payload;
  return payload.term === "word" ? `${title}: the ${rows} commonest of ${total}, and ${columns.length} words` : title;
}

// Next to their texts, mappings are only as high as the window, so that all are visible at once.
function gridOf(view) {
  const { payload } = view;
  const words = payload.term === "word";
  const left = words ? 34 : 22;
  const right = words ? 24 : 4;
  const top = words ? 66 : 18;
  const rows = rowsOf(view);
  const room = view.width < NARROW ? view.width - 36 : (view.width - 36 - MATRIX.gap) / 2;
  const largest = view.methods.length > 2 ? MATRIX.small : MATRIX.largest;
  const wide = Math.min(largest, (room - left - right) / payload.columns.length);
  const high = (window.innerHeight - MATRIX.above) / view.methods.length - MATRIX.around;
  const cell = view.isSideBySide() ? Math.max(MATRIX.smallest, Math.min(wide, high / rows.length)) : wide;
  return {
    rows,
    cell,
    left,
    top,
    words,
    width: left + cell * payload.columns.length + right,
    height: top + cell * rows.length + 4,
  };
}

// If cells are too small for legible letters, every second name is left out.
function frameOf({ payload }, { rows, cell, left, top, words }) {
  const every = Math.ceil(11 / cell);
  const right = left + cell * payload.columns.length;
  const anchor = words ? "start" : "middle";
  const axisName = (text, place) => axisText(text, { class: "rv-axis rv-name", ...place });
  const columns = payload.columns.map((label, column) => {
    const x = left + (column + 0.5) * cell;
    const turned = words ? { transform: `rotate(-75 ${x} ${top - 6})` } : {};
    return column % every
      ? null
      : axisName(fitted(payload.labels[label], 62), { x, y: top - 6, "text-anchor": anchor, ...turned });
  });
  const names = rows.map((symbol, row) =>
    row % every
      ? null
      : axisName(payload.symbols[symbol], { x: left - 6, y: top + (row + 0.5) * cell + 4, "text-anchor": "end" }),
  );
  const lines = rows.map((symbol, row) => {
    const y = top + (row + 0.5) * cell;
    const attributes = { class: "rv-grid", "data-point": `row ${payload.symbols[symbol]}` };
    return svg("line", { ...attributes, x1: left, x2: right, y1: y, y2: y });
  });
  return [...lines, ...columns, ...names].filter(Boolean);
}

function squareAt({ left, top, cell }, row, column, share) {
  const side = (cell - 1.5) * Math.sqrt(share);
  const [x, y] = [left + (column + 0.5) * cell - side / 2, top + (row + 0.5) * cell - side / 2];
  return `M${x.toFixed(1)} ${y.toFixed(1)}h${side.toFixed(1)}v${side.toFixed(1)}h-${side.toFixed(1)}z`;
}

// Before the first pass all labels are equally likely.
function squaresOf({ payload }, grid, pass, pins) {
  const width = payload.columns.length;
  const even = 1 / payload.labels.length;
  return grid.rows
    .map((symbol, row) =>
      pins.has(symbol)
        ? ""
        : payload.columns
            .map((_, column) => {
              const share = pass ? pass.matrix[symbol * width + column] / 255 : even;
              return share < LEAST_SHARE && pass ? "" : squareAt(grid, row, column, share);
            })
            .join(""),
    )
    .join("");
}

function ringsOf({ payload }, grid) {
  return grid.rows
    .map((symbol, row) => {
      const column = payload.columns.indexOf(payload.key[symbol]);
      return column < 0 ? "" : squareAt(grid, row, column, 1);
    })
    .join("");
}

function spokenMapping(view, method) {
  return (
    view.payload.symbols
      .slice(0, view.payload.rows)
      .map((name, symbol) => {
        const { label, sure } = readingOf(view, method, symbol);
        return label === null ? null : `${name} is ${view.payload.labels[label]}, ${percentText(sure)}`;
      })
      .filter(Boolean)
      .join("; ") || "nothing is known yet"
  );
}
