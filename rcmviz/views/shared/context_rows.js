// @ts-check
// Rows of contexts and candidates: fate, name, a bar of the share, and further columns of a view.

import { html } from "./dom.js";
import { FATES, FATE_MARKS, visible } from "./names.js";
import { massText } from "./numbers.js";
import { worded } from "./words.js";

/** @type {(titles: string[]) => HTMLElement} */
export function contextHead(titles) {
  const cells = titles.map((text) => html("span", {}, worded(text)));
  return html("div", { class: "rv-context-row rv-context-head" }, cells);
}

// `before` is between the name and the bar, `after` behind the share: nodes, or texts of masses. `shown` is a long name
// cut to the width.
/**
 * @type {(fate: string, name: string, share: number, more?: { before?: Node[], after?: (Node | string)[], shown?:
 *   string }) => HTMLElement}
 */
export function contextRow(fate, name, share, { before = [], after = [], shown = name } = {}) {
  const bar = html("span", { class: "rv-bar-own" });
  bar.style.width = `max(1.5px, ${(100 * share).toFixed(2)}%)`;
  /** @type {(cell: Node | string) => Node} */
  const value = (cell) => (typeof cell === "string" ? html("span", { class: "rv-bar-value" }, cell) : cell);
  return html(
    "div",
    { class: "rv-context-row", "data-fate": fate },
    html("span", { class: "rv-fate", title: fate }, FATE_MARKS[FATES.indexOf(fate)]),
    html("code", { class: "rv-name", title: visible(name) }, visible(shown)),
    before,
    html("span", { class: "rv-bar-track" }, bar),
    [massText(share), ...after].map(value),
  );
}

// The context that carries a candidate; a click shows it.
/** @type {(name: string, show: () => void) => HTMLElement} */
export function carrierButton(name, show) {
  const title = "show the context that carries it";
  return html("button", { type: "button", class: "rv-into", title, onclick: show }, "→ " + visible(name));
}
