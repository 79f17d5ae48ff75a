// The sum of the step as one large line, for a room: the card's terms in present mode, shown and hidden by the key E.

import { html, setAttributes } from "../shared/dom.js";
import { withNames } from "../shared/names.js";
import { changed } from "../shared/view.js";
import { shownSum, valueText } from "./arithmetic.js";

const MOST = 6; // terms that stand in a line; of more the first ones and the last, which is what they make

// A part of the player like the others.
export function makeEquation(view) {
  const node = html("div", { class: "rv-equation", role: "group", "aria-label": "the sum of this step" });
  let shown = null;

  function highlight() {
    const sum = view.presenting && view.equation ? shownSum(view) : null;
    if (sum === shown) return;
    shown = sum;
    node.replaceChildren(...(sum?.terms.length ? inOneLine(sum.terms) : []));
  }

  return { node, layout: highlight, paint: highlight, highlight };
}

export function toggleEquation(view) {
  view.equation = !view.equation;
  setAttributes(view.root, { "data-equation": view.equation }); // before rows are counted: it takes the room of some
  changed(view, "layout");
}

function inOneLine(terms) {
  if (terms.length <= MOST) return terms.map(termNode);
  const more = html("span", { class: "rv-equation-term" }, html("b", {}, "…"), html("span", {}, "and more"));
  return [...terms.slice(0, MOST - 2).map(termNode), more, termNode(terms.at(-1))];
}

function termNode(term) {
  const sign = term.sign ? html("span", { class: "rv-dim" }, term.sign + " ") : null;
  return html(
    "span",
    { class: "rv-equation-term", "data-term": term.key },
    html("b", {}, sign, valueText(term)),
    html("span", {}, withNames(term.name)),
  );
}
