// The star in numbers, a row for each word: its probability at the centre and the leaves, and the message between them.

import { html, setAttributes, setText } from "../shared/dom.js";
import { massText } from "../shared/numbers.js";
import { panel } from "../shared/parts.js";
import { makeSigned, scoreText } from "../shared/signed.js";

export function makeMessages(view, stepOf) {
  const { words, order, steps } = view.payload;
  const arms = Array.from({ length: order }, (_, l) => l + 1);
  const most = Math.max(...steps.flatMap((step) => step.nodes.flat()));
  const largest = Math.max(...steps.flatMap((step) => step.delta.flat().map(Math.abs)), 1e-9);
  const box = panel("Messages between centre and leaves", "rv-messages rv-details");
  const head = html(
    "div",
    { class: "rv-message-row rv-message-head" },
    html("span", {}, "word"),
    arms.flatMap((l) => [html("span", {}, `δ to leaf ${l}`), html("span", {}, `μ centre, leaf ${l}`)]),
  );
  const rows = words.map((word) => rowOf(word, arms));
  const grid = html("div", { class: "rv-message-grid" }, head, rows.map((row) => row.node));
  grid.style.setProperty("--rv-arms", order);
  box.body.append(grid);
  setAttributes(box.body, { tabindex: 0, role: "group", "aria-label": "messages and marginals, word by word" });

  function paint() {
    const { delta, nodes } = stepOf(view);
    rows.forEach((row, w) =>
      row.arms.forEach((arm, l) => {
        arm.message.paint(delta[l][w], largest);
        setText(arm.value, scoreText(delta[l][w], 2));
        arm.centre.style.width = `${((100 * nodes[0][w]) / most).toFixed(2)}%`;
        arm.leaf.style.width = `${((100 * nodes[l + 1][w]) / most).toFixed(2)}%`;
        setText(arm.shares, `${massText(nodes[0][w])} ${massText(nodes[l + 1][w])}`);
        setAttributes(arm.shares, { title: `centre ${nodes[0][w]}, leaf ${nodes[l + 1][w]}` });
      }),
    );
  }

  return { node: box.node, layout() {}, paint, highlight() {} };
}

function rowOf(word, arms) {
  const parts = arms.map(() => ({
    message: makeSigned(),
    value: html("span", { class: "rv-message-value" }),
    centre: html("span", { class: "rv-share-bar rv-of-centre" }),
    leaf: html("span", { class: "rv-share-bar rv-of-leaf" }),
    shares: html("span", { class: "rv-message-value" }),
  }));
  const node = html(
    "div",
    { class: "rv-message-row", "data-point": `row ${word}` },
    html("code", { class: "rv-name" }, word),
    parts.flatMap(({ message, value, centre, leaf, shares }) => [
      html("span", { class: "rv-message-cell" }, message.node, value),
      html("span", { class: "rv-message-cell" }, html("span", { class: "rv-two-bars" }, centre, leaf), shares),
    ]),
  );
  return { node, arms: parts };
}
