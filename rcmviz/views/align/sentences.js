// The reading of a run and its confidence; the current cell in words; the readouts.

import { alignmentOf, edgesOf, keyOf, rootsOf } from "./edges.js";
import { html, setText } from "../shared/dom.js";
import { withNames } from "../shared/names.js";
import { countText, massText, numberText } from "../shared/numbers.js";
import { named } from "../shared/words.js";

export function makeCard(view, run) {
  const word = html("p", { class: "rv-align-word" + (run.best?.text.length > 16 ? " rv-long" : "") });
  const list = html("ol", { class: "rv-word-list" });
  const node = html(
    "section",
    { class: `rv-panel rv-align-card ${run.className}`, "aria-label": `what ${run.name} reads` },
    html(
      "div",
      {},
      html("b", { class: "rv-method" }, `${run.mark} ${run.name} reads`),
      word,
      html("p", { class: "rv-dim" }, cardText(view, run)),
    ),
    list,
  );
  word.replaceChildren(...spellingNodes(view, run));
  list.replaceChildren(...run.spellings.slice(0, 4).map((spelling) => spellingLine(view, spelling)));
  return { node, layout() {}, paint() {}, highlight() {} };
}

// A letter that few of the alignments agree on is pale, a wrong one is underlined.
function spellingNodes(view, run) {
  const { meant } = view.payload;
  if (!run.best) return [html("span", { class: "rv-dim" }, "nothing: no complete alignment was kept")];
  const right = run.best.text === meant;
  const letters = [...run.best.text].map((letter, k) => {
    const node = html(
      "span",
      { title: `${massText(run.best.sure?.[k])} of the alignments have ${letter} here` },
      letter,
    );
    node.style.opacity = String(0.66 + 0.34 * (run.best.sure?.[k] ?? 1));
    return node;
  });
  const verdict =
    meant === null ? null : html("span", { class: right ? "rv-right" : "rv-meant" }, right ? " ✓" : ` ★ ${meant}`);
  return [html("span", { class: meant !== null && !right ? "rv-wrong-letter" : "" }, letters), verdict].filter(Boolean);
}

function cardText(view, run) {
  if (!run.best) return "None of its last contexts can be completed to a spelling.";
  const { meant } = view.payload;
  const [first, p] = run.spellings[0];
  if (first === meant) return `The meant spelling, with probability ${massText(p)}: all its alignments together.`;
  const likely = `Most probable, all alignments together: ${first}, ${massText(p)}`;
  if (meant === null) return likely + ".";
  const share = run.goldLogZ === null ? "no alignment of it is kept" : massText(Math.exp(run.goldLogZ - run.logZ));
  return `${likely}; ★ ${meant}: ${share}.`;
}

function spellingLine(view, [text, p]) {
  const bar = html("span", { class: "rv-bar-own" });
  bar.style.width = `max(1.5px, ${(100 * p).toFixed(2)}%)`;
  return html(
    "li",
    {},
    html(
      "span",
      { class: "rv-word" },
      html("code", { class: "rv-name" }, text),
      text === view.payload.meant ? " ★" : "",
    ),
    html("span", { class: "rv-bar-track" }, bar),
    html("span", { class: "rv-bar-value" }, massText(p)),
  );
}

export function aboutCell(view) {
  const [a, i] = view.cell();
  const title = html(
    "p",
    { class: "rv-detail-title" },
    "phone ",
    html("code", { class: "rv-name" }, view.payload.phones[a - 1]),
    ` with letter ${i}`,
    letterHere(view, i),
  );
  return [
    title,
    ...view.runs.map((run) =>
      html(
        "p",
        {},
        html("b", { class: "rv-method " + run.className }, `${run.mark} ${run.name}`),
        ": ",
        ...withNames(fateText(view, run, a, i)),
      ),
    ),
  ];
}

function letterHere(view, i) {
  const letter = alignmentOf(view, view.lead)?.text[i - 1];
  return letter
    ? html(
        "span",
        { class: "rv-made" },
        `(${letter} in ${view.asked === "gold" ? "the meant spelling" : `what ${view.lead.name} reads`})`,
      )
    : null;
}

function fateText(view, run, a, i) {
  const cell = run.at.get(keyOf(a, i));
  if (!cell) return "no context of this cell was kept.";
  const roots = rootsOf(cell).length;
  const kept = cell.contexts.length - roots;
  const others = cell.seen - kept;
  const many = `${countText(cell.seen)} candidates, ${kept} kept`;
  if (!others) return `${many}: all of them.`;
  const moved = `${many}; the other ${countText(others)}, ${massText(cell.moved)} of the mass, are`;
  if (!roots) return `${moved} dropped, and every spelling that needs them.`;
  return `${moved} merged into their least ancestors: shorter contexts and ${roots} root${roots > 1 ? "s" : ""}.`;
}

export function makeReadouts(view) {
  const share = (run) => {
    const [a, i] = view.cell();
    return massText(edgesOf(view, run)[a - 1]?.[i - 1] ?? 0);
  };
  const entries = [
    ["edge here", "probability that this phone and this letter belong together", share],
    [
      "log Z",
      "log of the sum over all alignments of all spellings, by the contexts that are kept: each method has its own, " +
        "that of RCMS is no bound",
      (run) => numberText(run.logZ),
    ],
    [
      "log p(meant)",
      "log probability of the meant spelling, all its alignments together",
      (run) => (run.goldLogZ === null ? "−∞" : numberText(run.goldLogZ - run.logZ)),
    ],
    ["best alignment", "probability of the best alignment", (run) => (run.best ? massText(run.best.p) : "–")],
    [
      "symbols remembered",
      "by the contexts that the posterior passes, mean over the edges",
      (run) => numberText(run.meanLength, 1).replace("−∞", "–"),
    ],
  ].filter(([name]) => name !== "log p(meant)" || view.payload.meant !== null);
  const values = entries.map(([name, meaning, read]) => ({
    name,
    is: `${name}: ${meaning}.`,
    read,
    cells: view.runs.map((run) => html("dd", { class: run.className }, "")),
  }));
  const node = html(
    "dl",
    { class: "rv-readouts rv-details" },
    values.map(({ name, is, cells }) => html("div", { class: "rv-readout" }, html("dt", {}, named(name, is)), cells)),
  );
  const paint = () =>
    values.forEach(({ read, cells }) =>
      cells.forEach((cell, r) =>
        setText(cell, (view.runs.length > 1 ? view.runs[r].mark + " " : "") + read(view.runs[r])),
      ),
    );
  return { node, layout() {}, paint, highlight() {} };
}
