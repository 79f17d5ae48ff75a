// The button that opens a line of the message, as a method reads it at the shown pass, in the player.

import { html, setAttributes } from "../shared/dom.js";

export function makeOpener(view) {
  const { payload } = view;
  const method = choice("method", view.now.map(({ name }) => name));
  const hasLines = payload.term === "word"; // a cryptogram is one line, whose first words are opened
  const lines = hasLines ? payload.message.map((_, k) => `line ${k + 1}`) : ["line 1"];
  const line = choice("line", lines);
  const label = hasLines ? "Open this line in the player" : "Open the first words in the player";
  const open = html("button", { type: "button", class: "rv-button", onclick: send }, label);
  const node = html("div", { class: "rv-details rv-open-line" }, line, method, open);
  node.hidden = !view.host.trigger;

  function send() {
    view.play(false);
    view.host.trigger("open", { at: view.position, method: Number(method.value), line: Number(line.value) });
  }

  return {
    node,
    layout() {},
    paint: () => setAttributes(open, { disabled: !view.position }),
    highlight() {},
  };
}

// A selection by number; nothing is shown if there is no choice.
function choice(name, labels) {
  const options = labels.map((label, k) => html("option", { value: k }, label));
  const list = html("select", { class: "rv-speed", "aria-label": name }, options);
  list.hidden = labels.length < 2;
  return list;
}
