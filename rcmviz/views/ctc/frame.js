// The symbols of the current frame: the emission by the classifier, and the posterior from all frames.

import { html, setText } from "../shared/dom.js";
import { visible } from "../shared/names.js";
import { massText } from "../shared/numbers.js";
import { panel } from "../shared/parts.js";

const ROWS = 5;
export const BLANK = "–";

export const symbolName = ({ payload }, row) => (row < payload.labels.length ? visible(payload.labels[row]) : BLANK);

export function makeFrame(view) {
  const box = panel("", "rv-ctc-symbols " + view.className);
  const list = html("ol", { class: "rv-word-list" });
  const note = "Bar: emission, from this frame alone. Line: posterior, from all frames and the model.";
  box.body.append(list, html("p", { class: "rv-more" }, note));

  function paint() {
    const t = view.position - 1;
    const { emit, posterior } = view.payload;
    setText(box.heading, `Symbols of frame ${view.position}`);
    const height = (row) => Math.max(emit[row][t], posterior[row][t]);
    const rows = emit.map((_, row) => row).sort((a, b) => height(b) - height(a) || a - b);
    list.replaceChildren(...rows.slice(0, ROWS).map((row) => symbolLine(view, row, emit[row][t], posterior[row][t])));
  }

  return { node: box.node, layout() {}, paint, highlight() {} };
}

function symbolLine(view, row, share, posterior) {
  const [bar, line] = [html("span", { class: "rv-bar-own" }), html("span", { class: "rv-bar-before" })];
  bar.style.width = `max(1.5px, ${(100 * share).toFixed(2)}%)`;
  line.style.left = `calc(${(100 * posterior).toFixed(2)}% - 1px)`;
  return html(
    "li",
    {},
    html("code", { class: "rv-name" }, symbolName(view, row)),
    html("span", { class: "rv-bar-track" }, bar, line),
    html("span", { class: "rv-bar-value" }, `${massText(share)} → ${massText(posterior)}`),
  );
}
