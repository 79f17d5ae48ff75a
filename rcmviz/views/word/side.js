// Beside the trees: the posterior of the label at the position, and the most probable outputs.

import { html, pool, setAttributes, setText, svg, toggle } from "../shared/dom.js";
import { pixels } from "../shared/ink.js";
import { methodClass } from "../shared/methods.js";
import { GLYPH, contextName, spell, termsOf } from "../shared/names.js";
import { longestLabel, shortContext, shortLabel } from "../shared/short_names.js";
import { massText, signedText } from "../shared/numbers.js";
import { panel } from "../shared/parts.js";
import { setWorded } from "../shared/words.js";
import { goldName, markNote, outputName } from "./outputs.js";

const LEAST_TRACK = 96; // pixels of a track and its number

export function makeLetter(view, r) {
  const run = view.payload.runs[r];
  const compared = view.payload.runs.length > 1;
  const box = panel("", "rv-letter-panel " + methodClass(run));
  const image = svg("svg", { class: "rv-drawing rv-letter-image", width: 46, height: 68, "aria-hidden": "true" });
  const list = html("div", { class: "rv-bars" });
  image.style.display = view.payload.images ? "" : "none";
  box.body.append(...(compared ? [list] : [image, list]));
  const names = Math.min(126, Math.max(26, (longestLabel(view) + 1) * GLYPH));
  const parts = pool(list, () => labelBar(view, names - GLYPH));
  list.style.setProperty("--rv-label", names + "px");
  const rows = view.payload.runs.flatMap((other) => [...other.label, ...(view.reveal ? other.soFar.label : [])]);
  const most = Math.max(...rows.map((row) => row.length));

  function paint() {
    const row = view.labelRow(r);
    list.style.setProperty("--rv-number", hasChange(view) ? "88px" : "44px");
    const { label } = termsOf(view);
    const subject = compared ? `${run.name}: ${label}` : label[0].toUpperCase() + label.slice(1);
    const token = view.payload.tokens ? ` “${view.payload.tokens[view.position - 1]}”` : "";
    setWorded(box.heading, `${subject} ${view.position}${token}, ${view.hidesFuture() ? "so far" : "posterior"}`);
    parts(most).forEach((part, k) => part.paint(row[k]));
    if (!compared && view.payload.images)
      image.replaceChildren(pixels(view.payload.images[view.position - 1], 23, 4, 60));
  }

  return { node: box.node, layout() {}, paint, highlight() {} };
}

// Whether a number of the position stands with its change, in any run: the tracks of all have one length.
function hasChange(view) {
  return view.payload.runs.some((_, r) => view.labelRow(r).some(([, p, was]) => isChange(p, was)));
}

export const isChange = (p, was) => was !== null && Math.abs(p - was) >= 0.0005;

function labelBar(view, width) {
  const name = html("code", { class: "rv-name" });
  const bar = html("span", { class: "rv-bar-own" });
  const before = html("span", { class: "rv-bar-before" });
  const track = html("span", { class: "rv-bar-track" }, bar, before);
  const value = html("span", {});
  const change = html("span", {});
  const numbers = html("span", { class: "rv-bar-value" }, change, " ", value);
  const node = html("div", { class: "rv-bar" }, name, track, numbers);

  function paint(entry) {
    node.style.visibility = entry ? "" : "hidden";
    const [y, p, was] = entry || [0, 0, null];
    const gold = view.payload.gold && view.payload.gold[view.position - 1] === y;
    const short = shortLabel(view, y, width);
    setText(name, (gold ? "★" : "") + short);
    setAttributes(name, { title: short === view.payload.labels[y] ? null : view.payload.labels[y] });
    bar.style.width = p > 0 ? `max(1.5px, ${(100 * p).toFixed(2)}%)` : "0";
    const changed = isChange(p, was);
    before.style.display = changed ? "" : "none";
    before.style.left = (100 * (was || 0)).toFixed(2) + "%";
    setText(value, massText(p));
    setText(change, changed ? signedText(p - was) : "");
    toggle(change, "rv-up", changed && p > was);
    toggle(change, "rv-down", changed && p < was);
    toggle(node, "rv-is-gold", gold);
  }

  return { node, paint };
}

// The best outputs with their probability, the gold marked, and what became of it.
export function makeWords(view, r) {
  const run = view.payload.runs[r];
  const compared = view.payload.runs.length > 1;
  const box = panel("", "rv-words " + methodClass(run));
  const list = html("ol", { class: "rv-word-list" });
  const note = html("p", { class: "rv-more" }, markNote(view));
  const story = html("p", { class: "rv-gold-line" });
  box.body.append(list, note, story);
  let shownFor = null;

  // The tracks of all lists have one length: beside the names where the longest has room there, else below them.
  function layout() {
    const room = list.clientWidth || 200;
    const outputs = view.payload.runs.flatMap(({ top }) => top);
    const longest = Math.max(...outputs.map(({ labels }) => nameWidth(view, labels)));
    const fits = longest <= room - LEAST_TRACK;
    toggle(list, "rv-stacked", !fits);
    list.style.setProperty("--rv-word", fits ? longest + "px" : null);
    shownFor = null;
  }

  function paint() {
    const hides = view.hidesFuture();
    const shows = hides ? view.position : "all";
    if (shows === shownFor) return;
    shownFor = shows;
    const outputs = termsOf(view).output + "s";
    const title = hides ? "best beginning" : compared ? outputs : "most probable " + outputs;
    setWorded(box.heading, compared ? `${run.name}: ${title}` : title[0].toUpperCase() + title.slice(1));
    const words = hides ? [{ labels: view.beginning(r), p: null }] : run.top;
    list.replaceChildren(...words.map((word) => wordLine(view, word, words[0].labels)));
    note.hidden = words.length < 2;
    story.replaceChildren(...(run.gold ? (hides ? goldSoFar(view, run, r) : goldStory(view, run, r)) : []));
  }

  return { node: box.node, layout, paint, highlight() {} };
}

const nameWidth = (view, labels) => (spell(view, labels).length + 2) * GLYPH; // with a star

function wordLine(view, word, best) {
  const { gold } = view.payload;
  const right = gold && word.labels.every((y, k) => y === gold[k]);
  const spread = word.p === null ? [] : [word.p];
  const measured = spread.flatMap((p) => {
    const bar = html("span", { class: "rv-bar-own" });
    bar.style.width = `max(1.5px, ${(100 * p).toFixed(2)}%)`;
    return [
      html("span", { class: "rv-bar-track" }, bar),
      html("span", { class: "rv-bar-value" }, massText(p)),
    ];
  });
  const written = html("span", { class: "rv-word" }, outputName(view, word.labels, best), right ? " ★" : "");
  return html("li", {}, written, measured);
}

function lossLink(view, r, lost) {
  return html(
    "button",
    {
      type: "button",
      class: "rv-link-button",
      "data-lost": lost,
      "data-explains": "lost",
      onclick: () => view.goToLoss(r),
    },
    `lost at position ${lost}`,
  );
}

// What became of the gold up to the position.
function goldSoFar(view, run, r) {
  const { position } = view;
  const word = goldName(view, view.payload.gold.slice(0, position));
  const { lost } = run.gold;
  if (lost !== null && lost <= position) return ["★ gold ", word, ": ", lossLink(view, r, lost)];
  const column = run.columns[position];
  const [labels, length] = [column.labels[column.gold], column.length[column.gold]];
  const context = { name: contextName(view, labels, length, position), labels, length };
  const carrier = shortContext(view, context, position, 240);
  return ["★ gold ", word, ", carried by ", html("code", { class: "rv-name" }, carrier)];
}

function goldStory(view, run, r) {
  const { gold } = run;
  const word = goldName(view, view.payload.gold);
  if (gold.lost !== null) return ["★ gold ", word, ": ", lossLink(view, r, gold.lost)];
  const rank = gold.rank ? `rank ${gold.rank}` : `rank > ${gold.ranked}`;
  return ["★ gold ", word, `: ${rank}, probability ${massText(gold.p)}`];
}
