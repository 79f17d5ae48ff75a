// Beside the trees: the posterior of the label at the position, and the most probable outputs.

import { html, pool, setText, svg, toggle } from "../shared/dom.js";
import { pixels } from "../shared/ink.js";
import { methodClass } from "../shared/methods.js";
import { GLYPH, spell, termsOf } from "../shared/names.js";
import { massText, signedText } from "../shared/numbers.js";
import { panel } from "../shared/parts.js";

export function makeLetter(view, r) {
  const run = view.payload.runs[r];
  const compared = view.payload.runs.length > 1;
  const box = panel("", "rv-letter-panel " + methodClass(run));
  const image = svg("svg", { class: "rv-drawing rv-letter-image", width: 46, height: 68, "aria-hidden": "true" });
  const list = html("div", { class: "rv-bars" });
  box.body.append(...(compared ? [list] : [image, list]));
  const parts = pool(list, () => labelBar(view));
  const longest = Math.max(...view.payload.labels.map((name) => name.length));
  list.style.setProperty("--rv-label", Math.min(110, Math.max(34, (longest + 1) * GLYPH)) + "px");
  const most = Math.max(...view.payload.runs.flatMap((other) => other.label.map((row) => row.length)));

  function paint() {
    const row = run.label[view.position - 1];
    const { label } = termsOf(view);
    const subject = compared ? `${run.name}: ${label}` : label[0].toUpperCase() + label.slice(1);
    setText(box.heading, `${subject} ${view.position}, posterior`);
    parts(most).forEach((part, k) => part.paint(row[k]));
    if (view.payload.images) image.replaceChildren(pixels(view.payload.images[view.position - 1], 23, 4, 60));
    image.style.display = view.payload.images ? "" : "none";
  }

  return { node: box.node, layout() {}, paint, highlight() {} };
}

function labelBar(view) {
  const name = html("code", { class: "rv-name" });
  const bar = html("span", { class: "rv-bar-own" });
  const before = html("span", { class: "rv-bar-before" });
  const track = html("span", { class: "rv-bar-track" }, bar, before);
  const value = html("span", { class: "rv-bar-value" });
  const node = html("div", { class: "rv-bar" }, name, track, value);

  function paint(entry) {
    node.style.visibility = entry ? "" : "hidden";
    const [y, p, was] = entry || [0, 0, null];
    const gold = view.payload.gold && view.payload.gold[view.position - 1] === y;
    setText(name, (gold ? "★" : "") + view.payload.labels[y]);
    bar.style.width = p > 0 ? `max(1.5px, ${(100 * p).toFixed(2)}%)` : "0";
    const changed = was !== null && Math.abs(p - was) >= 0.0005;
    before.style.display = changed ? "" : "none";
    before.style.left = (100 * (was || 0)).toFixed(2) + "%";
    setText(value, massText(p) + (changed ? " " + signedText(p - was) : ""));
    toggle(value, "rv-up", changed && p > was);
    toggle(value, "rv-down", changed && p < was);
    toggle(node, "rv-is-gold", gold);
  }

  return { node, paint };
}

// The best outputs with their probability, the gold marked, and what became of it.
export function makeWords(view, r) {
  const run = view.payload.runs[r];
  const compared = view.payload.runs.length > 1;
  const outputs = termsOf(view).output + "s";
  const box = panel(compared ? `${run.name}: ${outputs}` : "Most probable " + outputs, "rv-words " + methodClass(run));
  const list = html(
    "ol",
    { class: "rv-word-list" },
    run.top.map((word) => wordLine(view, word)),
  );
  box.body.append(list);
  if (run.gold) box.body.append(html("p", { class: "rv-gold-line" }, goldStory(view, run, r)));
  return { node: box.node, layout() {}, paint() {}, highlight() {} };
}

function wordLine(view, word) {
  const { gold } = view.payload;
  const right = gold && word.labels.every((y, k) => y === gold[k]);
  const letters = word.labels.map((y, k) => {
    const wrong = gold && gold[k] !== y;
    return wrong ? html("span", { class: "rv-wrong-letter" }, view.payload.labels[y]) : view.payload.labels[y];
  });
  const spaced = view.payload.labels.some((label) => label.length > 1);
  const text = spaced ? letters.flatMap((letter, k) => (k ? [" ", letter] : [letter])) : letters;
  const bar = html("span", { class: "rv-bar-own" });
  bar.style.width = `max(1.5px, ${(100 * word.p).toFixed(2)}%)`;
  return html(
    "li",
    {},
    html("span", { class: "rv-word" }, html("code", { class: "rv-name" }, text), right ? " ★" : ""),
    html("span", { class: "rv-bar-track" }, bar),
    html("span", { class: "rv-bar-value" }, massText(word.p)),
  );
}

function goldStory(view, run, r) {
  const { gold } = run;
  const points = [...spell(view, view.payload.gold)];
  const word = html(
    "code",
    { class: "rv-name" },
    points.length > 40 ? points.slice(0, 39).join("") + "…" : points.join(""),
  );
  if (gold.lost !== null) {
    const link = html(
      "button",
      { type: "button", class: "rv-link-button", "data-lost": gold.lost, onclick: () => view.goToLoss(r) },
      `lost at position ${gold.lost}`,
    );
    return ["★ gold ", word, ": ", link];
  }
  const rank = gold.rank ? `rank ${gold.rank}` : `rank > ${gold.ranked}`;
  return ["★ gold ", word, `: ${rank}, probability ${massText(gold.p)}`];
}
