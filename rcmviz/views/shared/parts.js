// @ts-check
// Panels and choices for all views.

import { html, setAttributes, svg } from "./dom.js";
import { explainWithin, wordFor } from "./words.js";

/** @type {(title: string, className: string, ...tools: Child[]) => Panel} */
export function panel(title, className, ...tools) {
  const heading = html("h2", { class: "rv-panel-title" }, title);
  const head = html("div", { class: "rv-panel-head" }, heading, html("div", { class: "rv-panel-tools" }, tools));
  const body = html("div", { class: "rv-panel-body" });
  return { node: html("section", { class: "rv-panel " + className }, head, body), heading, head, body };
}

// A row of buttons with one pressed. A choice is [value, text], or a text that is also its value.
/** @type {<V>(label: string, entries: (V | [V, string])[], current: () => V, choose: (value: V) => void) => Control} */
export function segmented(label, entries, current, choose) {
  const choices = entries.map((entry) => ({
    value: Array.isArray(entry) ? entry[0] : entry,
    text: Array.isArray(entry) ? entry[1] : String(entry),
  }));
  const buttons = choices.map(({ value, text }) =>
    html(
      "button",
      { type: "button", class: "rv-segment", "data-explains": wordFor(text), onclick: () => choose(value) },
      text,
    ),
  );
  const node = html("div", { class: "rv-segmented", role: "group", "aria-label": label, title: label }, buttons);
  const paint = () =>
    buttons.forEach((button, k) => setAttributes(button, { "aria-pressed": choices[k].value === current() }));
  paint();
  return { node, paint };
}

// A legend from 0 to 1 in four shades; `shadeOf` gives the opacity of a share, `more` follows it.
/** @type {(className: string, shadeOf: (share: number) => string, ...more: Child[]) => HTMLElement} */
export function shadeLegend(className, shadeOf, ...more) {
  const shades = [0.1, 0.4, 0.7, 1].map((share) =>
    svg("rect", { class: className, x: share * 40 - 4, y: 1, width: 11, height: 11, "fill-opacity": shadeOf(share) }),
  );
  const ramp = svg("svg", { width: 50, height: 13, "aria-hidden": "true" }, shades);
  return html("span", { class: "rv-legend" }, "0", ramp, "1", more);
}

// A card with a text for screen readers, too; `about()` returns its paragraphs.
/** @type {(label: string, about: () => Node[]) => Part & { text(): string }} */
export function makeSentences(label, about) {
  const text = html("div", { class: "rv-detail-text", "aria-live": "polite" });
  const node = html("section", { class: "rv-panel rv-detail", tabindex: "0", "aria-label": label }, text);
  const paint = () => {
    text.replaceChildren(...about());
    explainWithin(text);
  };
  return { node, layout() {}, paint, highlight() {}, text: () => text.textContent };
}
