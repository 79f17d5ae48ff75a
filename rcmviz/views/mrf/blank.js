// Fill the blank: a field's words for a blank, the score from each neighbour, and the words of a left-to-right model. A
// neighbour can be changed; the results are in the payload.

import { makeLine } from "./blank_line.js";
import { makeFollowing, makeList } from "./blank_list.js";
import { ROWS, code, edgeName, highestProbability, pickedRow, rowsOf, isSameSlot, slotName } from "./blank_rows.js";
import { html, svg } from "../shared/dom.js";
import { fileName, makeExportBar } from "../shared/export_bar.js";
import { seriesLook } from "../shared/methods.js";
import { massText, numberText } from "../shared/numbers.js";
import { makeSentences } from "../shared/parts.js";

const PICTURE = { width: 760, row: 24, top: 58 }; // of the lists as a drawing

// `swap` is the neighbour that was changed, {side, back, word}; `pick` the word whose row is explained.
function open(view) {
  const { payload } = view;
  view.last = view.position = 1;
  view.pick = null;
  view.swap = payload.variants.find((one) => swapText(one) === payload.swap) ?? null;
}

const swapText = (one) => `${one.side === "left" ? "b" : "a"}${one.back}.${one.word}`;

function explain(view) {
  const { payload, swap } = view;
  const row = pickedRow(view);
  const title = html("p", { class: "rv-detail-title" }, code(row.word), ` ${massText(row.p)}`);
  const said = [title, html("p", {}, ...(swap ? whatMoved(view, row) : whatDecided(view, row)))];
  const place = payload.following?.words.findIndex(([word]) => word === row.word) ?? -1;
  if (place >= 0 && !swap) {
    const [, p] = payload.following.words[place];
    said.push(html("p", {}, `Left to right alone: ${massText(p)}, number ${place + 1}.`));
  } else if (payload.following && !swap) said.push(html("p", {}, "Left to right alone it is not among the likeliest."));
  if (payload.unknown.length)
    said.push(html("p", { class: "rv-dim" }, `Unknown, read as <unk>: ${payload.unknown.join(", ")}.`));
  return said;
}

function whatDecided(view, row) {
  const cells = row.cells.map((cell, s) => ({ slot: view.payload.slots[s], value: cell.now }));
  const [first] = [...cells].sort((one, other) => other.value - one.value);
  const against = cells.filter((cell) => cell.value < -0.5);
  const decisionText = ({ slot }) => `${slot.word ?? `the ${edgeName(slot)}`} (${slotName(slot)})`;
  const worst = against.map((one) => `${decisionText(one)} ${numberText(one.value, 1)}`).join(", ");
  return [
    `${decisionText(first)} supports it most, with ${numberText(first.value, 1)} nats`,
    worst ? `; against it: ${worst}.` : ".",
    " Change a neighbour in the sentence to see its edge move.",
  ];
}

function whatMoved({ payload, swap }, row) {
  const s = payload.slots.findIndex((slot) => isSameSlot(slot, swap));
  const { now, before } = row.cells[s];
  return [
    `With ${swap.word} in place of ${payload.slots[s].word} (${slotName(swap)}), one edge moved: `,
    `from ${numberText(before, 1)} to ${numberText(now, 1)} nats. The others stay; `,
    `p goes from ${massText(row.before)} to ${massText(row.p)}.`,
  ];
}

function build(view) {
  const { payload } = view;
  const parts = { line: makeLine(view), list: makeList(view) };
  if (payload.following) parts.following = makeFollowing(view);
  parts.sentences = makeSentences("why this word", () => explain(view));
  const title = [...payload.left, "_", ...payload.right].join(" ");
  parts.tools = makeExportBar(view, {
    file: () => fileName("field-blank", title),
    link: { title: "a link to this sentence, with the neighbour that was changed" },
    tables: [{ rows: () => tableOf(view), title: "the listed words with the score of every edge" }],
    picture: { title: "the likeliest words", lines: () => [title], drawings: () => [drawingOf(view)] },
    keys: [["Esc", "the sentence as it was written"]],
    signs: [
      ["−1 +1", "the neighbour one place before, one place after"],
      ["▏", "the probability before a neighbour was changed"],
      ["itself", "θ⁰, the score of a word without any neighbour"],
    ],
  });
  const further = parts.following ? [[parts.following.node, parts.line.node]] : [];
  view.figures = [[parts.list.node, parts.line.node, parts.sentences.node], ...further];
  view.root.replaceChildren(
    parts.line.node,
    html("div", { class: "rv-stage rv-blank-stage" }, parts.list.node, parts.following?.node),
    parts.sentences.node,
    parts.tools.node,
  );
  return parts;
}

function tableOf(view) {
  const { payload } = view;
  const head = ["word", "p", "p as written", "itself", ...payload.slots.map((slot) => `edge ${slotName(slot)}`)];
  const cells = (row) => [row.word, row.p, row.before, row.node, ...row.cells.map(({ now }) => now)];
  return [head, ...rowsOf(view).map(cells)];
}

// The lists are not a drawing on the page, so one is made for export.
function drawingOf(view) {
  const { width, row, top } = PICTURE;
  const following = view.payload.following?.words.slice(0, ROWS) ?? [];
  const scale = highestProbability(view.payload);
  const lists = [
    ["Field", seriesLook(0)[0], rowsOf(view).map(({ word, p }) => [word, p])],
    [view.payload.following?.name ?? "", seriesLook(1)[0], following],
  ];
  const drawing = svg("svg", { class: "rv-drawing", width, height: top + row * ROWS });
  lists.forEach(([name, className, words], column) => {
    const x = column * (width / 2);
    drawing.append(svg("text", { class: "rv-chart-title", x: x + 10, y: top - 22 }, name));
    words.forEach(([word, p], k) => {
      const y = top + k * row;
      drawing.append(
        svg("text", { class: "rv-name", x: x + 110, y: y + 4, "text-anchor": "end" }, word),
        svg("rect", { class: `rv-own ${className}`, x: x + 120, y: y - 5, width: (190 * p) / scale, height: 10 }),
        svg("text", { class: "rv-value", x: x + 318, y: y + 4 }, massText(p)),
      );
    });
  });
  view.root.append(drawing); // its colours are those of the page
  setTimeout(() => drawing.remove());
  return drawing;
}

export const blank = {
  open,
  build,
  place: (view) => ({ swap: view.swap ? swapText(view.swap) : null }),
  marks: (view) => ({ "data-swap": view.swap ? swapText(view.swap) : "", "data-best": rowsOf(view)[0].word }),
  keys: (view) => ({ Escape: () => view.put({ swap: null, pick: null }) }),
};
