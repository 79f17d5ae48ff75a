// What can be taken along from the rounds of ARS: a link, the code, the data, the picture; and the help.

import { roundWord, wordsText } from "./sentences.js";
import { SVG_SPACE, html, setAttributes, svg } from "../shared/dom.js";
import { copy, csv, save } from "../shared/download.js";
import { codeSheet, helpList, makeSaid, opening, quietButton } from "../shared/export_bar.js";
import { linkWith } from "../shared/links.js";
import { savePng, saveSvg, withStyles, wordDrawing } from "../shared/picture.js";
import { plainColor } from "../shared/theme.js";

const ROUND_KEYS = [
  ["← →", "previous, next round"],
  ["Home End", "first, last round"],
  ["space", "play, pause"],
  ["v", "along the path, all states"],
  ["Esc", "let go of the state that is held"],
  ["?", "this help"],
];
const ROUND_MARKS = [
  ["w₂(x | h)", "the largest p(x | … h), whatever stands before: what q believes at order 2"],
  ["hatched", "cost that q left out: p is smaller by so many nats"],
  ["dashed", "states that the rejection of the round adds"],
  ["height", "how many words a state remembers"],
  ["✓ ✕", "accepted, rejected"],
];

export function makeBar(view) {
  const { said, tell } = makeSaid();
  const file = () => `rcmviz-ars-${(view.payload.title || "run").replace(/[^\p{L}\p{N}]+/gu, "-")}`;
  const text = (kind, type, content) => save(new Blob([content], { type }), `${file()}.${kind}`);
  const codeBox = codeSheet(
    () => view.payload.code,
    tell,
    html("pre", { class: "rv-code", tabindex: "0" }, view.payload.code || ""),
  );
  const helpBox = html(
    "div",
    { class: "rv-sheet rv-help", hidden: true },
    helpList("Keys", ROUND_KEYS),
    helpList("Marks", ROUND_MARKS),
  );
  const code = opening("show code", codeBox, "the lines that reproduce this in a notebook");
  const help = opening("? keys", helpBox, "keys and marks");
  const link = quietButton("copy link", () => copy(linkTo(view), tell, "link copied"), "a link to exactly this round");
  const bar = html(
    "div",
    { class: "rv-tools" },
    said,
    view.host.trigger ? link : null,
    view.payload.code ? code.button : null,
    quietButton("CSV", () => text("csv", "text/csv", csv(roundRows(view))), "every round as a row"),
    quietButton("JSON", () => text("json", "application/json", JSON.stringify(view.payload)), "the data of this view"),
    quietButton("SVG", () => saveSvg(wholePicture(view), `${file()}.svg`), "path, states and curves as SVG"),
    quietButton("PNG", () => savePng(wholePicture(view), `${file()}.png`), "path, states and curves as PNG"),
    help.button,
  );
  return { node: html("div", {}, bar, codeBox, helpBox), layout() {}, paint() {}, highlight() {}, help: help.flip };
}

function roundRows(view) {
  const { payload, memory } = view;
  const { rounds } = payload;
  const positions = Array.from({ length: payload.T }, (_, i) => i);
  const head = [
    "round",
    "accepted",
    "batch",
    "path",
    "log q",
    "log p",
    "log mass of q",
    "log mass found",
    "states",
    ...rounds.ngrams.map((_, k) => `${k + 1}-grams`),
    ...positions.flatMap((i) => [`order ${i + 1}`, `bound ${i + 1}`, `truth ${i + 1}`]),
  ];
  const blank = (value) => value ?? "-inf";
  return [
    head,
    ...rounds.logQ.map((logQ, r) => [
      r + 1,
      rounds.accepted[r],
      rounds.batch[r],
      wordsText(view, memory.words(r)),
      logQ,
      blank(memory.logP(r)),
      rounds.upper[r],
      blank(rounds.lower[r]),
      rounds.states[r],
      ...rounds.ngrams.map((counts) => counts[r]),
      ...positions.flatMap((i) => [rounds.order[r][i], blank(rounds.bound[r][i]), blank(memory.truth(r)[i])]),
    ]),
  ];
}

// Path, states and curves below each other, as one SVG that needs no style sheet.
function wholePicture(view) {
  const { graph, charts } = view.parts;
  const drawings = [graph.strip.drawing, graph.drawing, charts.drawing];
  const sizes = drawings.map((drawing) => ["width", "height"].map((name) => Number(drawing.getAttribute(name))));
  const width = Math.max(...sizes.map(([wide]) => wide));
  const head = [
    `${view.payload.title} · ${roundWord(view).toLowerCase()} ${view.now + 1} of ${view.memory.R}`,
    view.parts.told.text(),
  ];
  const picture = svg("svg", { xmlns: SVG_SPACE, width, height: sizes.reduce((sum, [, high]) => sum + high, 60) });
  picture.append(
    svg("rect", {
      width: "100%",
      height: "100%",
      fill: plainColor(getComputedStyle(view.root).getPropertyValue("--rv-bg").trim() || "white"),
    }),
    ...head.map((line, k) => wordDrawing(line, view.parts.told.node, 10, 22 + 20 * k)),
  );
  let y = 56;
  drawings.forEach((drawing, k) => {
    picture.append(setAttributes(withStyles(drawing), { x: 0, y, width: sizes[k][0], height: sizes[k][1] }));
    y += sizes[k][1];
  });
  return picture;
}

export function linkTo(view) {
  return linkWith({ round: view.position, view: view.shows === view.usual ? null : view.shows, state: view.held });
}
