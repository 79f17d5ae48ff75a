// The list of a blank: a row per word, with a cell for the word itself and for each neighbour; and the words of a
// left-to-right model.

import { ROWS, code, edgeName, highestProbability, pickedRow, rowsOf, isSameSlot, slotName } from "./blank_rows.js";
import { html, pool, setAttributes, setText, toggle } from "../shared/dom.js";
import { seriesLook } from "../shared/methods.js";
import { massText } from "../shared/numbers.js";
import { panel } from "../shared/parts.js";
import { makeSigned, scoreText } from "../shared/signed.js";

export function makeList(view) {
  const { payload } = view;
  const box = panel("Field: p(word | left, right)", `rv-blank-list ${seriesLook(0)[0]}`);
  const names = payload.slots.map(() => html("span", {}));
  const head = html(
    "div",
    { class: "rv-blank-row rv-message-head" },
    html("span", {}, "word"),
    html("span", { class: "rv-blank-p" }, "probability"),
    html("span", { title: "how frequent the word is by itself" }, "itself"),
    names,
  );
  const list = html("div", { class: "rv-blank-rows" });
  const rows = pool(list, () => rowOf(view, payload.slots.length));
  const note = html("p", { class: "rv-more" });
  setAttributes(box.node, { "data-run": 0 });
  box.body.append(head, list, note);
  box.node.style.setProperty("--rv-slots", payload.slots.length + 1);

  function paint() {
    const found = rowsOf(view);
    const scores = found.flatMap((row) => [row.node, ...row.cells.map(({ now }) => now)]);
    const largest = Math.max(1, ...scores.map(Math.abs));
    const picked = pickedRow(view).word;
    payload.slots.forEach((slot, s) => {
      const moved = view.swap && isSameSlot(view.swap, slot);
      setText(names[s], `${slotName(slot)} ${moved ? view.swap.word : (slot.word ?? edgeName(slot))}`);
      toggle(names[s], "rv-moved", moved);
    });
    rows(found.length).forEach((row, k) => row.paint(found[k], found[k].word === picked, largest));
    const hidden = (view.swap ?? payload).hidden;
    setText(
      note,
      "Bars right of the middle speak for the word, left against it: nats more than for the average word." +
        (hidden > 0.0005 ? ` <unk>, any word outside the vocabulary, has ${massText(hidden)} and is not listed.` : ""),
    );
  }

  return { node: box.node, layout() {}, paint, highlight() {} };
}

function rowOf(view, slots) {
  const scale = highestProbability(view.payload);
  const pickWord = () => view.put({ pick: row.word });
  const name = html("button", { type: "button", class: "rv-name rv-blank-word", onclick: pickWord });
  const own = html("span", { class: "rv-bar-own" });
  const before = html("span", { class: "rv-bar-before" });
  const value = html("span", { class: "rv-bar-value" });
  const cells = Array.from({ length: slots + 1 }, () => {
    const signed = makeSigned();
    const text = html("span", { class: "rv-message-value" });
    return { ...signed, text, node: html("span", { class: "rv-message-cell" }, signed.node, text) };
  });
  const node = html(
    "div",
    { class: "rv-blank-row" },
    name,
    html("span", { class: "rv-blank-p" }, html("span", { class: "rv-bar-track" }, own, before), value),
    cells.map((cell) => cell.node),
  );
  const row = { node, word: null, paint };

  function paint(found, picked, largest) {
    row.word = found.word;
    setText(name, found.word);
    setAttributes(node, { "data-point": `row ${found.word}` });
    setAttributes(name, { "aria-pressed": picked });
    own.style.width = `${((100 * found.p) / scale).toFixed(2)}%`;
    before.style.left = `${((100 * found.before) / scale).toFixed(2)}%`;
    before.style.display = view.swap ? "" : "none";
    setText(value, massText(found.p));
    [{ now: found.node, before: found.node }, ...found.cells].forEach((cell, k) => {
      cells[k].paint(cell.now, largest);
      setText(cells[k].text, scoreText(cell.now, 1));
      toggle(cells[k].node, "rv-moved", cell.now !== cell.before);
    });
  }

  return row;
}

// It has not seen the words after the blank.
export function makeFollowing(view) {
  const { following } = view.payload;
  const box = panel(following.name, `rv-blank-list ${seriesLook(1)[0]}`);
  const most = following.words.slice(0, ROWS);
  const scale = highestProbability(view.payload);
  setAttributes(box.node, { "data-run": 1 });
  box.body.append(
    html("div", { class: "rv-message-head rv-blank-note" }, following.given),
    html(
      "div",
      {},
      most.map(([word, p]) => {
        const own = html("span", { class: "rv-bar-own" });
        own.style.width = `${((100 * p) / scale).toFixed(2)}%`;
        return html(
          "div",
          { class: "rv-follow-row", "data-point": `row ${word}` },
          code(word),
          html("span", { class: "rv-bar-track" }, own),
          html("span", { class: "rv-bar-value" }, massText(p)),
        );
      }),
    ),
    html("p", { class: "rv-more" }, following.note),
  );
  return { node: box.node, layout() {}, paint() {}, highlight() {} };
}
