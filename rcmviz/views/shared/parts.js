// Panels and choices, of which all views are made.

import { html } from "./dom.js";

export function panel(title, className, ...tools) {
  const heading = html("h2", { class: "rv-panel-title" }, title);
  const head = html("div", { class: "rv-panel-head" }, heading, html("div", { class: "rv-panel-tools" }, tools));
  const body = html("div", { class: "rv-panel-body" });
  return { node: html("section", { class: "rv-panel " + className }, head, body), heading, head, body };
}

export function segmented(label, choices, current, choose) {
  const buttons = choices.map(([value, text]) =>
    html("button", { type: "button", class: "rv-segment", onclick: () => choose(value) }, text),
  );
  const node = html("div", { class: "rv-segmented", role: "group", "aria-label": label }, buttons);
  const paint = () => buttons.forEach((button, k) => button.setAttribute("aria-pressed", choices[k][0] === current()));
  paint();
  return { node, paint };
}
