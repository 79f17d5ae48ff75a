// Tagging: a sentence with the tags of a field and those of other taggers, and the features that decided on a word.
// The position is the word.

import { html, setAttributes, svg, toggle } from "../shared/dom.js";
import { fileName, makeExportBar } from "../shared/export_bar.js";
import { seriesLook } from "../shared/methods.js";
import { countText, massText } from "../shared/numbers.js";
import { makeSentences, panel } from "../shared/parts.js";
import { enlargementOf } from "../shared/presenting.js";
import { makeSigned, scoreText } from "../shared/signed.js";
import { makeStepper } from "../shared/transport.js";

const wordAt = (view) => view.payload.words[view.position - 1];
const code = (text) => html("code", { class: "rv-name" }, text);

// A feature as people write it: `^un` is un-, `ed$` is -ed, `= the` the word itself.
function readable(name) {
  if (name.startsWith("= ")) return `“${name.slice(2)}”`;
  if (name === "any") return "any word";
  if (name.length > 1 && name.startsWith("^")) return `${name.slice(1)}-`;
  return name.length > 1 && name.endsWith("$") ? `-${name.slice(0, -1)}` : name;
}

// Opens at the first word on which the taggers disagree, else at the first that was not seen in training, as there the
// features decide.
function results({ payload: { names, words, gold } }) {
  return names.map((name, k) => {
    const tags = words.map((word) => word.tags[k]);
    const right = gold ? tags.filter((tag, i) => tag === gold[i]).length : null;
    const answer = gold ? `${countText(right)} of ${countText(tags.length)} tags right` : tags.join(" ");
    return { className: seriesLook(k)[0], name, answer, right: gold ? right === tags.length : null };
  });
}

function open(view, before) {
  const { words, step } = view.payload;
  view.last = words.length;
  const apart = words.findIndex(({ tags }) => new Set(tags).size > 1) + 1;
  const unseen = words.findIndex(({ known }) => !known) + 1;
  view.position = Math.min(before?.kind === "tagging" ? view.position : (step ?? (apart || unseen || 1)), view.last);
}

// A tag that differs from the right one or, if that is unknown, from the field's.
const isMarked = ({ payload: { gold } }, { tags }, k, tag) => tag !== (gold ? gold[k] : tags[0]);

function makeTable(view) {
  const { words, names, gold } = view.payload;
  const box = panel("Tags", "rv-tags-panel");
  const column = (entry, k) =>
    html(
      "button",
      { type: "button", class: "rv-tag-column" + (entry.known ? "" : " rv-unseen"), onclick: () => view.go(k + 1) },
      html("b", {}, entry.word),
      html("small", {}, entry.known ? "" : "unseen"),
      gold ? html("code", { class: "rv-name rv-gold-tag" }, gold[k]) : null,
      entry.tags.map((tag) =>
        html("code", { class: "rv-name" + (isMarked(view, entry, k, tag) ? " rv-other-tag" : "") }, tag),
      ),
    );
  const columns = words.map(column);
  const head = html(
    "div",
    { class: "rv-tag-column rv-tag-head" },
    html("b", {}, "\u00a0"),
    html("small", {}),
    gold ? html("span", { class: "rv-gold-tag" }, "★ right") : null,
    names.map((name) => html("span", {}, name)),
  );
  const frame = html("div", { class: "rv-tag-line" }, columns);
  box.body.append(head, frame);

  function paint() {
    columns.forEach((node, k) => {
      setAttributes(node, { "aria-pressed": k === view.position - 1 });
      toggle(node, "rv-on", k === view.position - 1);
    });
    keepInSight(frame, columns[view.position - 1]);
  }

  return { node: box.node, layout() {}, paint, highlight() {} };
}

// Scrolls a line sideways, as far as one of its parts sticks out.
function keepInSight(line, part) {
  const [of, at] = [line.getBoundingClientRect(), part.getBoundingClientRect()];
  line.scrollLeft += (Math.max(0, at.right - of.right) - Math.max(0, of.left - at.left)) / enlargementOf(line);
}

// The reasons for and against each of the likeliest tags.
function makeReasons(view) {
  const box = panel("", "rv-reasons");

  function paint() {
    const entry = wordAt(view);
    box.heading.textContent = `What decides the tag of “${entry.word}”`;
    const largest = Math.max(0.1, ...entry.best.flatMap(({ reasons }) => reasons.map(([, , w]) => Math.abs(w))));
    box.body.replaceChildren(
      html(
        "div",
        { class: "rv-reason-columns" },
        entry.best.map((one) => reasonColumn(one, largest)),
      ),
      html(
        "p",
        { class: "rv-more" },
        "un-: a prefix; -ed: a suffix. Each weight is for the tag minus that for the average tag, in nats.",
      ),
    );
  }

  return { node: box.node, layout() {}, paint, highlight() {} };
}

function reasonColumn({ tag, p, reasons }, largest) {
  const rows = reasons.map(([, name, weight]) => {
    const signed = makeSigned();
    signed.paint(weight, largest);
    const value = html("span", { class: "rv-message-value" }, scoreText(weight, 2));
    return html("div", { class: "rv-reason-row" }, code(readable(name)), signed.node, value);
  });
  const none = reasons.length ? [] : [html("p", { class: "rv-dim" }, "no learnt feature")];
  return html("div", {}, html("p", { class: "rv-detail-title" }, code(tag), ` ${massText(p)}`), rows, none);
}

function explain(view) {
  const entry = wordAt(view);
  const [field, ...others] = entry.tags;
  const { names } = view.payload;
  const unseen = entry.known ? "" : " never seen in training";
  const namesWhere = [html("p", { class: "rv-detail-title" }, code(entry.word), unseen)];
  const differing = others.map((tag, k) => [names[k + 1], tag]).filter(([, tag]) => tag !== field);
  namesWhere.push(
    html(
      "p",
      {},
      "The field says ",
      code(field),
      differing.length ? "; " : others.length ? ", and so do the others." : ".",
      ...differing.flatMap(([name, tag], k) => [k ? ", " : "", `${name}: `, code(tag)]),
    ),
  );
  const { gold } = view.payload;
  if (gold) namesWhere.push(html("p", {}, ...judgeTags(names, entry.tags, gold[view.position - 1])));
  if (!entry.known) namesWhere.push(html("p", {}, "Its prefix, suffix, shape and neighbouring tags decide."));
  return namesWhere;
}

// Which taggers have the right tag.
function judgeTags(names, tags, right) {
  const said = (holds) => names.filter((_, k) => holds(tags[k] === right)).join(", ");
  const [correct, wrong] = [said((is) => is), said((is) => !is)];
  const who = !wrong ? "all have it" : !correct ? "none has it" : `right: ${correct}; wrong: ${wrong}`;
  return ["The right tag is ", code(right), `; ${who}.`];
}

function build(view) {
  const { payload } = view;
  const table = makeTable(view);
  const reasons = makeReasons(view);
  const sentences = makeSentences("the selected word", () => explain(view));
  const transport = makeStepper(view, "word", () => view.last);
  const title = payload.words.map(({ word }) => word).join(" ");
  const tools = makeExportBar(view, {
    file: () => fileName("field-tagging", title),
    link: { title: "a link to this word" },
    tables: [{ rows: () => tableOf(view), title: "tags and reasons of every word" }],
    picture: { title: "the tags", lines: () => [title], drawings: () => [drawingOf(view)] },
    steps: "word",
    signs: [
      ["unseen", "not in the training text"],
      ["un- -ed", "a prefix, a suffix"],
      ["“the”", "the word itself, if it is frequent"],
      ["any word", "the score of a tag for any word"],
    ],
  });
  view.figures = [[table.node, sentences.node], [reasons.node]];
  view.root.replaceChildren(transport.node, table.node, sentences.node, reasons.node, tools.node);
  return { table, transport, sentences, reasons, tools };
}

function tableOf({ payload: { words, names, gold } }) {
  const head = ["word", "known", ...(gold ? ["right"] : []), ...names, "tag", "probability", "feature", "weight"];
  const rows = words.flatMap(({ word, known, tags, best }, k) =>
    best.flatMap(({ tag, p, reasons }) =>
      reasons.map(([, name, weight]) => {
        return [word, known ? 1 : 0, ...(gold ? [gold[k]] : []), ...tags, tag, p, name, weight];
      }),
    ),
  );
  return [head, ...rows];
}

// The right tags, where they are known, as those of one more tagger.
function addGoldTags({ words, names, gold }) {
  if (!gold) return { words, names };
  return { names: ["★ right", ...names], words: words.map((one, k) => ({ ...one, tags: [gold[k], ...one.tags] })) };
}

// The line of tags is not a drawing on the page, so one is made for export.
function drawingOf(view) {
  const { words, names } = addGoldTags(view.payload);
  const wide = words.map(({ word, tags }) => 16 + 8.5 * Math.max(word.length, ...tags.map((tag) => tag.length)));
  const drawing = svg("svg", { class: "rv-drawing", height: 40 + 22 * names.length });
  const put = (text, x, y, className) => drawing.append(svg("text", { x, y, class: className }, text));
  names.forEach((name, t) => put(name, 10, 46 + 22 * t, "rv-axis"));
  let x = 110;
  words.forEach(({ word, tags }, k) => {
    put(word, x, 22, "rv-chart-title");
    tags.forEach((tag, t) => put(tag, x, 46 + 22 * t, "rv-name"));
    x += wide[k];
  });
  setAttributes(drawing, { width: x });
  view.root.append(drawing); // its colours are those of the page
  setTimeout(() => drawing.remove());
  return drawing;
}

export const tagging = {
  pace: 900,
  open,
  build,
  results,
  place: (view) => ({ step: view.position }),
  marks: (view) => ({ "data-word": wordAt(view).word }),
  keys: () => ({}),
};
