// The exports of the rounds of ARS (link, code, data, picture) and their help.

import { fileName, makeExportBar } from "../shared/export_bar.js";
import { linkWith } from "../shared/links.js";
import { roundWord, wordsText } from "./sentences.js";

const KEYS = [
  ["v", "along the path, all states"],
  ["Esc", "release the held state"],
];
const SIGNS = [
  ["w₂(x | h)", "the largest p(x | … h) over all earlier words: the bound of q at order 2"],
  ["hatched", "cost that q left out: log q − log p, in nats"],
  ["dashed", "states that the rejection of the round adds"],
  ["height", "how many words a state remembers"],
  ["✓ ✕", "accepted, rejected"],
];

export function makeBar(view) {
  return makeExportBar(view, {
    file: () => fileName("ars", view.payload.title, "run"),
    link: { to: () => linkTo(view), title: "a link to exactly this round" },
    tables: [{ rows: () => roundRows(view), title: "every round as a row" }],
    picture: {
      title: "path, states and curves",
      lines: () => [`${view.payload.title} · ${placeOf(view)}`, view.parts.sentences.text()],
      drawings: () => [view.parts.graph.strip.drawing, view.parts.graph.drawing, view.parts.charts.drawing],
    },
    steps: roundWord(view).toLowerCase(),
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

const placeOf = (view) => `${roundWord(view).toLowerCase()} ${view.position} of ${view.memory.R}`;

export function linkTo(view) {
  if (view.payload.inside) return window.location.href; // inside another view, whose link it is
  return linkWith({ round: view.position, view: view.shows === view.usual ? null : view.shows, state: view.held });
}
