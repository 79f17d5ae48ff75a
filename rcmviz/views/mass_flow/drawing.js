// The picture of a moment as one SVG that needs no style sheet: its sentence, the panels and the river up
// to that moment.

import { html, svg } from "../shared/dom.js";
import { pictureOf, placed, withStyles, wordDrawing } from "../shared/picture.js";
import { plainColor } from "../shared/theme.js";

const MARGIN = 12;
const BASELINE = 0.27; // of a line of text, from its bottom

export function drawingOf(view) {
  const { stage, timeline, reading, poster } = view.parts;
  const base = view.root.getBoundingClientRect();
  const place = (node) => {
    const box = node.getBoundingClientRect();
    return { ...box.toJSON(), x: box.left - base.left + MARGIN, y: box.top - base.top + MARGIN };
  };
  const titles = [...view.root.querySelectorAll(".rv-flow-panel-title")];
  const pieces = [reading.node, poster.node, ...titles].map((node) => copyOfTexts(node, place));
  for (const frame of [...stage.frames, timeline.node]) {
    const { x, y } = place(frame);
    pieces.push(placed(frame.querySelector("svg"), x, y));
  }
  pieces.push(...futureOf(timeline.node, place));
  const hatch = withStyles(view.root.querySelector(".rv-flow-defs"));
  const below = timeline.node.getBoundingClientRect().bottom - base.top + 2 * MARGIN;
  return pictureOf(view, base.width + 2 * MARGIN, below, hatch, ...pieces);
}

// What covers the small river from the present moment on, and the line that marks the moment.
function futureOf(node, place) {
  const [cover, future, head] = ["cover", "future", "head"].map((name) => node.querySelector(`.rv-flow-${name}`));
  const { x: left, width } = place(cover);
  return [future, ...future.children, head].map((box) => {
    const { x, y, width: wide, height } = place(box);
    const fill = plainColor(getComputedStyle(box).backgroundColor);
    return svg("rect", { x, y, width: Math.max(0, Math.min(wide, left + width - x)), height, fill });
  });
}

// The lines of text, the bars and the drawings of a part that is made of HTML.
function copyOfTexts(node, place) {
  const { opacity, visibility } = getComputedStyle(node);
  const copy = svg("g", { opacity });
  if (visibility === "hidden") return copy;
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) copy.append(...linesOf(walker.currentNode, place));
  for (const bar of node.querySelectorAll("i")) {
    const { x, y, width, height } = place(bar);
    const fill = plainColor(getComputedStyle(bar).backgroundColor);
    copy.append(svg("rect", { x, y, width, height, fill }));
  }
  for (const drawing of node.querySelectorAll("svg")) {
    const { x, y, width, height } = place(drawing);
    if (width) copy.append(placed(drawing, x, y, { width, height }));
  }
  return copy;
}

// A text breaks into lines where its words stand lower than those before.
function linesOf(text, place) {
  const like = text.parentElement;
  if (like.closest("svg, .rv-flow-aside button") || !like.getClientRects().length) return [];
  const { opacity } = getComputedStyle(like);
  const lines = [];
  for (const { index, 0: word } of text.data.matchAll(/\S+/g)) {
    const range = document.createRange();
    range.setStart(text, index);
    range.setEnd(text, index + word.length);
    const { x, y, height } = place(range);
    const line = lines.at(-1);
    if (line && Math.abs(line.y - y) < 2) line.words.push(word);
    else lines.push({ x, y, height, words: [word] });
  }
  return lines.map(({ x, y, height, words }) => {
    const drawn = wordDrawing(words.join(" "), like, x, y + height * (1 - BASELINE));
    drawn.setAttribute("opacity", opacity);
    return drawn;
  });
}

// Draws a picture onto a canvas of the given width and height in pixels.
export async function paintOn(canvas, picture) {
  const [width, height] = ["width", "height"].map((side) => Number(picture.getAttribute(side)));
  const image = new Image();
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(new XMLSerializer().serializeToString(picture));
  await image.decode();
  const scale = canvas.width / width;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, height * scale);
}

// A canvas for such a picture; a video needs even sides.
export function canvasFor(picture, scale) {
  const [width, height] = ["width", "height"].map((side) => 2 * Math.ceil((scale * picture.getAttribute(side)) / 2));
  return html("canvas", { width, height });
}
