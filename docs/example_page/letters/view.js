// Letters: the most probable labels of each position, with their probabilities.

import { html } from "rcmviz/shared/dom.js";
import { makeMount } from "rcmviz/shared/view.js";

const row = ([label, p]) => html("div", {}, html("code", {}, label), ` ${(100 * p).toFixed(0)} %`);

function draw(root, { error, columns }) {
  const cells = error
    ? [html("p", { role: "alert" }, error)]
    : columns.map((rows) => html("section", {}, rows.map(row)));
  root.style.cssText = "display:flex;flex-wrap:wrap;gap:16px;padding:12px";
  root.replaceChildren(...cells);
  root.setAttribute("data-ready", "true");
}

const start = (root, payload) => {
  draw(root, payload);
  return { root, host: {} };
};

export default makeMount("rv-player rv-letters", start, (view, payload) => draw(view.root, payload));
