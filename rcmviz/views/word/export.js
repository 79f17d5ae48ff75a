// What can be taken along from the player: a link, the code, the data, the picture; and the help.

import { sumCode } from "./arithmetic.js";
import { fileName, makeExportBar } from "../shared/export_bar.js";
import { linkWith } from "../shared/links.js";

const KEYS = [
  ["f p", "forward, posterior mass"],
  ["l", "linear or log bars"],
  ["v", "all positions, or as you go: the best beginning, each label with its share when it was proposed"],
  ["d", "first difference between methods"],
  ["↑ ↓", "walk through a tree or list that has the focus"],
  ["q", "quiz: predict, then reveal; 1–6 mark, Enter answers and asks on, h gives a hint, → shows without an answer"],
  ["Esc", "release the held node"],
];
const SIGNS = [
  ["●", "kept: a context of its own"],
  ["↳", "merged into its least ancestor"],
  ["∪", "joined a context equal in its last labels"],
  ["✕", "dropped"],
  ["★", "the gold"],
  ["dark bar", "own mass"],
  ["pale bar", "with all contexts that end in it"],
  ["tinted", "one method keeps the candidate, another does not"],
];

// The name of a context of many long labels is left out, as pages/word/question.py does.
const LONGEST_NODE = 1000;

export function linkTo(view) {
  const node = view.node?.length <= LONGEST_NODE ? view.node : null;
  return linkWith({ pos: view.position, node, reveal: view.reveal ? 1 : null });
}

export function makeTools(view) {
  return makeExportBar(view, {
    file: () => `${fileName("", view.payload.title, "run")}-position-${view.position}`,
    link: {
      to: () => linkTo(view),
      title: "a link to exactly this step",
      always: true,
    },
    more: sumCode(view),
    picture: { title: "lists and heat map", lines: () => [titleOf(view)], drawings: () => partsToDraw(view) },
    steps: view.host.inner ? null : "position",
    keys: KEYS,
    signs: SIGNS,
  });
}

function titleOf({ payload, position, mass }) {
  const runs = payload.runs.map((run) => run.name).join(", ");
  return [payload.title, runs, `position ${position} of ${payload.T}`, `${mass} mass`].filter(Boolean).join(" · ");
}

// What the saved picture has: the lists and the heat map.
function partsToDraw(view) {
  const lists = Object.entries(view.panels).filter(([, { drawing }]) => drawing);
  return lists.map(([name, { drawing }]) => [drawing, name === "heatmap" ? "" : drawing.getAttribute("aria-label")]);
}
