// What can be taken along from the player: a link, the code, the data, the picture; and the help.

import { sumCode } from "./arithmetic.js";
import { setAttributes } from "../shared/dom.js";
import { fileName, makeExportBar } from "../shared/export_bar.js";
import { linkWith } from "../shared/links.js";
import { pictureOf, withStyles, wordDrawing } from "../shared/picture.js";
import { flatten } from "./flat.js";
import { whole } from "./whole.js";

const KEYS = [
  ["f p", "forward, posterior mass"],
  ["l", "linear or log bars"],
  ["v", "all positions, or as you go: the best beginning, each label with its share when it was proposed"],
  ["d", "first difference between methods"],
  ["t", "ranks or trees of the methods"],
  ["↑ ↓", "walk through a tree or list that has the focus"],
  ["q", "quiz: predict, then reveal; 1–6 mark, Enter answers and asks on, h gives a hint, → shows without an answer"],
  ["Esc", "let go of what is held"],
];
const SIGNS = [
  ["●", "kept: a context of its own"],
  ["↳", "merged into its least ancestor"],
  ["∪", "joined a context equal in its last labels"],
  ["✕", "dropped"],
  ["★", "the gold"],
  ["dark bar", "own mass"],
  ["pale bar", "with all contexts that end in it"],
  ["dotted", "no context of this method: ✕ mass dropped here, ↳ mass merged into …, (mass) that longer contexts hold"],
  ["tinted", "methods read another label; one keeps the candidate, another does not"],
  ["bold", "methods differ by a tenth of all mass or more"],
];

// The name of a context of many long labels is left out, as pages/word/question.py does.
const LONGEST_NODE = 1000;

export function linkTo(view) {
  const node = view.node?.length <= LONGEST_NODE ? view.node : null;
  return linkWith({ pos: view.position, node, ...lookedAt(view) });
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
    picture: { draw: () => whole(view, () => stageDrawing(view)), title: "this view" },
    steps: "position",
    keys: KEYS,
    signs: SIGNS,
  });
}

// How it is looked at, as far as that is not the usual way.
function lookedAt(view) {
  return { reveal: view.reveal ? 1 : null, stage: view.stage === "trees" ? "trees" : null };
}

const CONTROLS = "svg, select, .rv-button, .rv-transport, .rv-segmented, .rv-actions, .rv-tools, .rv-fold-out, .rv-tip";

// The view as one SVG that needs no style sheet: drawings are copied, boxes and words of the panels redrawn.
function stageDrawing(view) {
  const base = view.root.getBoundingClientRect();
  const bottom = view.panels.tools.node.getBoundingClientRect().top - base.top;
  const picture = pictureOf(view, Math.ceil(base.width), Math.ceil(bottom));
  const { payload, position, mass } = view;
  const title = [
    payload.title,
    payload.runs.map((run) => run.name).join(", "),
    `position ${position} of ${payload.T}`,
    `${mass} mass`,
  ];
  picture.append(wordDrawing(title.filter(Boolean).join(" · "), view.panels.detail.node, 10, 24));
  flatten(view.root, base, picture, CONTROLS);
  for (const drawing of view.root.querySelectorAll("svg.rv-drawing")) {
    const { left, top, width, height } = drawing.getBoundingClientRect();
    const place = { x: left - base.left, y: top - base.top, width, height };
    if (width) picture.append(setAttributes(withStyles(drawing), place));
  }
  return picture;
}
