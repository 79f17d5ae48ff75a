// A panel per method: its reading of the message and its mapping, side by side.

import { makeMatrix } from "./matrix.js";
import { makeMessage } from "./message.js";
import { html, setAttributes } from "../shared/dom.js";

export function makeReadings(view) {
  const parts = view.methods.map((_, m) => makeReading(view, m));
  const node = html(
    "div",
    { class: "rv-stage rv-sides" },
    parts.map((part) => part.node),
  );
  const each = (what) => () => parts.forEach((part) => part[what]());
  const layout = () => {
    setAttributes(node, { "data-sides": parts.length, "data-beside": String(view.isSideBySide()) });
    each("layout")();
  };
  return {
    node,
    layout,
    paint: each("paint"),
    highlight: each("highlight"),
    drawings: parts.map((part) => part.drawing),
  };
}

function makeReading(view, m) {
  const [message, matrix] = [makeMessage(view, m), makeMatrix(view, m)];
  const node = html(
    "section",
    { class: "rv-panel rv-reading-panel", "data-point": `method ${m + 1}`, "data-run": m },
    html("div", { class: "rv-panel-head" }, message.head),
    html("div", { class: "rv-reading-body" }, message.node, matrix.node),
  );

  function paint() {
    const { className, old } = view.methods[m];
    setAttributes(node, { class: `rv-panel rv-reading-panel ${className}`, "data-old": old ? "true" : null });
    message.paint();
    matrix.paint();
  }

  function highlight() {
    message.highlight();
    matrix.highlight();
  }

  return { node, drawing: matrix.drawing, layout: matrix.layout, paint, highlight };
}
