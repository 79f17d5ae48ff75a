// What stands above a position of the heat map: what was observed, where no picture says it, the gold label, and the
// label that a method reads with its posterior.

import { setAttributes, setText, svg, toggle } from "../shared/dom.js";
import { massText, signedText } from "../shared/numbers.js";
import { letterOf, middleCut, shortLabel } from "../shared/short_names.js";
import { isChange } from "./letters.js";

const NUMBERED = 44; // pixels of a column in which a number has room
export const TOKEN = 7.4; // width of a character of a token

export function makeHead(view, r, i, size) {
  const { gold, labels } = view.payload;
  const { glyph, small } = letterOf(view);
  const middle = { x: size.column / 2, "text-anchor": "middle" };
  const height = size.top + size.height;
  const hit = svg("rect", { class: "rv-hit", width: size.column, height });
  const named = svg("title", {});
  const token = svg("text", { class: "rv-token", ...middle, y: 15 });
  const right = svg("text", { class: small ? "rv-gold rv-small" : "rv-gold", ...middle, y: size.top - 46 });
  const frame = svg("rect", { class: "rv-wrong-frame", y: size.top - 40, height: 20, rx: 4 });
  const read = svg("text", { class: small ? "rv-letter rv-small" : "rv-letter", ...middle, y: size.top - 24 });
  const value = svg("text", { class: "rv-value", ...middle, y: size.top - 6 });
  const place = { transform: `translate(${size.gutter + size.column * (i - 1)} 0)`, "data-cell": i };
  const node = svg("g", { class: "rv-cell", ...place }, named, hit, token, right, frame, read, value);
  node.addEventListener("click", () => view.go(i));

  function paint() {
    const isOpen = view.isOpen(i);
    const [y, p, before] = isOpen ? view.reading(r, i) : [null, null, null];
    const isWrong = isOpen && gold !== null && gold[i - 1] !== y;
    const isChanged = isOpen && isChange(p, before);
    const name = isOpen ? shortLabel(view, y, size.column - 6, glyph) : "·";
    setText(read, name);
    const most = Math.floor((size.column - 4) / TOKEN);
    setText(token, isOpen && size.tokens ? middleCut(size.tokens[i - 1], most) : "");
    setText(right, isOpen && gold ? shortLabel(view, gold[i - 1], size.column - 4) : "");
    const arrow = isChanged ? ` ${signedText(p - before)[0]}` : "";
    setText(value, isOpen && size.column >= NUMBERED ? massText(p) + arrow : "");
    const of = size.tokens ? `${size.tokens[i - 1]}: ` : "";
    const other = isWrong && labels[gold[i - 1]];
    setText(named, isOpen ? of + headText(labels[y], p, isChanged ? before : null, other) : "");
    const wide = Math.min(size.column - 4, Math.max(20, name.length * glyph + 10));
    setAttributes(frame, { x: (size.column - wide) / 2, width: wide });
    frame.style.display = isWrong ? "" : "none";
    toggle(node, "rv-wrong", isWrong);
    toggle(read, "rv-unseen", !isOpen);
    toggle(value, "rv-up", isChanged && p > before);
    toggle(value, "rv-down", isChanged && p < before);
  }

  return { node, paint };
}

function headText(label, p, before, gold) {
  const was = before === null ? "" : `; it was ${massText(before)} before the change`;
  return `${label}, ${massText(p)}${was}${gold ? `; the gold has ${gold}` : ""}`;
}
