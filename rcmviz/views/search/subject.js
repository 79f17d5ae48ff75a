// The input: the handwriting, or the keys that were typed, with the best answer and the right one below.

import { html, svg } from "../shared/dom.js";
import { pixels } from "../shared/ink.js";
import { fitted } from "../shared/names.js";
import { telling } from "../shared/words.js";

const BEST = "best: the answer with the highest score of all; the searches try to find it.";
const MEANT = "meant: the correct answer; the model may score another one higher.";
const LETTER = { width: 40, high: 46, gutter: 70, line: 22, top: 6 };

export function makeSubject(view) {
  const { payload } = view;
  const { images, inputs, best, gold, labels } = payload;
  const drawing = svg("svg", { class: "rv-drawing", role: "img", "aria-label": spokenSubject(payload) });
  const frame = html("div", { class: "rv-strip-frame", tabindex: "0", role: "group", "aria-label": "input" }, drawing);
  const node = html("section", { class: "rv-panel rv-strip" }, frame);
  const wide = images
    ? LETTER.width
    : Math.max(...[...inputs, ...best.labels.map((y) => labels[y])].map((text) => 9 * text.length), 30) + 16;
  const y = { best: LETTER.top + (images ? LETTER.high : 16) + 14 };
  y.gold = y.best + LETTER.line;
  const known = gold && gold.some((label, i) => label !== best.labels[i]);
  const text = (className, x, at, said, anchor = "middle") =>
    svg("text", { class: className, x, y: at, "text-anchor": anchor }, said);
  best.labels.forEach((label, i) => {
    const middle = LETTER.gutter + wide * (i + 0.5);
    if (images?.[i]) drawing.append(pixels(images[i], middle, LETTER.top, LETTER.high - 8));
    if (inputs?.[i]) drawing.append(text("rv-name", middle, LETTER.top + 12, inputs[i]));
    const wrong = gold && gold[i] !== label;
    drawing.append(
      svg("g", { class: wrong ? "rv-wrong" : "" }, text("rv-letter", middle, y.best, fitted(labels[label], wide - 4))),
    );
    if (known) drawing.append(text("rv-gold", middle, y.gold, fitted(labels[gold[i]], wide - 4)));
  });
  drawing.append(telling(text("rv-gutter", 4, y.best - 2, "best", "start"), BEST));
  if (known) drawing.append(telling(text("rv-gutter", 4, y.gold - 2, "meant", "start"), MEANT));
  drawing.setAttribute("width", LETTER.gutter + wide * best.labels.length + 6);
  drawing.setAttribute("height", (known ? y.gold : y.best) + 8);
  return { node, drawing, layout() {}, paint() {}, highlight() {} };
}

function spokenSubject({ title, best, labels, glue }) {
  return `${title}; the best answer is ${best.labels.map((label) => labels[label]).join(glue)}`;
}
