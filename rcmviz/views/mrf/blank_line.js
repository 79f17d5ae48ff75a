// The sentence with its blank, whose neighbours can be changed.

import { edgeName, rowsOf, isSameSlot, slotName } from "./blank_rows.js";
import { html, setAttributes, setText, toggle } from "../shared/dom.js";

export function makeLine(view) {
  const { payload } = view;
  const hole = html("b", { class: "rv-hole" });
  const farWords = (words) => words.map((word) => html("span", { class: "rv-dim" }, word));
  const order = payload.slots.length / 2;
  const choices = payload.slots.map((slot) => choiceOf(view, slot));
  const write = () => view.put({ swap: null });
  const reset = html("button", { type: "button", class: "rv-button", onclick: write }, "as written");
  const node = html(
    "section",
    { class: "rv-panel rv-blank-line", "aria-label": "the sentence" },
    farWords(payload.left.slice(0, Math.max(0, payload.left.length - order))),
    choices.slice(0, order).map((choice) => choice.node),
    hole,
    choices.slice(order).map((choice) => choice.node),
    farWords(payload.right.slice(order)),
    reset,
  );

  function paint() {
    setText(hole, rowsOf(view)[0].word);
    choices.forEach((choice) => choice.paint());
    setAttributes(reset, { disabled: view.swap === null });
  }

  return { node, layout() {}, paint, highlight() {} };
}

function choiceOf(view, slot) {
  const label = html("small", {}, slotName(slot));
  if (slot.word === null) {
    const node = html("span", { class: "rv-neighbour rv-outside" }, html("span", {}, edgeName(slot)), label);
    return { node, paint() {} };
  }
  const variants = view.payload.variants.filter((one) => isSameSlot(one, slot));
  const field = html(
    "select",
    { class: "rv-speed", "aria-label": `neighbour ${slotName(slot)}`, onchange: () => change(field.value) },
    [slot.word, ...variants.map(({ word }) => word)].map((word) => html("option", { value: word }, word)),
  );
  const change = (chosen) => view.put({ swap: variants.find(({ word }) => word === chosen) ?? null });
  const className = "rv-neighbour" + (slot.known ? "" : " rv-not-known");
  const node = html("span", { class: className, "data-point": `word ${slot.word}` }, field, label);
  const paint = () => {
    const swapped = view.swap && isSameSlot(view.swap, slot);
    field.value = swapped ? view.swap.word : slot.word;
    toggle(node, "rv-moved", swapped);
  };
  return { node, paint };
}
