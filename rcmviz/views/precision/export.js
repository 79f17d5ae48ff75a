// What can be taken along from the precision view.

import { SVG_SPACE, html, setAttributes, svg } from "../shared/dom.js";
import { copy, csv, save } from "../shared/download.js";
import { makeSaid, quietButton } from "../shared/export_bar.js";
import { spell } from "../shared/names.js";
import { ninesText } from "../shared/numbers.js";
import { savePng, saveSvg, withStyles, wordDrawing } from "../shared/picture.js";
import { RULES, linkTo, spoken } from "./rules.js";
import { plainColor } from "../shared/theme.js";

export function makeBar(view) {
  const { said, tell } = makeSaid();
  const file = () => `rcmviz-precision-${(view.payload.title || "words").replace(/[^\p{L}\p{N}]+/gu, "-")}`;
  const text = (name, type, content) => save(new Blob([content], { type }), name);
  const link = view.host.trigger
    ? quietButton("copy link", () => copy(linkTo(view), tell, "link copied"), "a link to exactly this threshold")
    : null;
  const node = html(
    "div",
    { class: "rv-tools" },
    said,
    link,
    quietButton(
      "words (CSV)",
      () => text(file() + "-words.csv", "text/csv", csv(wordRows(view))),
      "every word, what each method reads and how sure it is",
    ),
    quietButton(
      "curves (CSV)",
      () => text(file() + "-curves.csv", "text/csv", csv(curveRows(view))),
      "every threshold of every method",
    ),
    quietButton(
      "JSON",
      () => text(file() + ".json", "application/json", JSON.stringify(view.payload)),
      "the data of this view",
    ),
    quietButton("SVG", () => saveSvg(chartPicture(view), file() + ".svg"), "the chart as SVG"),
    quietButton("PNG", () => savePng(chartPicture(view), file() + ".png"), "the chart as PNG"),
  );
  return { node, layout() {}, paint() {} };
}

function wordRows(view) {
  const { gold } = view.payload;
  const names = (labels) =>
    spell(
      view,
      labels.filter((y) => y >= 0),
    );
  const head = [
    "number",
    "gold",
    ...view.methods.flatMap(({ name }) => [`${name} decoded`, `${name} confidence`, `${name} answered`]),
  ];
  const answered = view.methods.map((method, m) => new Set(method.order.slice(0, view.standings[m].answered)));
  return [
    head,
    ...gold.map((truth, word) => [
      word,
      names(truth),
      ...view.methods.flatMap((method, m) => [
        names(method.decoded[word] || truth),
        method.confidence[word],
        Number(answered[m].has(word)),
      ]),
    ]),
  ];
}

function curveRows(view) {
  const rows = view.methods.flatMap((method) =>
    method.threshold.map((threshold, k) => [
      method.name,
      threshold,
      method.answered[k],
      method.right[k],
      method.answered[k] / view.N,
      method.right[k] / method.answered[k],
    ]),
  );
  return [["method", "confidence at least", "answered", "right", "share answered", "precision"], ...rows];
}

// The chart with a legend, as one SVG that needs no style sheet.
function chartPicture(view) {
  const { drawing } = view.parts.chart;
  const [width, height] = ["width", "height"].map((name) => Number(drawing.getAttribute(name)));
  const background = plainColor(getComputedStyle(view.root).getPropertyValue("--rv-bg").trim() || "white");
  const sentences = spoken(view).split("; ");
  const legend = view.methods.map((method, m) => {
    const text = `${method.mark} ${method.name}: ${sentences[m].slice(method.name.length + 1)}`;
    const line = wordDrawing(text, view.parts.cards.node, 12, 44 + 18 * m);
    return setAttributes(line, {
      fill: plainColor(getComputedStyle(view.root.querySelector(`.rv-card.${method.className} .rv-focus`)).color),
    });
  });
  const top = 44 + 18 * view.methods.length;
  const title = wordDrawing(
    `${view.payload.title} · ${RULES[view.place.by].label} ${ninesText(view.place.at)}`,
    view.parts.cards.node,
    12,
    22,
  );
  return svg(
    "svg",
    { xmlns: SVG_SPACE, width, height: height + top },
    svg("rect", { width: "100%", height: "100%", fill: background }),
    title,
    legend,
    setAttributes(withStyles(drawing), { x: 0, y: top, width, height }),
  );
}
