// Known symbols: the user selects a symbol in the text, in the mapping or in the list, and its meaning.

import { passOf } from "./passes.js";
import { html, setAttributes, toggle } from "../shared/dom.js";
import { massText } from "../shared/numbers.js";
import { worded } from "../shared/words.js";

export function makePins(view) {
  const { payload } = view;
  const order = payload.symbols
    .map((_, symbol) => symbol)
    .sort((a, b) => payload.symbols[a].localeCompare(payload.symbols[b]));
  const list = html(
    "select",
    { class: "rv-speed", onchange: () => view.put({ held: list.value === "" ? null : Number(list.value) }) },
    html("option", { value: "" }, "–"),
    order.map((symbol) => html("option", { value: symbol }, payload.symbols[symbol])),
  );
  const likeliest = html("div", { class: "rv-likeliest" });
  const free = html("button", { type: "button", class: "rv-button", onclick: () => sendPin(view, null) }, "free it");
  const choice = payload.term === "letter" ? letterChoice(view) : wordChoice(view);
  const chips = html("div", { class: "rv-pin-chips" });
  const taken = html("div", { class: "rv-taken" }, html("label", {}, "symbol ", list), likeliest);
  const given = html("div", { class: "rv-given" }, html("span", { class: "rv-dim" }, "means"), choice.node, free);
  const node = html(
    "section",
    { class: "rv-panel rv-pins rv-details", "aria-label": "known symbols" },
    taken,
    view.host.trigger ? given : null,
    chips,
  );

  function paint() {
    list.value = view.held ?? "";
    setAttributes(node, { "data-held": view.held === null ? null : "true" });
    const known = view.held !== null && view.pins.has(view.held);
    setAttributes(free, { disabled: !known });
    choice.paint();
    likeliest.replaceChildren(
      ...(view.held === null
        ? [html("span", { class: "rv-dim" }, worded(hintOf(view), false))]
        : view.methods.map((method) => likeliestOf(view, method))),
    );
    chips.replaceChildren(...[...view.pins].map(([symbol, label]) => pinChip(view, symbol, label)));
  }

  return { node, layout() {}, paint, highlight() {} };
}

function hintOf({ host, payload }) {
  return host.trigger
    ? `Click a symbol in the text or in the mapping, at any EM pass: say which ${payload.term} it is, and see how ` +
        "the reading changes."
    : "Click a symbol in the text or in the mapping.";
}

// `at` is the earlier pass that the user has chosen, null at the latest one.
function sendPin(view, label) {
  if (view.held !== null) view.host.trigger("pin", { symbol: view.payload.symbols[view.held], label, at: view.step });
}

function pinChip(view, symbol, label) {
  return html(
    "button",
    { type: "button", class: "rv-chip rv-chip-link", title: "select it", onclick: () => view.put({ held: symbol }) },
    `${view.payload.symbols[symbol]} = ${view.payload.labels[label]}`,
  );
}

// "● t .83 · h .10": a method's readings of the symbol.
function likeliestOf(view, method) {
  const pass = passOf(view, method);
  const count = pass ? pass.likeliest.length / view.payload.symbols.length : 0;
  const entries = Array.from({ length: count }, (_, k) => view.held * count + k)
    .filter((k) => pass.shares[k] > 2)
    .map((k) =>
      html(
        "span",
        { class: "rv-likely" },
        html("b", { class: "rv-name" }, view.payload.labels[pass.likeliest[k]]),
        ` ${massText(pass.shares[k] / 255)}`,
      ),
    );
  return html(
    "span",
    { class: `rv-likely-row ${method.className}` },
    html("b", { class: "rv-method" }, `${method.mark} ${method.name}`),
    entries.length ? entries : html("span", { class: "rv-dim" }, "nothing yet"),
  );
}

function letterChoice(view) {
  const buttons = view.payload.labels.map((letter) =>
    html(
      "button",
      { type: "button", class: "rv-key", onclick: () => sendPin(view, letter), "aria-label": `means ${letter}` },
      letter,
    ),
  );
  const node = html("div", { class: "rv-alphabet", role: "group", "aria-label": "letters" }, buttons);
  function paint() {
    const used = new Set(view.pins.values());
    buttons.forEach((button, label) => {
      setAttributes(button, {
        disabled: view.held === null,
        "aria-pressed": view.held !== null && view.pins.get(view.held) === label,
      });
      toggle(button, "rv-used", used.has(label));
    });
  }
  return { node, paint };
}

function wordChoice(view) {
  const words = html(
    "datalist",
    { id: "rv-words" },
    view.payload.labels.map((word) => html("option", { value: word })),
  );
  const field = html("input", {
    type: "text",
    class: "rv-word-field",
    list: "rv-words",
    "aria-label": "word",
    autocomplete: "off",
    spellcheck: "false",
    onkeydown: (event) => {
      if (event.key === "Enter") giveWord();
    },
  });
  const button = html("button", { type: "button", class: "rv-button", onclick: () => giveWord() }, "set it");
  const giveWord = () => {
    if (field.value.trim()) sendPin(view, field.value.trim().toLowerCase());
  };
  const node = html("div", { class: "rv-word-choice" }, words, field, button);
  let before = null;
  function paint() {
    if (view.held !== before)
      field.value = view.pins.has(view.held) ? view.payload.labels[view.pins.get(view.held)] : "";
    before = view.held;
    [field, button].forEach((part) => setAttributes(part, { disabled: view.held === null }));
  }
  return { node, paint };
}
