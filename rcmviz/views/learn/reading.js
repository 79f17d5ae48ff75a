// One held-out example as every method reads it at a checkpoint.

import { checkpointAt } from "./checkpoints.js";
import { html, svg } from "../shared/dom.js";
import { spell } from "../shared/names.js";
import { countText, massText, percentText } from "../shared/numbers.js";

export function readingRows(view) {
  const rows = [inputRow(view), ...view.methods.map((method, m) => readingRow(view, method, m))];
  const width = cellWidth(view);
  for (const row of rows) row.style.setProperty("--rv-cell", width);
  return rows;
}

function cellWidth(view) {
  const shown = [...view.payload.labels, ...(view.payload.sequence.tokens || [])];
  return `${Math.max(26, 10.5 * Math.min(14, Math.max(...shown.map((name) => [...name].length))) + 8)}px`;
}

function inputRow(view) {
  const { gold, images, tokens } = view.payload.sequence;
  const cells = gold.map((y, i) =>
    html(
      "span",
      { class: "rv-cell-letter" },
      images ? inkOf(images[i]) : html("span", { class: "rv-token", title: tokens[i] }, tokens[i]),
      html("span", { class: "rv-gold-name" }, y < 0 ? "?" : view.payload.labels[y]),
    ),
  );
  return html(
    "div",
    { class: "rv-reading-row rv-input" },
    html("span", { class: "rv-reading-name" }, "input and gold"),
    html("span", { class: "rv-letters" }, cells),
    html("span", { class: "rv-reading-head" }, "confidence, P(gold)"),
    html("span", { class: "rv-reading-head" }, "checkpoint by checkpoint"),
  );
}

function inkOf(rows) {
  const d = rows.map((row, v) => [...row].map((on, u) => (on === "1" ? `M${u} ${v}h1v1h-1z` : "")).join("")).join("");
  return svg(
    "svg",
    {
      viewBox: `0 0 ${rows[0].length} ${rows.length}`,
      width: rows[0].length * 2.5,
      height: rows.length * 2.5,
      "aria-hidden": "true",
    },
    svg("path", { class: "rv-ink", d, "shape-rendering": "crispEdges" }),
  );
}

function readingRow(view, method, m) {
  const name = html(
    "span",
    { class: `rv-reading-name rv-method ${method.className}` },
    `${method.mark} ${method.name}`,
  );
  const checkpoint = checkpointAt(view, method);
  if (!checkpoint || !checkpoint.decoded)
    return html("div", { class: "rv-reading-row" }, name, html("span", { class: "rv-dim" }, "no checkpoint yet"));
  const { gold } = view.payload.sequence;
  const letters = checkpoint.decoded.map((y, i) =>
    html(
      "span",
      { class: "rv-cell-letter rv-name" + (gold[i] === y ? "" : " rv-wrong-letter") },
      view.payload.labels[y],
    ),
  );
  const numbers = html(
    "span",
    { class: "rv-reading-numbers" },
    bar(checkpoint.confidence, isRight(view, checkpoint)),
    html("b", {}, percentText(checkpoint.confidence)),
    html("span", { class: "rv-dim" }, checkpoint.gold === null ? "" : `gold ${massText(checkpoint.gold)}`),
  );
  const open =
    view.payload.opens && view.host.trigger
      ? html(
          "button",
          {
            type: "button",
            class: "rv-button",
            title: "open this example as this checkpoint reads it, position by position",
            onclick: () => view.host.trigger("open", { method: m, step: checkpoint.step }),
          },
          "step through",
        )
      : null;
  return html(
    "div",
    { class: "rv-reading-row " + method.className },
    name,
    html("span", { class: "rv-letters" }, letters),
    numbers,
    history(view, method),
    open,
  );
}

function bar(share, right) {
  const inner = html("span", { class: "rv-share" + (right ? "" : " rv-wrong") });
  inner.style.width = Math.max(1, 100 * share) + "%";
  return html("span", { class: "rv-share-track" }, inner);
}

function isRight(view, checkpoint) {
  return checkpoint.decoded.every((y, i) => y === view.payload.sequence.gold[i]);
}

// One bar per checkpoint, as high as the confidence; an outline where the word was read wrong.
function history(view, method) {
  const pitch = 5;
  const readingText = ({ step, decoded, confidence }) =>
    `after ${countText(step)}: ${spell(view, decoded)}, ${percentText(confidence)}`;
  const bars = method.checkpoints.map((checkpoint, k) => {
    const height = Math.max(2.5, 22 * checkpoint.confidence);
    const node = svg(
      "rect",
      {
        class:
          "rv-past" +
          (isRight(view, checkpoint) ? "" : " rv-wrong") +
          (checkpoint === checkpointAt(view, method) ? " rv-now" : ""),
        x: k * pitch,
        y: 24 - height,
        width: pitch - 1.5,
        height,
      },
      svg("title", {}, readingText(checkpoint)),
    );
    node.addEventListener("click", () => view.choose(checkpoint.step));
    return node;
  });
  return svg(
    "svg",
    {
      class: "rv-history",
      width: 34 * pitch,
      height: 26,
      role: "img",
      "aria-label": `${method.name}: confidence at each checkpoint`,
    },
    bars,
  );
}
