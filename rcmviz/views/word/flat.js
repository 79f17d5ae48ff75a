// What a page shows in HTML, drawn into an SVG: the boxes with their grounds and frames, then the words on them.

import { setAttributes, svg } from "../shared/dom.js";
import { wordDrawing } from "../shared/picture.js";
import { plainColor } from "../shared/theme.js";

const BASELINE = 0.24; // from the bottom of a line, as a share of its height

// All of `root` but what is within `except`; `base` is the corner that is counted from.
export function flatten(root, base, picture, except) {
  for (const node of root.querySelectorAll("*")) {
    const box = node.closest(except) ? null : boxOf(node, base);
    if (box) picture.append(box);
  }
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const owner = walker.currentNode.parentElement;
    if (owner.closest(except) || getComputedStyle(owner).visibility === "hidden") continue;
    picture.append(...wordsOf(walker.currentNode, owner, base));
  }
}

function boxOf(node, base) {
  const { left, top, width, height } = node.getBoundingClientRect();
  if (!width || !height) return null;
  const style = getComputedStyle(node);
  const ground = plainColor(style.backgroundColor);
  const bare = ground === "transparent" || /, 0\)$/.test(ground);
  const frame = Math.min(parseFloat(style.borderTopWidth), parseFloat(style.borderLeftWidth));
  if ((bare && !frame) || style.visibility === "hidden") return null;
  return svg("rect", {
    x: left - base.left + frame / 2,
    y: top - base.top + frame / 2,
    width: Math.max(0, width - frame),
    height: Math.max(0, height - frame),
    rx: Math.min(parseFloat(style.borderTopLeftRadius) || 0, height / 2),
    fill: bare ? "none" : ground,
    stroke: frame ? plainColor(style.borderTopColor) : null,
    "stroke-width": frame || null,
  });
}

// A picture cannot bring the page's font along: another one is squeezed into the same width, or words would overlap.
function wordsOf(text, owner, base) {
  return [...text.data.matchAll(/\S+/g)].flatMap((word) => {
    const range = document.createRange();
    range.setStart(text, word.index);
    range.setEnd(text, word.index + word[0].length);
    const { left, bottom, width, height } = range.getBoundingClientRect();
    if (!width) return [];
    const drawn = wordDrawing(word[0], owner, left - base.left, bottom - base.top - height * BASELINE);
    return [setAttributes(drawn, { textLength: width.toFixed(1), lengthAdjust: "spacingAndGlyphs" })];
  });
}
