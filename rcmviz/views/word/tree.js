// The tree of contexts at the position: one row per context, indented below its least ancestor, with aligned mass bars.
// Dark is the context's own mass, pale what it holds together with all contexts that end in it; each has its number
// where its bar ends.

import { html, pool, setAttributes, setText, svg, toggle } from "../shared/dom.js";
import { ROW, listKeys, massScale, showRow } from "./list.js";
import { editedMark } from "./compared.js";
import { rowsInSight } from "./in_sight.js";
import { methodClass, methodMark } from "../shared/methods.js";
import { GLYPH } from "../shared/names.js";
import { shortContext } from "../shared/short_names.js";
import { countText, massText } from "../shared/numbers.js";
import { panel } from "../shared/parts.js";
import { setWorded, worded } from "../shared/words.js";

const SLIM = 250; // pixels; a tree below it has no room for the number of a subtree
const DIGIT = 8.9; // width of a digit of a mass, in the wider fonts

export function makeTree(view, r) {
  const run = view.payload.runs[r];
  const compared = view.payload.runs.length > 1;
  const box = panel(compared ? run.name : "Contexts", "rv-tree " + methodClass(run), ...legend());
  const frame = html("div", { class: "rv-scroll" });
  const drawing = svg("svg", {
    class: "rv-drawing rv-list",
    role: "listbox",
    tabindex: "0",
    "aria-label": "contexts, " + run.name,
  });
  const note = html("p", { class: "rv-more" });
  frame.append(drawing);
  box.body.append(frame, note);
  const elbows = svg("g", {}); // below the rows, so that a row's box is the row
  drawing.append(elbows);
  const parts = pool(drawing, () => treeRow(view, r, elbows));
  let measures = null; // of the rows; others after each layout
  const inSight = rowsInSight(frame);
  const rowsHere = () => view.memory.rows(r, view.position);
  listKeys(view, drawing, rowsHere);

  function layout() {
    const width = frame.clientWidth || 320;
    const deepest = Math.max(0, ...view.positions.map((i) => Math.max(...view.memory.rows(r, i).map(nameRoom))));
    const names = Math.min(Math.max(110, deepest), Math.round(width * 0.56));
    const both = width >= SLIM; // numbers behind the bars
    const inFrame = compared ? Math.min(view.frameRows, longestColumn(view)) : view.frameRows;
    measures = { width, names, both, inFrame };
    view.barRooms.push(width - names - (both ? 88 : 44));
    frame.style.height = measures.inFrame * ROW + 8 + "px";
    inSight.all();
  }

  function paint() {
    const rows = rowsHere();
    setAttributes(drawing, { width: measures.width, height: Math.max(rows.length, measures.inFrame) * ROW + 4 });
    const drawn = parts(rows.length);
    const scale = massScale(view);
    drawn.forEach((part, k) => part.paint(rows[k], rows, measures, scale));
    inSight.step(drawn.map(({ node }, k) => ({ node, slot: rows[k].index })));
    [...elbows.children].forEach((elbow, k) => {
      elbow.style.display = k < rows.length ? "" : "none";
    });
    setText(note, hiddenText(view, run.columns[view.position].more));
    const mark = html("span", { class: "rv-method" }, methodMark(run));
    if (compared) box.heading.replaceChildren(mark, " " + run.name, ...editedMark(run));
    else {
      const title = view.position < view.payload.T ? `Contexts after position ${view.position}` : "The end";
      setWorded(box.heading, title);
    }
    highlight();
  }

  function highlight() {
    const focus = view.focus();
    parts(rowsHere().length).forEach((part) => part.highlight(focus));
    showRow(
      frame,
      rowsHere().findIndex((row) => focus && row.name === (focus.carrier[r] || focus.name)),
    );
  }

  return { node: box.node, measure: inSight.measure, layout, paint, highlight, drawing };
}

// Trees next to each other are of one height, at every position.
function longestColumn({ payload, memory, positions }) {
  return Math.max(...payload.runs.flatMap((_, r) => positions.map((i) => memory.rows(r, i).length)));
}

function legend() {
  return [
    ["rv-swatch", "own mass", "of the context alone"],
    ["rv-swatch rv-swatch-pale", "subtree", "with all contexts that end in it"],
  ].map(([name, said, title]) => html("span", { class: "rv-legend", title }, html("i", { class: name }), worded(said)));
}

function nameRoom(row) {
  return 38 + row.depth * 13 + row.name.length * GLYPH; // with its dot and a star
}

// Contexts that were not sent.
function hiddenText(view, [count, forward, posterior]) {
  if (!count) return "";
  return `… ${countText(count)} more contexts, mass ${massText(view.mass === "forward" ? forward : posterior)}`;
}

function treeRow(view, r, elbows) {
  const hit = svg("rect", { class: "rv-hit", height: ROW, rx: 4 });
  const elbow = svg("path", { class: "rv-elbow" });
  const dot = svg("circle", { class: "rv-dot", r: 4 });
  const name = svg("text", { class: "rv-name" });
  const star = svg("text", { class: "rv-gold-mark" }, "★");
  const pale = svg("rect", { class: "rv-pale", height: 12, rx: 2 });
  const own = svg("rect", { class: "rv-own", height: 12, rx: 2 });
  const value = svg("text", { class: "rv-value" });
  const below = svg("text", { class: "rv-subtree" });
  const node = svg("g", { class: "rv-row", role: "option" }, hit, pale, own, dot, name, star, value, below);
  let row = null;
  let drawnTo = null;
  elbows.append(elbow);
  setAttributes(node, { "data-run": r });
  node.addEventListener("pointerenter", () => view.hover({ name: row.name, run: r, position: view.position }));
  node.addEventListener("pointerleave", () => view.hover(null));
  node.addEventListener("click", () => view.select(row.name, r));

  // What depends on the width alone.
  function draw(measures) {
    setAttributes(hit, { width: measures.width });
    setAttributes(dot, { cy: ROW / 2 });
    setAttributes(name, { y: ROW / 2 + 4.5 });
    for (const text of [star, value, below]) setAttributes(text, { y: ROW / 2 + 4 });
    for (const bar of [pale, own]) setAttributes(bar, { x: measures.names, y: (ROW - 12) / 2 });
    drawnTo = measures;
  }

  function paint(next, all, measures, scale) {
    row = next;
    if (drawnTo !== measures) draw(measures);
    const [mass, tree] = [row[view.mass], row[view.mass + "Tree"]];
    const x = 12 + row.depth * 13;
    const y = row.index * ROW;
    setAttributes(node, {
      transform: `translate(0 ${y})`,
      "aria-label": `${row.name}, own mass ${massText(mass)}, with those that end in it ${massText(tree)}`,
      "data-name": row.name,
    });
    setAttributes(elbow, { d: elbowPath(row, all[row.parent]), transform: `translate(0 ${y})` });
    setAttributes(dot, { cx: x });
    setAttributes(name, { x: x + 9 });
    const room = measures.names - x - 24;
    setText(name, shortContext(view, row, view.position, room, all[row.parent]));
    setAttributes(star, { x: x + 14 + Math.min(row.name.length * GLYPH, room) });
    star.style.display = row.index === view.payload.runs[r].columns[view.position].gold ? "" : "none";
    pale.style.width = scale(tree).toFixed(1) + "px";
    own.style.width = scale(mass).toFixed(1) + "px";
    setText(value, massText(mass));
    const subtree = massText(tree);
    setText(below, measures.both && subtree !== massText(mass) ? subtree : "");
    const end = (of) => measures.names + scale(of) + 5;
    placeNumbers(value, end(mass), below, end(tree));
  }

  function highlight(focus) {
    const carrier = focus && focus.carrier[r];
    const on = focus && focus.name === row.name;
    toggle(node, "rv-on", on);
    toggle(node, "rv-carrier", Boolean(carrier) && carrier === row.name && !on);
    toggle(node, "rv-chain", focus && !on && carrier !== row.name && focus.chain.includes(row.name));
    setAttributes(node, { "aria-selected": view.node === row.name });
  }

  return { node, paint, highlight };
}

// Numbers stand where their bars end; where both end in one place, the subtree's behind the own one.
function placeNumbers(value, x, below, end) {
  setAttributes(value, { x });
  setAttributes(below, { x: Math.max(end, x + value.textContent.length * DIGIT + 7) });
}

function elbowPath(row, parent) {
  if (!parent) return "";
  const x = 12 + parent.depth * 13;
  return `M${x} ${(parent.index - row.index) * ROW + ROW / 2 + 5}V${ROW / 2}H${12 + row.depth * 13 - 5}`;
}
