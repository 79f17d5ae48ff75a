// What can be taken along from the player: a link, the code, the data, the picture; and the help.

import { SVG_SPACE, html, setAttributes, setText, svg } from "../shared/dom.js";
import { copy, save } from "../shared/download.js";
import { codeSheet, helpList, makeSaid, opening, quietButton } from "../shared/export_bar.js";
import { savePng, saveSvg, withStyles, wordDrawing } from "../shared/picture.js";
import { plainColor } from "../shared/theme.js";

const KEYS = [
  ["← →", "previous, next position"],
  ["Home End", "first, last position"],
  ["space", "play, pause"],
  ["f p", "forward, posterior mass"],
  ["l", "linear or log bars"],
  ["↑ ↓", "walk through a tree or list that has the focus"],
  ["Esc", "let go of what is held"],
  ["?", "this help"],
];
const MARKS = [
  ["●", "kept: a context of its own"],
  ["↳", "merged into its least ancestor"],
  ["∪", "joined a context equal in its last labels"],
  ["✕", "dropped"],
  ["★", "the gold"],
  ["dark bar", "own mass"],
  ["pale bar", "with all contexts that end in it"],
  ["dotted", "no context of this method: ✕ mass dropped here, ↳ mass merged into …, (mass) that longer contexts hold"],
  ["bold", "methods differ by a tenth of all mass or more"],
];

export function makeTools(view) {
  const { said, tell } = makeSaid();
  const code = html("pre", { class: "rv-code", tabindex: "0" });
  const codeBox = codeSheet(() => view.payload.code, tell, code);
  const helpBox = html(
    "div",
    { class: "rv-sheet rv-help", hidden: true },
    helpList("Keys", KEYS),
    helpList("Marks", MARKS),
  );
  const showCode = opening("show code", codeBox, "the lines that reproduce this view in a notebook");
  const help = opening("? keys", helpBox, "keys and marks");
  const file = () => fileName(view);
  const bar = html(
    "div",
    { class: "rv-tools" },
    said,
    quietButton("copy link", () => copy(linkHere(view), tell, "link copied"), "a link to exactly this step"),
    showCode.button,
    quietButton(
      "JSON",
      () => save(new Blob([JSON.stringify(view.payload)], { type: "application/json" }), file() + ".json"),
      "the data of this view",
    ),
    quietButton("SVG", () => saveSvg(stageDrawing(view), file() + ".svg"), "this view as SVG"),
    quietButton("PNG", () => savePng(stageDrawing(view), file() + ".png"), "this view as PNG"),
    help.button,
  );
  const node = html("div", {}, bar, codeBox, helpBox);

  function layout() {
    showCode.button.style.display = view.payload.code ? "" : "none";
    setText(code, view.payload.code || "");
  }

  return { node, layout, paint() {}, highlight() {}, help: help.flip };
}

function fileName(view) {
  return `rcmviz-${(view.payload.title || "run").replace(/[^\p{L}\p{N}]+/gu, "-")}-position-${view.position}`;
}

function linkHere(view) {
  const link = new URL(window.location.href);
  link.searchParams.set("pos", view.position);
  if (view.node) link.searchParams.set("node", view.node);
  else link.searchParams.delete("node");
  return link.href;
}

// The view as one SVG that needs no style sheet: drawings are copied, words and bars of the panels beside them redrawn.
function stageDrawing(view) {
  const base = view.root.getBoundingClientRect();
  const bottom = view.panels.tools.node.getBoundingClientRect().top - base.top;
  const picture = svg("svg", { xmlns: SVG_SPACE, width: Math.ceil(base.width), height: Math.ceil(bottom) });
  const background = getComputedStyle(view.root).getPropertyValue("--rv-bg").trim() || "white";
  picture.append(svg("rect", { width: "100%", height: "100%", fill: plainColor(background) }));
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
