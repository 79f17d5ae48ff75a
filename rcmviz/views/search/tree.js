// The tree of a search, pop by pop: one layout for the whole run, so that nothing moves. The way to the best output is
// a straight line on top, other attempts open rows below. Nodes are drawn if they are popped at some time or lead to
// the best or the right output; the number of the others is written after their parent.

import { fateAt, nameOf, pathTo, runOf, scoreOf, wayOf } from "./state.js";
import { axisText } from "../shared/chart.js";
import { html, setAttributes, svg, toggle } from "../shared/dom.js";
import { stretched } from "../shared/figures.js";
import { GLYPH, fitted } from "../shared/names.js";
import { panel } from "../shared/parts.js";
import { named, telling } from "../shared/words.js";

const TREE = { top: 18, row: 25, left: 12, gap: 27, tight: 21, high: 19, widest: 104, count: 34 };
const HELP = "expansion: one hypothesis is taken from the queue, and all its extensions are scored.";
const MARGIN = 40; // around the node popped last
const MARKS = { dropped: "✕", joined: "∪" };

export function makeTree(view) {
  const box = panel("", "rv-tree-panel", ...legend());
  telling(box.heading, HELP);
  const drawing = svg("svg", { class: "rv-drawing rv-search-tree", role: "img" });
  const frame = html("div", { class: "rv-tree-frame", tabindex: "0", role: "group", "aria-label": "tree" }, drawing);
  box.body.append(frame);
  let shown = [];
  let places = new Map();
  let drawn = null;

  function layout() {
    const run = (drawn = runOf(view));
    const tree = treeOf(run, view.payload);
    tree.row = Math.max(TREE.high + 2, stretched(drawing, TREE.row * tree.count) / tree.count);
    places = placesOf(view, run, tree, (frame.clientWidth || view.width - 30) - 4);
    shown = [...places.keys()].map((node) => nodeShape(view, run, tree, node, places));
    setAttributes(drawing, { width: tree.width, height: TREE.top + tree.row * tree.count });
    drawing.replaceChildren(...shown.flatMap(({ edge }) => edge ?? []), ...shown.map(({ node }) => node));
  }

  function paint() {
    if (runOf(view) !== drawn) layout();
    const run = runOf(view);
    const now = run.pops[view.position - 1];
    const way = new Set([0, ...pathTo(run, now)]);
    box.heading.textContent = `${run.name}: ${view.position} of ${run.pops.length} expansions`;
    shown.forEach((shape) => shape.paint(view.position, now, way));
    setAttributes(drawing, { "aria-label": `tree of ${run.name}; taken last: ${nameOf(view, now)}` });
    bringIntoSight(frame, places.get(now), [...new Set([...places.values()].map(({ x }) => x))]);
  }

  return { node: box.node, drawing, layout, paint, highlight() {} };
}

function legend() {
  const entry = ([fate, ...said]) =>
    html("span", { class: "rv-legend" }, html("i", { class: "rv-legend-pill", "data-fate": fate }), named(...said));
  return [
    ["popped", "expanded", "expanded: taken from the queue, and extended by each label."],
    ["queued", "waits", "waits: is in the queue."],
    ["dropped", "lost", "lost: fell off the full queue, or was not kept by the beam."],
  ].map(entry);
}

// Rows of the drawn nodes, {node: row}, their children and how many rows there are.
function treeOf(run, { best, gold }) {
  const { parent, gone, fate } = run.nodes;
  const bestWay = wayOf(run, best.labels);
  const wanted = new Set([0, ...bestWay, ...(gold ? wayOf(run, gold) : [])]);
  parent.forEach((_, n) => {
    if (gone[n] >= 0 && fate[n] === "popped") wanted.add(n);
  });
  const children = new Map([...wanted].map((n) => [n, []]));
  wanted.forEach((n) => n && children.get(parent[n])?.push(n));
  const first = new Set(bestWay);
  const rows = new Map();
  let count = 0;
  const visit = (n, row) => {
    rows.set(n, row);
    const order = children.get(n).sort((a, b) => first.has(b) - first.has(a) || scoreOf(run, b) - scoreOf(run, a));
    order.forEach((child, k) => visit(child, k ? (count += 1) : row));
  };
  visit(0, 0);
  return { rows, children, bestWay: first, count: count + 1, width: 0 };
}

// Columns are as wide as their longest label; the remaining width goes between them.
function placesOf(view, run, tree, room) {
  const depth = new Map([...tree.rows.keys()].map((n) => [n, pathTo(run, n).length]));
  const wide = [];
  depth.forEach((d, n) => {
    wide[d] = Math.max(wide[d] ?? 0, pillWidth(labelOf(view, run, n)));
  });
  const counts = [...depth].some(([n, d]) => d + 1 === wide.length && hiddenOf(run, tree, n) > 0);
  const least = TREE.left + wide.reduce((sum, one) => sum + one + TREE.gap, -TREE.gap) + (counts ? TREE.count : 6);
  const spare = (room - least) / Math.max(1, wide.length - 1);
  const more = spare < TREE.tight - TREE.gap ? 0 : Math.min(40, spare); // a little tighter if the whole tree then fits
  const left = [];
  wide.reduce((x, one, d) => ((left[d] = x), x + one + TREE.gap + more), TREE.left);
  tree.width = least + more * (wide.length - 1);
  if (tree.width > room) tree.width += 2 * MARGIN + TREE.gap; // so that the last columns can begin at the left edge
  return new Map([...depth].map(([n, d]) => [n, { x: left[d], y: TREE.top + tree.row * tree.rows.get(n) }]));
}

const labelOf = (view, run, n) => (n ? fitted(view.payload.labels[run.nodes.label[n]], TREE.widest) : "·");
const hiddenOf = (run, tree, n) => (run.nodes.made[n] ?? 0) - tree.children.get(n).length;
const pillWidth = (text) => Math.min(TREE.widest, GLYPH * [...text].length) + 13;

function nodeShape(view, run, tree, n, places) {
  const { x, y } = places.get(n);
  const text = labelOf(view, run, n);
  const width = pillWidth(text);
  const hidden = hiddenOf(run, tree, n);
  const pill = svg("rect", { class: "rv-pill", x, y: y - TREE.high / 2, width, height: TREE.high, rx: TREE.high / 2 });
  const name = svg("text", { class: "rv-name", x: x + width / 2, y: y + 4.5, "text-anchor": "middle" }, text);
  const lost = svg("text", { class: "rv-pill-mark", x: x + width + 3, y: y + 4.5 });
  const more = axisText(hidden > 0 ? `+${hidden}` : "", { x: x + width + 3, y: y + 4 });
  const edge = n
    ? edgeShape(places.get(run.nodes.parent[n]), pillWidth(labelOf(view, run, run.nodes.parent[n])), { x, y })
    : null;
  const node = svg(
    "g",
    {
      class: "rv-search-node",
      "data-point": `node ${nameOf(view, n)}`,
      onclick: () => view.go(Math.max(1, run.nodes.born[n])),
    },
    pill,
    name,
    more,
    lost,
  );
  toggle(node, "rv-on-best", tree.bestWay.has(n));

  function paint(pop, now, way) {
    const fate = fateAt(run, n, pop);
    setAttributes(node, { "data-fate": fate, display: fate === "later" ? "none" : null });
    if (edge) {
      setAttributes(edge, { "data-fate": fate, display: fate === "later" ? "none" : null });
      toggle(edge, "rv-way", way.has(n));
    }
    toggle(node, "rv-way", way.has(n));
    toggle(node, "rv-now", n === now);
    setAttributes(more, { display: fate === "popped" ? null : "none" });
    lost.textContent = MARKS[fate] ?? "";
  }

  return { node, edge, paint };
}

// Straight on in the same row, else down next to the parent and then to the right.
function edgeShape(parent, width, { x, y }) {
  const right = parent.x + width;
  const turn = right + 9;
  const down = `H${turn - 4}Q${turn} ${parent.y} ${turn} ${parent.y + 4}V${y - 5}Q${turn} ${y} ${turn + 5} ${y}`;
  return svg("path", { class: "rv-search-edge", d: `M${right} ${parent.y}${parent.y === y ? "" : down}H${x}` });
}

// Scrolls as little as possible; sideways by whole columns, so that no label is cut at the left edge.
function bringIntoSight(frame, { x, y }, columns) {
  const scrollTarget = (at, from, size) =>
    at < from + MARGIN ? Math.max(0, at - MARGIN) : at > from + size - 2 * MARGIN ? at - size + 2 * MARGIN : from;
  frame.scrollTop = scrollTarget(y, frame.scrollTop, frame.clientHeight);
  if (frame.scrollWidth <= frame.clientWidth) return;
  const wanted = scrollTarget(x, frame.scrollLeft, frame.clientWidth);
  const whole = columns.filter((left) => left >= wanted && left <= x);
  frame.scrollLeft = wanted > 0 ? Math.min(...whole) - 4 : 0;
}
