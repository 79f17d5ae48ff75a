// The text of a lesson as elements, from blocks of spans (listed in rcmviz/lessons). All words become text nodes; `act`
// handles clicks: point(target), or point(null), and open(view).

import { html } from "../shared/dom.js";
import { targetOf } from "./linked.js";

const BLOCKS = {
  p: (spans, act) => html("p", {}, spansOf(spans, act)),
  quote: (spans, act) => html("blockquote", {}, html("p", {}, spansOf(spans, act))),
  math: (spans, act) => html("p", { class: "rv-math" }, spansOf(spans, act)),
  code: (text) => html("pre", { tabindex: "0" }, html("code", {}, text)),
  list: (items, act) => html("ul", {}, itemsOf(items, act)),
  steps: (items, act) => html("ol", {}, itemsOf(items, act)),
};

const PLAIN = { b: "strong", i: "em", code: "code", sub: "sub", sup: "sup" };

export function blocksOf(blocks, act) {
  return (blocks ?? []).map(([kind, content]) => BLOCKS[kind](content, act));
}

export function spansOf(spans, act) {
  if (typeof spans === "string") return [spans];
  return spans.map((span) => (typeof span === "string" ? span : spanOf(span, act)));
}

function itemsOf(items, act) {
  return items.map((spans) => html("li", {}, spansOf(spans, act)));
}

function spanOf([kind, content, more], act) {
  if (kind === "point") return pointer(content, more, act);
  if (kind === "view") return button("rv-dock-open", content, act, () => act.open(more));
  if (kind === "link") return html("a", { href: more, target: "_blank", rel: "noreferrer" }, spansOf(content, act));
  if (kind === "value") return value(content, more, act);
  return html(PLAIN[kind], {}, spansOf(content, act));
}

// A number; if it is about something with a name, that is ringed while the pointer is on the number.
function value(content, about, act) {
  if (!about) return html("span", { class: "rv-value" }, content);
  const target = targetOf(about);
  const node = html("span", { class: "rv-value", "data-about": target }, content);
  node.addEventListener("pointerenter", () => act.point(target));
  node.addEventListener("pointerleave", () => act.point(null));
  return node;
}

// Words that ring their target while the pointer is on them; a click also scrolls to it.
function pointer(content, target, act) {
  const node = button("rv-dock-point", content, act, () => act.point(target, true));
  for (const event of ["pointerenter", "focus"]) node.addEventListener(event, () => act.point(target));
  for (const event of ["pointerleave", "blur"]) node.addEventListener(event, () => act.point(null));
  return node;
}

function button(name, content, act, onclick) {
  return html("button", { type: "button", class: name, onclick }, spansOf(content, act));
}
