// Figures that a step shows in place of the page: the letters of a word, their scores, sums, masses, and a cipher.
// Marks of a figure have the name of what they are about, `data-mark="king"`, which the text points at.

import { html, setAttributes, svg } from "../shared/dom.js";
import { countText, numberText, wholePercentText } from "../shared/numbers.js";
import { moveTo, placeNow } from "./seen.js";

const SEEN = "of all mass";

const FIGURES = { letters, scores, sum: sums, masses, seen: seenShare, cipher };

// The figure of a step; its parts follow the position of the hidden player.
export function makeFigure(data) {
  const node = html("section", { class: "rv-figure", "aria-label": "figure of this step", tabindex: "0" });
  const refused = data.refused && { nodes: [html("p", {}, data.refused)] };
  const { nodes, paint = () => {} } = refused || FIGURES[data.kind](data);
  node.append(html("div", { class: "rv-figure-body" }, nodes));
  return { node, paint: () => paint(placeNow().position ?? 1) };
}

function picture(rows) {
  const dots = rows.flatMap((row, y) => row.flatMap((on, x) => (on ? [`M${x} ${y}h1v1h-1z`] : [])));
  const box = { viewBox: `0 0 ${rows[0].length} ${rows.length}`, class: "rv-figure-ink", "aria-hidden": "true" };
  return svg("svg", box, svg("path", { d: dots.join("") }));
}

// The images in a row; the right letters are hidden until the reader asks for them. A click goes to a position.
function word({ images, gold }) {
  const letters = images.map((rows, k) => {
    const right = html("span", { class: "rv-figure-right", hidden: true }, gold[k] ?? "");
    const go = () => moveTo({ query: { pos: k + 1 } });
    const name = { type: "button", class: "rv-figure-letter", "aria-label": `position ${k + 1}`, onclick: go };
    return { node: html("button", name, picture(rows), html("small", {}, String(k + 1)), right), right };
  });
  const reveal = html("button", { type: "button", class: "rv-dock-button" }, "Show the right letters");
  reveal.addEventListener("click", () => {
    for (const { right } of letters) right.hidden = !right.hidden;
    reveal.textContent = letters[0].right.hidden ? "Show the right letters" : "Hide the right letters";
  });
  const row = html("div", { class: "rv-figure-word" }, letters.map(({ node }) => node));
  const paint = (position) =>
    letters.forEach(({ node }, k) => setAttributes(node, { "aria-current": k + 1 === position ? "true" : null }));
  return { nodes: [html("div", { class: "rv-figure-top" }, row, gold.length ? reveal : null)], paint };
}

function letters(data) {
  const { nodes, paint } = word(data);
  nodes[0].classList.add("rv-figure-large");
  return { nodes, paint };
}

// The image of a letter with a bar for the emission of every label, and for its window after a beginning.
function scores(data) {
  const { labels, emissions, windows, beginning } = data;
  const shown = word(data);
  const image = html("div", { class: "rv-figure-image" });
  const heading = html("h3", {});
  const columns = [["emission", null], ...(windows ? [["window", windows]] : [])];
  const rows = labels.map((label) => {
    const bars = columns.map(() => html("span", { class: "rv-figure-bar" }));
    const text = html("span", { class: "rv-figure-number" });
    const tracks = bars.map((bar) => html("span", { class: "rv-figure-track" }, bar));
    return { node: html("li", { "data-mark": label }, html("b", {}, label), tracks, text), bars, text };
  });
  const list = html("ol", { class: "rv-figure-scores", "data-columns": columns.length }, rows.map(({ node }) => node));
  const paint = (position) => {
    const k = Math.min(position, emissions.length) - 1;
    const values = columns.map(([, fixed]) => fixed ?? emissions[k]);
    shown.paint(position);
    image.replaceChildren(picture(data.images[k]));
    const best = labels[emissions[k].indexOf(Math.max(...emissions[k]))];
    heading.textContent = windows
      ? `Position ${k + 1}, after “${beginning}”: score = emission + window`
      : `Position ${k + 1}: the picture alone fits “${best}” best`;
    const total = labels.map((_, y) => values.reduce((sum, column) => sum + column[y], 0));
    const top = Math.max(...total);
    rows.forEach(({ node, bars, text }, y) => {
      values.forEach((column, c) => {
        const [low, high] = [Math.min(...column), Math.max(...column)];
        bars[c].style.width = `${(100 * (column[y] - low)) / (high - low || 1)}%`;
      });
      text.textContent = values.map((column) => numberText(column[y], 1)).join(" + ");
      if (windows) text.textContent += ` = ${numberText(total[y], 1)}`;
      setAttributes(node, { "data-best": total[y] === top ? "" : null });
    });
  };
  const key = windows
    ? "Left bars: emissions. Right bars: windows. Longer is better."
    : "Longer bars: the picture fits the letter better.";
  const part = html("div", { class: "rv-figure-scored" }, image, list);
  return { nodes: [...shown.nodes, heading, part, html("p", { class: "rv-figure-note" }, key)], paint };
}

// Rounds terms so that they add up to their rounded sum.
function rounded(terms, digits = 1) {
  const unit = 10 ** digits;
  const whole = terms.map((term) => Math.round(term * unit));
  const total = Math.round(terms.reduce((sum, term) => sum + term, 0) * unit);
  for (let rest = total - whole.reduce((sum, term) => sum + term, 0); rest !== 0; rest -= Math.sign(rest)) {
    const errors = terms.map((term, k) => (term * unit - whole[k]) * Math.sign(rest));
    whole[errors.indexOf(Math.max(...errors))] += Math.sign(rest);
  }
  return { terms: whole.map((term) => numberText(term / unit, digits)), sum: numberText(total / unit, digits) };
}

// Readings as sums: emission and window of each letter, and the score. Signs are written, so that the line can be read.
function sums({ images, readings }) {
  const tables = readings.map(({ name, terms }) => {
    const { terms: said, sum } = rounded(terms.flat());
    const cell = (text) => html("td", {}, text);
    const line = (title, at) => html("tr", {}, html("th", {}, title), terms.map((_, k) => cell(said[2 * k + at])));
    const drawn = [...name].map((label, k) => html("th", { scope: "col" }, picture(images[k]), label));
    const table = html(
      "table",
      { class: "rv-figure-sum" },
      html("thead", {}, html("tr", {}, html("td", {}), drawn)),
      html("tbody", {}, line("emission", 0), line("window", 1)),
    );
    const text = said.map((term, k) => (k ? (term.startsWith("−") ? ` − ${term.slice(1)}` : ` + ${term}`) : term));
    const score = html("p", { class: "rv-figure-equation" }, html("code", {}, name), ` ${text.join("")} = `);
    score.append(html("strong", {}, sum));
    return html("article", { "data-mark": name }, table, score);
  });
  return { nodes: [html("div", { class: "rv-figure-sums" }, tables)] };
}

const power = (score) => ["e", html("sup", {}, numberText(score, 1))];
const oneIn = (share) => `1 in ${countText(Number((1 / share).toPrecision(1)))}`;
const tinyText = (share) => (share < 0.0005 ? oneIn(share) : wholePercentText(share));

function bar(share, name = "") {
  const inner = html("span", { class: `rv-figure-bar ${name}`, style: `width:${100 * share}%` });
  return html("span", { class: "rv-figure-track" }, inner);
}

const table = (head, body) =>
  html("table", { class: "rv-figure-masses" }, html("thead", {}, html("tr", {}, head)), body);

// Readings with score, mass and share of Z, then all the others, and their sum.
function masses({ readings, number, logZ }) {
  const row = (mark, name, mass, share) =>
    html(
      "tr",
      { "data-mark": mark },
      html("th", { scope: "row" }, name),
      html("td", {}, mass),
      html("td", { class: "rv-figure-wide" }, bar(share)),
      html("td", {}, tinyText(share)),
    );
  const shown = readings.map(({ name, score, p }) => row(name, html("code", {}, name), power(score), p));
  const rest = 1 - readings.reduce((sum, { p }) => sum + p, 0);
  const others = row("others", `${countText(number - readings.length)} others`, "", Math.max(0, rest));
  const all = html(
    "tr",
    { "data-mark": "Z", class: "rv-figure-total" },
    html("th", { scope: "row" }, "Z, the sum"),
    html("td", {}, power(logZ)),
    html("td", { class: "rv-figure-wide" }, bar(1)),
    html("td", {}, "100 %"),
  );
  const head = ["reading", "mass", "", "share of Z"].map((text) => html("th", { scope: "col" }, text));
  const body = html("tbody", {}, shown, others, all);
  return { nodes: [table(head, body)] };
}

// All mass as a bar: the part that a method has added up, and what it has not seen, with readings in both.
function seenShare({ method, budget, share, logZ, readings }) {
  const title = method === "rcms" ? "RCMS" : `The ${method}`;
  const part = (text, size, name) =>
    html("div", { class: `rv-figure-part ${name}` }, html("b", {}, wholePercentText(size)), ` ${text}`);
  const whole = html("div", { class: "rv-figure-all", role: "img", "aria-label": "all mass" });
  whole.append(html("span", { class: "rv-figure-known", style: `width:${100 * share}%`, "data-mark": "seen" }));
  const said = html("div", { class: "rv-figure-parts" });
  said.append(
    part(`${SEEN} is what a ${method} of ${budget} adds up: log Z = ${numberText(logZ[0], 1)}`, share, "rv-is-known"),
    part(`${SEEN} is what it has not seen. All of it: log Z = ${numberText(logZ[1], 1)}`, 1 - share, "rv-is-unknown"),
  );
  const head = ["reading", `${title} says`, "in truth", ""].map((text) => html("th", { scope: "col" }, text));
  const rows = readings.map(({ name, p, own }) =>
    html(
      "tr",
      { "data-mark": name },
      html("th", { scope: "row" }, html("code", {}, name)),
      html("td", {}, wholePercentText(own)),
      html("td", {}, tinyText(p)),
      html("td", { class: "rv-figure-wide" }, bar(p)),
    ),
  );
  return { nodes: [whole, said, table(head, html("tbody", {}, rows))] };
}

// A message in its symbols, and how often each of them occurs.
function cipher({ lines, counts }) {
  const most = Math.max(...counts.map(([, count]) => count));
  const bars = counts.map(([symbol, count]) =>
    html("li", { "data-mark": symbol }, html("b", {}, symbol), bar(count / most), html("span", {}, String(count))),
  );
  const message = html("p", { class: "rv-figure-message" }, lines.join(" "));
  const list = html("ol", { class: "rv-figure-counts" }, bars);
  return { nodes: [message, html("h3", {}, "How often each sign occurs"), list] };
}
