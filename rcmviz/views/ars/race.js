// Several methods on one input: a card for each, and log Z by budget between the bounds of ARS.

import { setAttributes } from "../shared/dom.js";
import { fileName, makeExportBar } from "../shared/export_bar.js";
import { findTheme } from "../shared/theme.js";
import { begin, makeMount, paintParts, renew } from "../shared/view.js";
import { makeCards, truthOf } from "./race_cards.js";
import { makeBounds } from "./race_chart.js";

function makeView(root, payload, host) {
  const view = { root, host, width: 0, parts: {} };
  view.load = (next) => {
    view.payload = next;
    view.truth = truthOf(next.methods);
  };
  view.build = () => {
    view.parts = { cards: makeCards(view), chart: makeBounds(view), tools: makeBar(view) };
    view.figures = [[view.parts.cards.node], [view.parts.chart.node]];
    root.replaceChildren(view.parts.cards.node, view.parts.chart.node, view.parts.tools.node);
  };
  view.repaint = (due) => {
    paintParts(view.parts, due);
    setAttributes(root, { "data-ready": "true", "data-id": view.payload.id });
  };
  return view;
}

function makeBar(view) {
  return makeExportBar(view, {
    file: () => fileName("compare", view.payload.title),
    tables: [{ rows: () => raceRows(view), title: "a row per method" }],
    picture: {
      title: "the chart",
      lines: () => [`log Z by budget · ${view.payload.title}`],
      drawings: () => [view.parts.chart.drawing],
    },
  });
}

function raceRows(view) {
  const answered = view.payload.methods.filter((method) => method.words);
  return [
    ["method", "words", "log p", "confidence", "log Z", "log Z at most", "contexts", "arcs", "milliseconds"],
    ...answered.map((method) => [
      method.name,
      method.words.join(" "),
      method.logScore,
      method.own ?? "",
      method.logZ ?? method.bounds[0],
      method.bounds?.[1] ?? "",
      method.contexts,
      method.arcs,
      method.milliseconds,
    ]),
  ];
}

export default makeMount(
  "rv-player rv-ars rv-race",
  (root, payload, host) => begin(makeView(root, payload, host), payload),
  (view, payload) => {
    findTheme(view);
    if (payload.id !== view.payload.id) renew(view, payload);
  },
);
