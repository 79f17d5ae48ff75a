// The exports of the precision view.

import { fileName, makeExportBar } from "../shared/export_bar.js";
import { spell } from "../shared/names.js";
import { ninesText } from "../shared/numbers.js";
import { plainColor } from "../shared/theme.js";
import { VERDICTS, verdictFields, spellOutput } from "./blame.js";
import { RULES, linkTo, spokenCounts } from "./rules.js";

export function makeBar(view) {
  return makeExportBar(view, {
    file: () => fileName("precision", view.payload.title, "words"),
    link: { to: () => linkTo(view), title: "a link to exactly this threshold" },
    tables: [
      {
        text: "words (CSV)",
        end: "-words",
        rows: () => wordRows(view),
        title: "every word, with each method's answer and confidence",
      },
      {
        text: "curves (CSV)",
        end: "-curves",
        rows: () => curveRows(view),
        title: "every threshold of every method",
      },
      {
        text: "mistakes (CSV)",
        end: "-mistakes",
        rows: () => mistakeRows(view),
        title: "every judged mistake, and whose fault it is",
      },
    ],
    picture: { title: "the chart", lines: () => legend(view), drawings: () => [view.parts.chart.drawing] },
  });
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

function mistakeRows(view) {
  const head = ["method", "number", "gold", "output", "blame", "position", "cause", "gold ahead", "smallest budget"];
  const rowsFor = (method, row) => {
    const { word, verdict, position, cause, margin, smallest } = verdictFields(row);
    const read = [view.payload.gold[word], method.decoded[word]].map((labels) => spellOutput(view, labels));
    return [method.name, word, ...read, VERDICTS[verdict], position, cause, margin, smallest || null];
  };
  const rowsOf = (m) => view.payload.verdicts?.[m]?.rows ?? [];
  return [head, ...view.methods.flatMap((method, m) => rowsOf(m).map((row) => rowsFor(method, row)))];
}

// The threshold, and each method's value in its colour.
function legend(view) {
  const sentences = spokenCounts(view).split("; ");
  const methods = view.methods.map((method, m) => {
    const card = view.root.querySelector(`.rv-card.${method.className.replaceAll(" ", ".")} .rv-focus`);
    const text = `${method.mark} ${method.name}: ${sentences[m].slice(method.name.length + 1)}`;
    return [text, plainColor(getComputedStyle(card).color)];
  });
  return [`${view.payload.title} · ${RULES[view.place.by].label} ${ninesText(view.place.at)}`, ...methods];
}
