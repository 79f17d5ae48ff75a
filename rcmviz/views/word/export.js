// What can be taken along from the player: a link, the code, the data, the picture; and the help.

import { setAttributes, svg } from "../shared/dom.js";
import { fileName, makeExportBar } from "../shared/export_bar.js";
import { linkWith } from "../shared/links.js";
import { pictureOf, withStyles, wordDrawing } from "../shared/picture.js";
import { plainColor } from "../shared/theme.js";

const KEYS = [
  ["← →", "previous, next position"],
  ["Home End", "first, last position"],
  ["space", "play, pause"],
  ["f p", "forward, posterior mass"],
  ["l", "linear or log bars"],
  ["v", "all positions, or as you go: the best beginning, each label with its share when it was proposed"],
  ["d", "first difference between methods"],
  ["t", "ranks or trees of the methods"],
  ["↑ ↓", "walk through a tree or list that has the focus"],
  ["Esc", "let go of what is held"],
  ["?", "this help"],
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

export function makeTools(view) {
  return makeExportBar(view, {
    file: () => `${fileName("", view.payload.title, "run")}-position-${view.position}`,
    link: {
      to: () => linkWith({ pos: view.position, node: view.node, ...lookedAt(view) }),
      title: "a link to exactly this step",
      always: true,
    },
    code: "the lines that reproduce this view in a notebook",
    data: "the data of this view",
    picture: { draw: () => stageDrawing(view), title: "this view" },
    keys: KEYS,
    signs: SIGNS,
  });
}

// How it is looked at, as far as that is not the usual way.
function lookedAt(view) {
  return { reveal: view.reveal ? 1 : null, stage: view.stage === "trees" ? "trees" : null };
}

// The view as one SVG that needs no style sheet: drawings are copied, words and bars of the panels beside them redrawn.
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
  for (const part of view.root.querySelectorAll(".rv-panel-head, .rv-readouts, .rv-detail-text, .rv-side, .rv-more"))
    flatten(part, base, picture);
  for (const drawing of view.root.querySelectorAll("svg.rv-drawing")) {
    const at = drawing.getBoundingClientRect();
    const frame = drawing.parentElement.getBoundingClientRect();
    if (!at.width) continue;
    const [left, top] = [Math.max(0, frame.left - at.left), Math.max(0, frame.top - at.top)];
    const [width, height] = [Math.min(at.width, frame.width), Math.min(at.height, frame.height)];
    picture.append(
      setAttributes(withStyles(drawing), {
        x: at.left + left - base.left,
        y: at.top + top - base.top,
        viewBox: `${left} ${top} ${width} ${height}`,
        width,
        height,
      }),
    );
  }
  return picture;
}

function flatten(part, base, picture) {
  for (const node of part.querySelectorAll(".rv-bar-track, .rv-bar-own, .rv-bar-before")) {
    const at = node.getBoundingClientRect();
    if (at.width && at.height)
      picture.append(
        svg("rect", {
          x: at.left - base.left,
          y: at.top - base.top,
          width: at.width,
          height: at.height,
          rx: 2,
          fill: plainColor(getComputedStyle(node).backgroundColor),
        }),
      );
  }
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode;
    const owner = text.parentElement;
    if (owner.closest("svg, .rv-segmented") || getComputedStyle(owner).visibility === "hidden") continue;
    for (const word of text.data.matchAll(/\S+/g)) {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const at = range.getBoundingClientRect();
      if (!at.width) continue;
      const drawn = wordDrawing(word[0], owner, at.left - base.left, at.bottom - base.top - at.height * 0.24);
      // A picture cannot bring the page's font along: another one is squeezed into the same width, or words would
      // overlap.
      picture.append(setAttributes(drawn, { textLength: at.width.toFixed(1), lengthAdjust: "spacingAndGlyphs" }));
    }
  }
}
