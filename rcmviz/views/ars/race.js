// What several methods make of one input: a card each, and log Z by budget between the bounds of ARS.

import { SVG_SPACE, html, setAttributes, svg } from "../shared/dom.js";
import { csv, save } from "../shared/download.js";
import { quietButton } from "../shared/export_bar.js";
import { savePng, saveSvg, withStyles, wordDrawing } from "../shared/picture.js";
import { makeCards, truthOf } from "./race_cards.js";
import { makeBounds } from "./race_chart.js";
import { findTheme, plainColor } from "../shared/theme.js";
import { begin, mounting, paintParts, renew } from "../shared/view.js";

function makeView(root, payload, host) {
  const view = { root, host, width: 0, parts: {} };
  view.load = (next) => {
    view.payload = next;
    view.truth = truthOf(next.methods);
  };
  view.build = () => {
    view.parts = { cards: makeCards(view), chart: makeBounds(view), tools: makeRaceBar(view) };
    root.replaceChildren(view.parts.cards.node, view.parts.chart.node, view.parts.tools.node);
  };
  view.repaint = (due) => {
    paintParts(view.parts, due);
    setAttributes(root, { "data-ready": "true", "data-id": view.payload.id });
  };
  return view;
}

function makeRaceBar(view) {
  const file = () => `rcmviz-compare-${view.payload.title.replace(/[^\p{L}\p{N}]+/gu, "-")}`;
  const text = (kind, type, content) => save(new Blob([content], { type }), `${file()}.${kind}`);
  const node = html(
    "div",
    { class: "rv-tools" },
    quietButton("CSV", () => text("csv", "text/csv", csv(raceRows(view))), "a row per method"),
    quietButton("JSON", () => text("json", "application/json", JSON.stringify(view.payload)), "the data of this view"),
    quietButton("SVG", () => saveSvg(racePicture(view), `${file()}.svg`), "the chart as SVG"),
    quietButton("PNG", () => savePng(racePicture(view), `${file()}.png`), "the chart as PNG"),
  );
  return { node, layout() {}, paint() {}, highlight() {} };
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

function racePicture(view) {
  const { drawing } = view.parts.chart;
  const [width, height] = ["width", "height"].map((name) => Number(drawing.getAttribute(name)));
  const background = plainColor(getComputedStyle(view.root).getPropertyValue("--rv-bg").trim() || "white");
  return svg(
    "svg",
    { xmlns: SVG_SPACE, width, height: height + 30 },
    svg("rect", { width: "100%", height: "100%", fill: background }),
    wordDrawing(`log Z by budget · ${view.payload.title}`, view.root, 10, 20),
    setAttributes(withStyles(drawing), { x: 0, y: 30, width, height }),
  );
}

export default mounting(
  "rv-player rv-ars rv-race",
  (root, payload, host) => begin(makeView(root, payload, host), payload),
  (view, payload) => {
    findTheme(view);
    if (payload.id !== view.payload.id) renew(view, payload);
  },
);
