// The bar below a view: its buttons, the sheets that they open, and what they say.

import { html, setAttributes, setText } from "./dom.js";
import { copy } from "./download.js";

export function quietButton(text, act, title) {
  return html("button", { type: "button", class: "rv-button rv-quiet", title, onclick: act }, text);
}

// A word that says for a moment what was done.
export function makeSaid() {
  const said = html("span", { class: "rv-said", role: "status" });
  const tell = (text) => {
    setText(said, text);
    setTimeout(() => setText(said, ""), 2500);
  };
  return { said, tell };
}

export function codeSheet(codeNow, tell, code) {
  return html(
    "div",
    { class: "rv-sheet", hidden: true },
    html("button", { type: "button", class: "rv-button", onclick: () => copy(codeNow(), tell, "code copied") }, "copy"),
    code,
  );
}

// A button that opens and closes a sheet.
export function opening(text, sheet, title) {
  const button = quietButton(text, () => flip(), title);
  const flip = () => {
    sheet.hidden = !sheet.hidden;
    setAttributes(button, { "aria-expanded": !sheet.hidden });
  };
  setAttributes(button, { "aria-expanded": "false" });
  return { button, flip };
}

export function helpList(title, entries) {
  return html(
    "div",
    {},
    html("h3", {}, title),
    html(
      "dl",
      {},
      entries.flatMap(([key, text]) => [html("dt", {}, key), html("dd", {}, text)]),
    ),
  );
}
