// The path of the round by position: the observation, the word, its cost under q and the cost that q left out.
// Columns are shared with the graph below: a word stands between the state before it and the state after it.

import { marginals } from "./rounds.js";
import { BELOW, roundWord } from "./sentences.js";
import { setAttributes, setText, svg, toggle } from "../shared/dom.js";
import { fitted } from "../shared/names.js";
import { massText, natsText } from "../shared/numbers.js";
import { NARROW } from "../shared/view.js";
import { telling } from "../shared/words.js";

const STRIP = { input: 17, word: 26, bar: 15, line: 16, top: 8, gap: 8, share: 17 };
const COLUMN = { gutter: 104, least: 92, right: 30 };
const SHARES = 4; // words per position whose share among the draws is shown
let strips = 0; // a page may hold several, each with its own id of the hatching

// The x positions of the columns: `at(i)` is the state after i words, where the next word begins.
export function columnsOf(view, width) {
  const gutter = view.width < NARROW ? 76 : COLUMN.gutter;
  const cell = Math.max(COLUMN.least, (width - gutter - COLUMN.right) / view.payload.T);
  return { gutter, cell, width: gutter + cell * view.payload.T + COLUMN.right, at: (i) => gutter + cell * i };
}

export function makeStrip(view) {
  const hatching = `rv-hatching-${(strips += 1)}`;
  const drawing = svg("svg", { class: "rv-drawing", role: "img" });
  let cells = [];

  function layout() {
    const { payload, columns } = view;
    const y = stripRows(payload);
    const scale = (columns.cell - 14) / highestCost(view);
    setAttributes(drawing, { width: columns.width, height: y.end });
    cells = payload.inputs.map((input, i) => stripCell(view, i, y, scale, hatching));
    drawing.replaceChildren(hatchPattern(hatching), ...stripTitles(view, y), ...cells.map((cell) => cell.node));
  }

  function paint() {
    const shares = view.payload.mode === "sample" ? marginals(view) : [];
    cells.forEach((cell, i) => cell.paint(shares[i] || []));
    setAttributes(drawing, { "aria-label": spokenPath(view) });
  }

  return { node: drawing, drawing, layout, paint, highlight() {} };
}

function hatchPattern(id) {
  return svg(
    "defs",
    {},
    svg(
      "pattern",
      { id, width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      svg("path", { class: "rv-hatch", d: "M0 0V5" }),
    ),
  );
}

function stripRows({ mode, inputs }) {
  const y = { input: STRIP.top };
  y.word = y.input + (inputs.some(Boolean) ? STRIP.input : 0);
  y.bar = y.word + STRIP.word;
  y.bound = y.bar + STRIP.bar;
  y.truth = y.bound + STRIP.line;
  y.shares = y.truth + STRIP.line + STRIP.gap;
  y.end = mode === "sample" ? y.shares + SHARES * STRIP.share + STRIP.gap : y.truth + STRIP.line + STRIP.gap;
  return y;
}

// One scale for all rounds: the word with the highest cost under q or p fills its cell.
function highestCost(view) {
  const costs = [...view.payload.sequences.logProb.flat(), ...view.payload.rounds.bound.flat()].filter(
    (value) => value !== null,
  );
  return Math.max(
    1,
    costs.reduce((most, value) => Math.max(most, -value), 0),
  );
}

const MEANT = {
  observed: "observed: the input of each position.",
  "path of q": "path of q: the best words under q, or a draw from q, in this round.",
  "q says": "q says: the log weight of the word under q, and the n-gram that gives it.",
  truth: "truth: the log weight of the word under the whole language model.",
};

function stripTitles(view, y) {
  const title = (text, at) => telling(svg("text", { class: "rv-gutter", x: 4, y: at }, text), MEANT[text]);
  const { payload } = view;
  return [
    payload.inputs.some(Boolean) ? title("observed", y.input + 13) : null,
    title("path of q", y.word + 17),
    title("cost, nats", y.bar + 10),
    title("q says", y.bound + 12),
    title("truth", y.truth + 12),
    payload.mode === "sample" ? title("share of draws", y.shares + 12) : null,
  ].filter(Boolean);
}

function stripCell(view, i, y, scale, hatching) {
  const { columns, payload } = view;
  const left = 7;
  const middle = columns.cell / 2;
  const text = (className, at, name) =>
    svg("text", { class: className, x: middle, y: at, "text-anchor": "middle", "data-part": name });
  const [word, bound, truth] = [
    text("rv-letter", y.word + 18, "word"),
    text("rv-value", y.bound + 12, "bound"),
    text("rv-value", y.truth + 12, "truth"),
  ];
  const charged = svg("rect", { class: "rv-own", x: left, y: y.bar + 2, height: 9, rx: 2 });
  const missing = svg("rect", { class: "rv-missing", y: y.bar + 2, height: 9, rx: 2, fill: `url(#${hatching})` });
  const lines =
    payload.mode === "sample"
      ? Array.from({ length: SHARES }, (_, k) => shareLine(view, y.shares + k * STRIP.share))
      : [];
  const input = svg(
    "text",
    { class: "rv-input", x: middle, y: y.input + 12, "text-anchor": "middle" },
    fitted(payload.inputs[i], columns.cell - 6),
  );
  const node = svg(
    "g",
    { transform: `translate(${columns.at(i)} 0)`, "data-position": i + 1, "data-point": `word ${i + 1}` },
    input,
    word,
    svg("rect", { class: "rv-track", x: left, y: y.bar + 2, width: columns.cell - 14, height: 9, rx: 2 }),
    charged,
    missing,
    bound,
    truth,
    lines.map((line) => line.node),
  );

  function paint(shares) {
    const { now, memory } = view;
    const [believed, real] = [payload.rounds.bound[now][i], memory.truth(now)[i]];
    const slack = memory.slacks(now)[i];
    const name = payload.names[memory.words(now)[i]];
    setText(word, fitted(name, (columns.cell - 6) * 0.8));
    toggle(word, "rv-other", memory.words(now)[i] !== payload.sequences.words[view.answer]?.[i]);
    const own = -(believed ?? 0) * scale;
    const full = slack === Infinity ? columns.cell - 14 : -(real ?? 0) * scale;
    setAttributes(charged, { width: Math.max(1.5, own) });
    setAttributes(missing, { x: left + Math.max(1.5, own), width: slack > 0 ? Math.max(2, full - own) : 0 });
    setText(bound, `w${BELOW[payload.rounds.order[now][i]]} ${natsText(believed)}`);
    setText(truth, slack > 0 ? `p ${natsText(real)}` : "the same");
    toggle(truth, "rv-down", slack > 0);
    lines.forEach((line, k) => line.paint(shares[k]));
  }

  return { node, paint };
}

// A word of the draws at a position, and its share.
function shareLine(view, y) {
  const { cell } = view.columns;
  const name = svg("text", { class: "rv-name rv-small", x: 7, y: y + 12 });
  const value = svg("text", { class: "rv-value", x: cell - 7, y: y + 12, "text-anchor": "end" });
  const bar = svg("rect", { class: "rv-pale", x: 7, y: y + 1, height: 14, rx: 2 });
  const node = svg("g", {}, bar, name, value);

  function paint(entry) {
    node.style.display = entry ? "" : "none";
    if (!entry) return;
    setText(name, fitted(view.payload.names[entry[0]], cell - 56));
    setText(value, massText(entry[1]));
    bar.style.width = Math.max(1.5, entry[1] * (cell - 14)).toFixed(1) + "px";
  }

  return { node, paint };
}

function spokenPath(view) {
  const { now, memory, payload } = view;
  const slacks = memory.slacks(now);
  const words = memory
    .words(now)
    .map(
      (word, i) =>
        `${payload.names[word]}: q says ${natsText(payload.rounds.bound[now][i])}` +
        (slacks[i] > 0 ? `, truth ${natsText(memory.truth(now)[i])}` : ", the truth"),
    );
  return `The path of ${roundWord(view).toLowerCase()} ${now + 1}. ${words.join("; ")}`;
}
