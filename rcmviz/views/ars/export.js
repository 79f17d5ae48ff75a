// What can be taken along from the rounds of ARS: a link, the code, the data, the picture; and the help.

import { fileName, makeExportBar } from "../shared/export_bar.js";
import { linkWith } from "../shared/links.js";
import { pictureOf, sizeOf, stacked, wordDrawing } from "../shared/picture.js";
import { roundWord, wordsText } from "./sentences.js";

const KEYS = [
  ["← →", "previous, next round"],
  ["Home End", "first, last round"],
  ["space", "play, pause"],
  ["v", "along the path, all states"],
  ["Esc", "let go of the state that is held"],
  ["?", "this help"],
];
const SIGNS = [
  ["w₂(x | h)", "the largest p(x | … h), whatever stands before: what q believes at order 2"],
  ["hatched", "cost that q left out: p is smaller by so many nats"],
  ["dashed", "states that the rejection of the round adds"],
  ["height", "how many words a state remembers"],
  ["✓ ✕", "accepted, rejected"],
];

export function makeBar(view) {
  return makeExportBar(view, {
    file: () => fileName("ars", view.payload.title, "run"),
    link: { to: () => linkTo(view), title: "a link to exactly this round" },
    code: "the lines that reproduce this in a notebook",
    tables: [{ rows: () => roundRows(view), title: "every round as a row" }],
    data: "the data of this view",
    picture: { draw: () => wholePicture(view), title: "path, states and curves" },
    keys: KEYS,
    signs: SIGNS,
  });
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

// Path, states and curves below each other, under what happened in the round.
function wholePicture(view) {
  const { graph, charts, sentences } = view.parts;
  const drawings = [graph.strip.drawing, graph.drawing, charts.drawing];
  const sizes = drawings.map(sizeOf);
  const place = `${roundWord(view).toLowerCase()} ${view.position} of ${view.memory.R}`;
  const head = [`${view.payload.title} · ${place}`, sentences.text()];
  const lines = head.map((line, k) => wordDrawing(line, sentences.node, 10, 22 + 20 * k));
  const height = sizes.reduce((sum, [, high]) => sum + high, 60);
  return pictureOf(view, Math.max(...sizes.map(([wide]) => wide)), height, lines, stacked(drawings, 56));
}

export function linkTo(view) {
  if (view.payload.inside) return window.location.href; // of another view: the link is that one's
  return linkWith({ round: view.position, view: view.shows === view.usual ? null : view.shows, state: view.held });
}
