// Neighbours: the vectors of words as a map, which can be zoomed and searched, and the words nearest to one.

import { makeMap } from "./map.js";
import { html, pool, setAttributes, setText } from "../shared/dom.js";
import { fileName, makeExportBar } from "../shared/export_bar.js";
import { seriesLook } from "../shared/methods.js";
import { countText, durationText, percentText } from "../shared/numbers.js";
import { makeSentences, panel } from "../shared/parts.js";
import { atRest } from "../shared/rest.js";

const LOOKS = [0, 1].map((k) => seriesLook(k)[0]);

function open(view, before) {
  const { payload } = view;
  view.last = view.position = 1;
  view.hovered = null;
  const wanted = payload.word ?? payload.first;
  const kept = before?.kind === payload.kind ? view.chosenWord : null;
  const place = (word) => payload.words.indexOf(word);
  view.chosen = [place(payload.word), place(kept), place(wanted), place(payload.first)].find((w) => w >= 0) ?? 0;
  view.chosenWord = payload.words[view.chosen];
  view.choose = (w) => {
    view.chosenWord = payload.words[w];
    view.put({ chosen: w });
  };
  view.hover = (w) => w !== view.hovered && view.put({ hovered: w }, "highlight");
}

// The word itself if it exists, else the first with this prefix.
function makeSearch(view) {
  const { words, counts } = view.payload;
  const said = html("span", { class: "rv-dim", role: "status" });
  const search = () => {
    const typed = field.value.trim().toLowerCase();
    const found = [words.indexOf(typed), words.findIndex((word) => word.startsWith(typed))].find((w) => w >= 0) ?? -1;
    setText(said, !typed ? "" : found < 0 ? `no word begins with “${typed}”` : "");
    if (typed && found >= 0) view.choose(found);
  };
  const field = html("input", {
    type: "search",
    class: "rv-word-field",
    "aria-label": "search a word",
    placeholder: "search a word",
    oninput: () => atRest(field, view.root, search, 120),
  });
  const explain = html("b", {});
  const node = html("div", { class: "rv-mrf-search" }, field, explain, said);

  function paint() {
    setText(explain, `${words[view.chosen]}, ${countText(counts[view.chosen])} times in the text`);
  }

  return { node, layout() {}, paint, highlight() {} };
}

function makeNear(view, k) {
  const map = view.payload.maps[k];
  const box = panel(`Nearest: ${map.name.toLowerCase()}`, `rv-blank-list ${LOOKS[k]}`);
  const list = html("div", {});
  const rows = pool(list, () => nearRow(view));
  box.body.append(list);

  function paint() {
    const near = map.near[view.chosen];
    rows(near.length).forEach((row, n) => row.paint(near[n], map.cosines[view.chosen][n]));
  }

  return { node: box.node, layout() {}, paint, highlight() {} };
}

function nearRow(view) {
  const row = { node: null, word: 0, paint };
  const name = html("button", { type: "button", class: "rv-name rv-blank-word", onclick: () => view.choose(row.word) });
  const own = html("span", { class: "rv-bar-own" });
  const value = html("span", { class: "rv-bar-value" });
  row.node = html("div", { class: "rv-follow-row" }, name, html("span", { class: "rv-bar-track" }, own), value);
  for (const [event, at] of [
    ["pointerenter", () => row.word],
    ["pointerleave", () => null],
  ])
    row.node.addEventListener(event, () => view.hover(at()));

  function paint(word, cosine) {
    row.word = word;
    setText(name, view.payload.words[word]);
    setAttributes(row.node, { "data-point": `row ${view.payload.words[word]}` });
    own.style.width = `${(100 * Math.max(0, cosine)).toFixed(1)}%`;
    setText(value, cosine.toFixed(2).replace("-", "−"));
  }

  return row;
}

function describeMap(view) {
  const { payload } = view;
  const word = payload.words[view.chosen];
  const lists = payload.maps.map((map) => map.near[view.chosen]);
  const said = [html("p", { class: "rv-detail-title" }, html("code", { class: "rv-name" }, word))];
  const first = lists[0].slice(0, 3).map((w) => payload.words[w]);
  said.push(html("p", {}, `Words with the smallest angles to it occur in similar contexts: ${first.join(", ")}.`));
  if (lists.length > 1) {
    const both = lists[0].filter((w) => lists[1].includes(w)).length;
    const times = payload.maps.map((map) => `${map.name} ${durationText(map.seconds)}`).join(", ");
    const same = `${both} of the ${lists[0].length} nearest are the same in both fields.`;
    said.push(html("p", {}, `${same} Training time: ${times}.`));
  }
  const shares = payload.maps.map((map) => percentText(map.share)).join(" and ");
  const caution = `The two axes of a map have ${shares} of the variance: words far apart on it can still be near.`;
  said.push(html("p", { class: "rv-dim" }, caution));
  return said;
}

function build(view) {
  const { payload } = view;
  const maps = payload.maps.map((map, k) => makeMap(view, map, LOOKS[k]));
  const near = payload.maps.map((_, k) => makeNear(view, k));
  const search = makeSearch(view);
  const sentences = makeSentences("nearest words", () => describeMap(view));
  const tools = makeExportBar(view, {
    file: () => fileName("field-neighbours", payload.title),
    link: { title: "a link to this word" },
    tables: [{ rows: () => tableOf(view), title: "every word, its place and its nearest words" }],
    picture: { title: "the map", drawings: () => maps.map((map) => map.drawing) },
    keys: [
      ["wheel, drag", "zoom, move the map; + − ⌂ do the same"],
      ["Esc", "the whole map"],
    ],
    signs: [
      ["●", "a word; large ones are frequent"],
      ["bar", "cosine of the angle between two words"],
    ],
  });
  view.figures = [...maps.map((map) => [map.node]), ...near.map((list) => [list.node, sentences.node])];
  const side = html("div", { class: "rv-mrf-column" }, search.node, near[0].node, sentences.node);
  const stage =
    maps.length > 1
      ? [
          html("div", { class: "rv-panel rv-search-panel" }, search.node),
          html(
            "div",
            { class: "rv-stage rv-mrf-pair" },
            maps.map((map, k) => html("div", { class: "rv-mrf-column" }, map.node, near[k].node)),
          ),
          sentences.node,
        ]
      : [html("div", { class: "rv-stage rv-map-stage" }, maps[0].node, side)];
  view.root.replaceChildren(...stage, tools.node);
  const nameParts = (name, parts) => Object.fromEntries(parts.map((part, k) => [name + k, part]));
  return { ...nameParts("map", maps), ...nameParts("near", near), search, sentences, tools };
}

function tableOf({ payload: { words, counts, maps } }) {
  const columns = maps.flatMap(({ name }) => [`${name} x`, `${name} y`, `${name} nearest`]);
  const rows = words.map((word, w) => [
    word,
    counts[w],
    ...maps.flatMap(({ x, y, near }) => [x[w], y[w], near[w].map((v) => words[v]).join(" ")]),
  ]);
  return [["word", "count", ...columns], ...rows];
}

export const neighbours = {
  open,
  build,
  place: (view) => ({ word: view.chosenWord === view.payload.first ? null : view.chosenWord }),
  marks: (view) => ({ "data-word": view.chosenWord }),
  keys: (view) => ({ Escape: () => view.payload.maps.forEach((_, k) => view.parts[`map${k}`].home()) }),
};
