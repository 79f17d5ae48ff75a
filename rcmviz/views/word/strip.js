// The strip over all positions: image, gold label, each run's decoded label with its posterior, context entropy.
// A bracket below shows which labels the highlighted context remembers.

import { html, setAttributes, setText, svg, toggle } from "../shared/dom.js";
import { pixels } from "../shared/ink.js";
import { methodClass, methodDash, methodMark } from "../shared/methods.js";
import { GLYPH, fitted, spell } from "../shared/names.js";
import { letterOf, longestLabel, middleCut, shortContext, shortLabel } from "../shared/short_names.js";
import { massText, numberText, signedText } from "../shared/numbers.js";
import { isChange } from "./side.js";
import { isLow } from "../shared/view.js";

// Pixels of the rows, and of the narrowest column: of one method, of several or in a low window (what they do shall be
// in sight too), and in present mode.
const ONE = { top: 6, image: 56, gap: 6, token: 24, gold: 22, run: 46, spark: 30, bracket: 26, least: 46 };
const SEVERAL = { ...ONE, image: 38, spark: 24, bracket: 24 };
const ROOMY = 116; // pixels of a column in which a number stands beside its letter,
const BESIDE = 92; // or more than the longest label takes,
const FLAT = 33; // so that several methods take less height
const TOKEN = 7.4; // width of a character of a token
const NAME = 6.9; // width of a character of a method's name

export function makeStrip(view) {
  const box = html("section", { class: "rv-panel rv-strip", "aria-label": "the word, position by position" });
  const frame = html("div", {
    class: "rv-strip-frame",
    tabindex: "0",
    role: "group",
    "aria-label": "strip of positions, scrolls sideways",
  });
  const drawing = svg("svg", { class: "rv-drawing" });
  frame.append(drawing);
  box.append(frame);
  const current = svg("rect", { class: "rv-current", rx: 6 });
  const bracket = svg("g", { class: "rv-bracket" }, svg("path", {}), svg("text", { "text-anchor": "middle" }));
  const size = { gutter: 70, cell: 60, height: 0 };
  const [heads, above] = [svg("g", {}), svg("g", {})]; // the names of the rows, and what runs over the cells
  let cells = [];
  let seen = null; // [scrolled, width] of the frame, as it was before a step was written

  const measure = () => (seen = [frame.scrollLeft, frame.clientWidth]);

  function layout() {
    const { payload } = view;
    seen = null;
    size.width = frame.clientWidth || 640;
    Object.assign(size, rowSizes(view), columnSizes(view, size.width));
    const roomy = Math.max(ROOMY, longestLabel(view) * letterOf(view).glyph + BESIDE);
    if (rowSizes(view) === SEVERAL && size.cell >= roomy) size.run = FLAT;
    size.height = rowPlaces(payload, size).end;
    setAttributes(drawing, { width: size.gutter + size.cell * payload.T + 4, height: size.height });
    const y = rowPlaces(payload, size);
    cells = view.positions.map((i) => stripCell(view, i, size, y));
    drawing.replaceChildren(current, heads, ...cells.map((cell) => cell.node), above, bracket);
    drawAround(y);
  }

  function drawAround(y) {
    const lines = view.payload.runs.map((run, r) => sparkline(view, run, r, size, y));
    heads.replaceChildren(...gutter(view, size, y));
    above.replaceChildren(...lines, ...lossMarks(view, size, y));
  }

  // While it is revealed as one goes, a step may change what is read anywhere before it.
  function reveal() {
    const y = rowPlaces(view.payload, size);
    cells = cells.map((cell, k) => {
      if (cell.reads === readsAt(view, k + 1)) return cell;
      const next = stripCell(view, k + 1, size, y);
      cell.node.replaceWith(next.node);
      return next;
    });
    drawAround(y);
  }

  function paint() {
    if (view.reveal) reveal();
    setAttributes(current, { x: size.gutter, y: 1, width: size.cell, height: size.height - 2 });
    current.style.transform = `translateX(${size.cell * (view.position - 1)}px)`;
    cells.forEach((cell, k) => cell.paint(k + 1 === view.position));
    const [scrolled, width] = seen ?? measure();
    const left = size.gutter + size.cell * (view.position - 1);
    const [first, end] = [left - size.cell, left + 2 * size.cell]; // the neighbours stay in sight
    if (scrolled > 0 && first < scrolled + size.gutter) frame.scrollLeft = first - size.gutter;
    else if (isWide() && end > scrolled + width) frame.scrollLeft = end - width + 8;
    highlight();
  }

  function highlight() {
    const focus = view.focus();
    bracket.style.display = focus && focus.position <= view.payload.T ? "" : "none";
    if (!focus) return;
    const shown = Math.min(focus.length, view.payload.T);
    const right = size.gutter + size.cell * focus.position - 6;
    const left = size.gutter + size.cell * (focus.position - shown) + 6;
    const y = size.height - size.bracket + 3;
    const [line, text] = bracket.children;
    setAttributes(line, { d: shown ? `M${left} ${y}v5H${right}v-5` : "" });
    const seen = Math.max(left, isWide() ? frame.scrollLeft + size.gutter : 0); // of a long strip a part is in sight
    const middle = shown ? (Math.min(seen, right - 20) + right) / 2 : right - size.cell / 2 + 6;
    setAttributes(text, { x: middle, y: size.height - 5 });
    const remembered = { ...focus, name: spell(view, focus.labels) };
    setText(text, shown ? "remembers " + shortContext(view, remembered, focus.length, 400) : "all forgotten");
    const half = text.textContent.length * 3.4;
    setAttributes(text, { x: Math.min(Math.max(middle, half + 4), size.gutter + size.cell * view.payload.T - half) });
  }

  const isWide = () => size.gutter + size.cell * view.payload.T > size.width;

  return { node: box, measure, layout, paint, highlight, drawing };
}

function rowSizes({ payload }) {
  return payload.runs.length > 1 || isLow() ? SEVERAL : ONE;
}

// The heat map below stands on the same columns wherever they fit.
export function columnSizes(view, width) {
  const { T, runs, tokens } = view.payload;
  const names = runs.length > 1 ? Math.max(...runs.map((run) => run.name.length * NAME + 20)) : 0;
  const [narrowest, widest] = width < 500 ? [58, 78] : [70, 130]; // "decoded" in whatever letters a browser has
  const gutter = Math.max(narrowest, Math.min(widest, names));
  const word = tokens ? Math.max(...tokens.map((token) => token.length)) * TOKEN + 8 : 0;
  const least = Math.max(rowSizes(view).least, letterOf(view).width, Math.min(98, word));
  return { gutter, cell: Math.max(least, Math.min(170, Math.floor((width - gutter - 4) / T))) };
}

function rowPlaces(payload, size) {
  const y = { image: size.top };
  y.token = y.image + (payload.images ? size.image + size.gap : 0);
  y.gold = y.token + (payload.tokens ? size.token : 0);
  y.runs = y.gold + (payload.gold ? size.gold : 4);
  y.spark = y.runs + payload.runs.length * size.run + 2;
  y.bracket = y.spark + size.spark;
  y.end = y.bracket + size.bracket;
  return y;
}

function gutter(view, size, y) {
  const { payload } = view;
  const label = (text, at, extra) => svg("text", { class: "rv-gutter " + (extra || ""), x: 2, y: at }, text);
  const compared = payload.runs.length > 1;
  const one = view.hidesFuture() ? "so far" : "decoded";
  const named = (run) => `${methodMark(run)} ${fitted(run.name, ((size.gutter - 20) * GLYPH) / NAME)}`;
  return [
    payload.images ? label("input", y.image + size.image / 2 + 4) : null,
    payload.tokens ? label(payload.images ? "token" : "input", y.token + 15) : null,
    payload.gold ? label("gold", y.gold + 15) : null,
    ...payload.runs.map((run, r) =>
      label(compared ? named(run) : one, y.runs + r * size.run + 16, compared ? methodClass(run) : ""),
    ),
    size.spark ? label("entropy", y.spark + size.spark / 2 + 5) : null,
  ].filter(Boolean);
}

// What a cell shows of the runs, in a word that another reading does not have.
function readsAt(view, i) {
  return view.isOpen(i) ? view.payload.runs.map((_, r) => view.reading(r, i).join()).join(";") : "";
}

function stripCell(view, i, size, y) {
  const { payload } = view;
  const x = size.gutter + size.cell * (i - 1);
  const hit = svg("rect", { class: "rv-hit", x: 0, y: 0, width: size.cell, height: size.height });
  const node = svg("g", { class: "rv-cell", transform: `translate(${x} 0)`, "data-cell": i }, hit);
  node.addEventListener("click", () => view.go(i));
  const cell = { node, reads: readsAt(view, i), paint: (now) => toggle(node, "rv-now", now) };
  if (!view.isOpen(i)) {
    node.append(svg("text", { class: "rv-unseen", x: size.cell / 2, y: y.runs + 17, "text-anchor": "middle" }, "·"));
    return cell;
  }
  if (payload.images) node.append(pixels(payload.images[i - 1], size.cell / 2, y.image, size.image));
  const written = (className, at, text, name) => {
    const place = { class: className, x: size.cell / 2, y: at, "text-anchor": "middle" };
    node.append(svg("text", place, text, whole(text, name)));
  };
  if (payload.tokens) {
    const token = payload.tokens[i - 1];
    written("rv-token", y.token + 15, middleCut(token, Math.floor((size.cell - 4) / TOKEN)), token);
  }
  if (payload.gold) {
    const gold = payload.gold[i - 1];
    const kind = letterOf(view).small ? "rv-gold rv-small" : "rv-gold";
    written(kind, y.gold + 16, shortLabel(view, gold, size.cell - 4), payload.labels[gold]);
  }
  if (payload.notes?.[i])
    node.append(
      svg("circle", { class: "rv-note-mark", cx: size.cell - 8, cy: 8, r: 3 }, svg("title", {}, payload.notes[i])),
    );
  // Where the methods decode different letters, their cells stand on a tinted ground.
  const read = payload.runs.map((_, r) => view.reading(r, i));
  if (new Set(read.map(([label]) => label)).size > 1) {
    node.append(
      svg("rect", {
        class: "rv-differ",
        x: 2,
        y: y.runs - 1,
        width: size.cell - 4,
        height: payload.runs.length * size.run,
        rx: 5,
      }),
    );
  }
  payload.runs.forEach((run, r) => node.append(decodedLetter(view, run, i, read[r], size, y.runs + r * size.run)));
  return cell;
}

// A wrong letter is marked by colour and by a dashed frame; a change against the baseline by an arrow and the
// difference.
function decodedLetter(view, run, i, [y, p, before], size, top) {
  const { payload } = view;
  const wrong = payload.gold && payload.gold[i - 1] !== y;
  const room = size.cell - 12;
  const node = svg("g", {
    class: `rv-decoded ${methodClass(run)}${wrong ? " rv-wrong" : ""}`,
    transform: `translate(0 ${top})`,
  });
  const { glyph, small } = letterOf(view);
  const letter = shortLabel(view, y, size.cell - 6, glyph);
  if (wrong) {
    const wide = Math.min(size.cell - 4, Math.max(20, letter.length * glyph + 10));
    node.append(
      svg("rect", { class: "rv-wrong-frame", x: (size.cell - wide) / 2, y: 1, width: wide, height: 20, rx: 4 }),
    );
  }
  const text_ = { class: small ? "rv-letter rv-small" : "rv-letter", x: size.cell / 2, y: 17, "text-anchor": "middle" };
  node.append(svg("text", text_, letter, whole(letter, payload.labels[y])));
  node.append(svg("rect", { class: "rv-track", x: 6, y: 25, width: room, height: 5, rx: 2 }));
  const bar = svg("rect", { class: "rv-own", x: 6, y: 25, height: 5, rx: 2 });
  bar.style.width = Math.max(1.5, p * room).toFixed(1) + "px";
  node.append(bar);
  const changed = isChange(p, before);
  if (changed)
    node.append(svg("line", { class: "rv-before", x1: 6 + before * room, x2: 6 + before * room, y1: 22, y2: 33 }));
  const beside = size.run === FLAT;
  if (size.run < ONE.run && !beside) return node; // no room for a number
  const place = beside
    ? { x: size.cell - 10, y: 16, "text-anchor": "end" }
    : { x: size.cell / 2, y: 42, "text-anchor": "middle" };
  node.append(svg("text", { class: "rv-value", ...place }, massText(p)));
  if (changed) {
    node.append(svg("title", {}, `${signedText(p - before)} after the change: it was ${massText(before)}`));
    node.append(changeArrow(size, beside, p - before));
  }
  return node;
}

// The number is the probability as it is now; an arrow next to it says which way it has moved, with the difference if
// the column has room.
function changeArrow({ cell }, beside, difference) {
  const text = signedText(difference);
  const roomy = cell >= (beside ? 150 : 100);
  const place = beside ? { x: cell - 46, y: 16, "text-anchor": "end" } : { x: cell / 2 + 18, y: 42 };
  return svg("text", { class: difference > 0 ? "rv-up" : "rv-down", ...place }, roomy ? text : text[0]);
}

// The whole of a name that was cut, to point at.
const whole = (shown, name) => (shown === name ? null : svg("title", {}, name));

function sparkline(view, run, r, size, y) {
  const values = view.positions.filter(view.isOpen).map((i) => run.columns[i].entropy || 0);
  const highest = Math.max(
    0.7,
    ...view.payload.runs.flatMap((other) => other.columns.map((column) => column.entropy || 0)),
  );
  const points = values.map((value, k) => [
    size.gutter + size.cell * (k + 0.5),
    y.spark + size.spark - 4 - (value / highest) * (size.spark - 8),
  ]);
  const dots = points.map(([cx, cy], k) =>
    svg(
      "circle",
      { class: "rv-spark-dot", cx, cy, r: 2.5 },
      svg("title", {}, `${run.name}, position ${k + 1}: entropy of the contexts ${numberText(values[k])} nats`),
    ),
  );
  return svg(
    "g",
    { class: "rv-spark " + methodClass(run) },
    svg("polyline", {
      points: points.map((p) => p.join(",")).join(" "),
      "stroke-dasharray": methodDash(run) || null,
    }),
    dots,
  );
}

// Where a run dropped the gold for good: a mark to click, and a dashed line under all that follows.
function lossMarks(view, size, y) {
  return view.payload.runs
    .map((run, r) => {
      if (!run.gold || run.gold.lost === null || !view.isOpen(run.gold.lost)) return null;
      const x = size.gutter + size.cell * (run.gold.lost - 1);
      const top = y.runs + r * size.run;
      const end = size.gutter + size.cell * (view.hidesFuture() ? view.position : view.payload.T);
      const mark = svg(
        "g",
        { class: "rv-loss", transform: `translate(${x} ${top + 11})`, "data-lost": run.gold.lost },
        svg("circle", { r: 8 }),
        svg("path", { d: "M-3 -3L3 3M3 -3L-3 3" }),
        svg("title", {}, `${run.name} lost the gold at position ${run.gold.lost}`),
      );
      mark.addEventListener("click", (event) => {
        event.stopPropagation();
        view.goToLoss(r);
      });
      return svg(
        "g",
        {},
        svg("line", { class: "rv-loss-line", x1: x, x2: end, y1: top + size.run - 1, y2: top + size.run - 1 }),
        mark,
      );
    })
    .filter(Boolean);
}
