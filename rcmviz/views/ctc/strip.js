// All frames in one drawing: the words of the answer and its alignment above, a row per label and one for the blank
// below, as dark as a symbol is probable at a frame.

import { BLANK, symbolName } from "./frame.js";
import { axisText, pointIn } from "../shared/chart.js";
import { html, setAttributes, setText, svg } from "../shared/dom.js";
import { stretched } from "../shared/figures.js";
import { middleCut } from "../shared/short_names.js";
import { visible } from "../shared/names.js";
import { massText } from "../shared/numbers.js";
import { panel, shadeLegend } from "../shared/parts.js";
import { bringIntoSight } from "../shared/sight.js";
import { NARROW, isLow } from "../shared/view.js";

const STRIP = { words: 24, labels: 26, gap: 8, row: 15, low: 13, tight: 9.5, axis: 20, right: 10, least: 10, most: 44 };
const GUTTER = { wide: 64, narrow: 52 };
const SEEN = 0.02; // a share below this has no shade
const LETTER = 8; // pixels of a character of a name

export function makeStrip(view, chooser) {
  const drawing = svg("svg", { class: "rv-drawing", role: "img" });
  const hint = html("span", { class: "rv-heat-hint" });
  const box = panel("Frames", "rv-ctc-strip " + view.className, hint, legend(), chooser.node);
  const label = "frames, labels and the alignment of the answer";
  const frame = html("div", { class: "rv-heat-frame", tabindex: "0", role: "group", "aria-label": label }, drawing);
  box.body.append(frame);
  const [still, mark] = [svg("g"), svg("rect", { class: "rv-current", rx: 4 })];
  drawing.append(still, mark);
  let size = null;

  function layout() {
    size = sizeOf(view);
    setAttributes(drawing, { width: size.width, height: size.height, "aria-label": spokenAnswer(view) });
    still.replaceChildren(
      ...rowNames(view, size),
      ...shades(view, size),
      ...alignment(view, size),
      ...axis(view, size),
    );
  }

  function paint() {
    const x = size.at(view.position - 1);
    setAttributes(mark, { x: x - 1, y: 1, width: size.column + 1, height: size.height - STRIP.axis - 1 });
    bringIntoSight(frame, x, x, 90);
  }

  const placeOf = (event) => {
    const [x, y] = pointIn(drawing, event);
    return { t: Math.floor((x - size.gutter) / size.column), row: Math.floor((y - size.top) / size.row) };
  };
  drawing.addEventListener("click", (event) => view.go(placeOf(event).t + 1));
  drawing.addEventListener("pointermove", (event) => setText(hint, cellHint(view, placeOf(event))));
  drawing.addEventListener("pointerleave", () => setText(hint, ""));
  return { node: box.node, layout, paint, highlight() {}, drawing };
}

function sizeOf(view) {
  const { T, labels, best } = view.payload;
  const gutter = view.width < NARROW ? GUTTER.narrow : GUTTER.wide;
  const room = view.width - 18 - gutter - STRIP.right;
  const column = Math.max(STRIP.least, Math.min(STRIP.most, room / T));
  const words = best.words.length > 1 || view.payload.separator ? STRIP.words : 0;
  const top = words + STRIP.labels + STRIP.gap;
  const rows = (isLow() ? STRIP.low : STRIP.row) * (labels.length + 1);
  const row = Math.max(STRIP.tight, stretched(view.root, rows) / (labels.length + 1));
  const height = top + row * (labels.length + 1) + 4 + STRIP.axis;
  return {
    gutter,
    column,
    row,
    words,
    top,
    height,
    width: gutter + column * T + STRIP.right,
    at: (t) => gutter + column * t,
  };
}

// The blank stands apart from the labels.
const rowTop = ({ top, row }, k, count) => top + row * k + (k === count ? 4 : 0);

function rowNames(view, size) {
  const { labels } = view.payload;
  const most = Math.floor((size.gutter - 12) / LETTER);
  const name = (k) => (k < labels.length ? middleCut(symbolName(view, k), most) : "blank");
  const head = (text, y) => svg("text", { class: "rv-gutter", x: 2, y }, text);
  const named = [...labels, BLANK].map((_, k) =>
    svg(
      "text",
      {
        class: "rv-name rv-ctc-row",
        x: size.gutter - 7,
        y: rowTop(size, k, labels.length) + size.row - 4,
        "text-anchor": "end",
      },
      name(k),
    ),
  );
  return [size.words ? head("words", 16) : null, head("answer", size.words + 17), ...named].filter(Boolean);
}

// The root, so that small shares stay visible next to large ones.
function shades(view, size) {
  const shares = view.payload[view.shares];
  const count = view.payload.labels.length;
  const line = (y) => svg("line", { class: "rv-grid", x1: size.gutter, x2: size.width - STRIP.right, y1: y, y2: y });
  const lines = shares.map((_, k) => line(rowTop(size, k, count) + size.row - 0.5));
  const cells = shares.flatMap((row, k) =>
    row.map((share, t) =>
      share < SEEN
        ? null
        : svg("rect", {
            class: k === count ? "rv-ctc-blank" : "rv-ctc-shade",
            x: size.at(t),
            y: rowTop(size, k, count),
            width: size.column - 1,
            height: size.row - 1,
            rx: 2,
            "fill-opacity": Math.sqrt(share).toFixed(2),
          }),
    ),
  );
  return [...lines, ...cells.filter(Boolean)];
}

// A word over the frames from its first label to its last; a pill per label; and its cells among the rows.
function alignment(view, size) {
  const { best, labels } = view.payload;
  const words = size.words ? best.words.map((word) => wordOver(size, word)) : [];
  const pills = best.labels.map((label, j) => labelOver(size, label, best.frames[j], best.sure[j]));
  return [...words, ...pills, answerPath(view, size, labels.length)];
}

function wordOver(size, [text, start, stop, p]) {
  const [left, right] = [size.at(start), size.at(stop) - 1];
  const most = Math.max(1, Math.floor((right - left + size.column) / LETTER));
  return svg(
    "g",
    { class: "rv-ctc-over" },
    svg("title", {}, `${visible(text)}, frames ${start + 1} to ${stop}, confidence ${massText(p)}`),
    svg("path", { class: "rv-ctc-span", d: `M${left} 24v-4H${right}v4` }),
    svg(
      "text",
      { class: "rv-name", x: (left + right) / 2, y: 15, "text-anchor": "middle" },
      middleCut(visible(text), Math.max(2, most)),
    ),
  );
}

function labelOver(size, label, [start, stop], p) {
  const [left, width] = [size.at(start), size.column * (stop - start) - 1];
  const most = Math.max(1, Math.floor((width + 4) / LETTER));
  const pill = svg("rect", { class: "rv-ctc-pill", x: left, y: size.words + 3, width, height: 20, rx: 4 });
  const text = visible(label);
  return svg(
    "g",
    { class: "rv-ctc-over" },
    svg(
      "title",
      {},
      `${text}, frame ${start + 1}${stop - start > 1 ? ` to ${stop}` : ""}, given the labels before ${massText(p)}`,
    ),
    pill,
    svg(
      "text",
      { class: "rv-name", x: left + width / 2, y: size.words + 18, "text-anchor": "middle" },
      most < 2 ? [...text][0] : middleCut(text, most),
    ),
  );
}

// One cell per frame: the symbols that the alignment shows.
function answerPath(view, size, count) {
  const { best, labels, T } = view.payload;
  const symbols = Array(T).fill(count);
  best.frames.forEach(([start, stop], j) => symbols.fill(labels.indexOf(best.labels[j]), start, stop));
  const cells = symbols.map((k, t) =>
    k < 0
      ? null
      : svg("rect", {
          x: size.at(t) + 0.5,
          y: rowTop(size, k, count) + 0.5,
          width: size.column - 2,
          height: size.row - 2,
          rx: 2,
        }),
  );
  return svg("g", { class: "rv-ctc-way" }, cells);
}

function axis(view, size) {
  const { T } = view.payload;
  const every = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((step) => step * size.column >= 34) ?? 1000;
  const places = Array.from({ length: T }, (_, t) => t + 1).filter((t) => t === 1 || t % every === 0);
  return places.map((t) =>
    axisText(String(t), { x: size.at(t - 0.5) - 0.5, y: size.height - 5, "text-anchor": "middle" }),
  );
}

function cellHint(view, { t, row }) {
  const { T, emit, posterior } = view.payload;
  if (t < 0 || t >= T) return "";
  const at = `frame ${t + 1}`;
  if (!emit[row]) return at;
  const shares = `emission ${massText(emit[row][t])}, posterior ${massText(posterior[row][t])}`;
  return `${at}, ${symbolName(view, row)}: ${shares}`;
}

function legend() {
  const way = svg(
    "svg",
    { width: 15, height: 13, "aria-hidden": "true" },
    svg("g", { class: "rv-ctc-way" }, svg("rect", { x: 1, y: 1, width: 12, height: 11, rx: 2 })),
  );
  return shadeLegend("rv-ctc-shade", (share) => Math.sqrt(share).toFixed(2), way, "answer");
}

// The text for screen readers: the labels with their frames.
function spokenAnswer(view) {
  const { labels, frames } = view.payload.best;
  const said = labels.map(
    (label, j) => `${label === " " ? "blank space" : label} ${frames[j][0] + 1} to ${frames[j][1]}`,
  );
  return `${view.payload.T} frames; the answer by frames: ${said.join(", ") || "blanks only"}`;
}
