// Gold minus output, position by position: under the full model, and as the method compared them.

import { html, setAttributes, svg, toggle } from "../shared/dom.js";
import { termsOf } from "../shared/names.js";
import { numberText } from "../shared/numbers.js";
import { shortLabel } from "../shared/short_names.js";

const ROW = { gold: 16, output: 34, top: 42, half: 30, number: 116, own: 131, end: 136 };
const GUTTER = 92;

export function makeDifferences(view, run) {
  const drawing = svg("svg", { class: "rv-drawing" });
  const frame = html(
    "div",
    { class: "rv-differences-frame", tabindex: "0", role: "group", "aria-label": `${run.name}: gold minus output` },
    drawing,
  );
  const note = html("p", { class: "rv-more" });
  const node = html("div", { class: "rv-differences", hidden: true }, frame, note);
  const current = svg("rect", { class: "rv-current", y: 1, height: ROW.end - 2, rx: 6 });
  const size = { cell: 44 };

  function layout() {
    const { T, gold } = view.payload;
    size.cell = Math.max(46, Math.min(72, (view.width - GUTTER - 60) / (T + 1)));
    const { difference, own } = run.blame;
    const finite = [...difference, ...own].filter((value) => value !== null).map(Math.abs);
    const scale = ROW.half / Math.max(1e-9, ...finite);
    setAttributes(drawing, { width: GUTTER + size.cell * (T + 1) + 4, height: ROW.end });
    const columns = view.positions.map((i) => {
      const pair = [gold[i - 1], run.path.labels[i - 1]];
      return column(view, i, size, pair, difference[i - 1], own[i - 1], scale);
    });
    const zero = ROW.top + ROW.half;
    const axis = svg("path", { class: "rv-zero", d: `M${GUTTER} ${zero}h${size.cell * T}` });
    drawing.replaceChildren(...heads(view), axis, ...columns, total(run, T, size), current);
    note.textContent =
      "Dark: the full model. Pale: what the method compared. Up: the gold is ahead; down: the output is. Nats.";
    paint();
  }

  function paint() {
    if (node.hidden) return;
    setAttributes(current, { x: GUTTER, width: size.cell });
    current.style.transform = `translateX(${size.cell * (view.position - 1)}px)`;
  }

  return { node, layout, paint };
}

function heads(view) {
  const { label } = termsOf(view);
  const lines = [[`★ gold ${label}`, ROW.gold], ["output", ROW.output], ["full model", ROW.number], ["own", ROW.own]];
  return lines.map(([text, y]) => svg("text", { class: "rv-gutter", x: 2, y }, text));
}

function column(view, i, size, [gold, output], full, own, scale) {
  const x = GUTTER + size.cell * (i - 0.5);
  const name = (label, y, className) =>
    svg("text", { class: className, x, y, "text-anchor": "middle" }, shortLabel(view, label, size.cell - 4));
  const { labels } = view.payload;
  const title = `${labels[gold]} − ${labels[output]}`;
  const node = svg(
    "g",
    { class: "rv-cell", onclick: () => view.go(i) },
    svg("rect", { class: "rv-hit", x: x - size.cell / 2, y: 0, width: size.cell, height: ROW.end }),
    svg("title", {}, `${title}: ${signedNumber(full)} full model, ${signedNumber(own)} the method`),
    name(gold, ROW.gold, "rv-name rv-gold-label"),
    name(output, ROW.output, "rv-name rv-output-label"),
    bar(own, x + 1, 9, scale, "rv-own-bar"),
    bar(full, x - 10, 9, scale, "rv-full-bar"),
    svg("text", { class: "rv-value", x, y: ROW.number, "text-anchor": "middle" }, signedNumber(full)),
    svg("text", { class: "rv-value rv-dim", x, y: ROW.own, "text-anchor": "middle" }, signedNumber(own)),
  );
  toggle(node, "rv-unlike", gold !== output);
  return node;
}

function bar(value, x, width, scale, className) {
  const zero = ROW.top + ROW.half;
  const height = value === null ? ROW.half : Math.max(0.5, Math.abs(value) * scale);
  const y = value !== null && value > 0 ? zero - height : zero;
  return svg("rect", { class: className + (value === null ? " rv-lost" : ""), x, y, width, height });
}

function total(run, T, size) {
  const x = GUTTER + size.cell * (T + 0.5);
  const at = { x, "text-anchor": "middle" };
  return svg(
    "g",
    {},
    svg("text", { class: "rv-gutter", ...at, y: ROW.output }, "sum"),
    svg("text", { class: "rv-sum", ...at, y: ROW.number }, signedNumber(run.blame.margin)),
    svg("text", { class: "rv-value rv-dim", ...at, y: ROW.own }, signedNumber(run.blame.ownMargin)),
  );
}

function signedNumber(value) {
  return (value > 0 ? "+" : "") + numberText(value);
}
