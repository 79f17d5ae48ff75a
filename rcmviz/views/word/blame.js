// Whose fault is it? A verdict per method under the full model, the scores behind it, and the strip of its budgets.

import { makeBudgets } from "./budgets.js";
import { makeDifferences } from "./differences.js";
import { html, setAttributes, setText } from "../shared/dom.js";
import { methodClass, methodMark } from "../shared/methods.js";
import { natsText } from "../shared/numbers.js";
import { panel } from "../shared/parts.js";
import { telling, worded } from "../shared/words.js";

const SIGNS = { right: "★", "model error": "≠", "search error": "✕" };

const LEGEND =
  "Each strip: budgets from 1 on. ★ the gold · ✕ 5 a search error at position 5 · ≠ what the model prefers · ▼ now.";

// Null without gold or verdict.
export function makeBlame(view) {
  const { runs } = view.payload;
  if (!runs.some((run) => run.blame)) return null;
  const toggle = html("button", { type: "button", class: "rv-button", onclick: () => open(!view.blameOpen) }, "scores");
  const box = panel("Whose fault is it?", "rv-blame rv-knows-future", toggle);
  telling(box.heading, "fault: of the model where it prefers something else, of the search where the gold was lost.");
  const rows = runs.map((run, r) => (run.blame ? blameRow(view, run, r) : null)).filter(Boolean);
  const legend = html("p", { class: "rv-more" }, worded(LEGEND, false));
  box.body.append(...rows.map((row) => row.node), legend);

  function open(on) {
    view.blameOpen = on;
    layout();
  }

  function layout() {
    setAttributes(toggle, { "aria-expanded": Boolean(view.blameOpen) });
    setText(toggle, view.blameOpen ? "hide the scores" : "show the scores");
    const strips = rows.map(({ r }) => stripOf(view, r)).filter(Boolean);
    const longest = Math.max(...strips.map((strip) => strip.tried ?? 1), 1);
    rows.forEach((row) => row.layout(longest));
    legend.hidden = !strips.length;
    const smallest = rows.map(({ r }) => stripOf(view, r)?.smallest ?? "");
    setAttributes(box.node, { "data-verdicts": runs.map((run) => run.blame?.verdict), "data-smallest": smallest });
  }

  return { node: box.node, layout, paint: () => rows.forEach((row) => row.paint()), highlight() {} };
}

// Strips of budgets that have been found since the payload came.
export function takeStrips(view, payload) {
  view.payload.strips = payload.strips;
  view.panels.blame?.layout();
}

const stripOf = (view, r) => view.payload.strips?.[r];

function blameRow(view, run, r) {
  const compared = view.payload.runs.length > 1;
  const line = html("p", { class: "rv-blame-line" });
  const budgets = makeBudgets(view, run, r);
  const scores = makeDifferences(view, run, r);
  const node = html("div", { class: "rv-blame-run " + methodClass(run) }, line, budgets.node, scores.node);

  function layout(longest) {
    const strip = stripOf(view, r);
    const head = compared ? html("b", { class: "rv-method" }, `${methodMark(run)} ${run.name} `) : "";
    const said = worded(sentence(run.blame), false);
    line.replaceChildren(head, chip(view, run, r), " ", ...said, " ", html("b", {}, worded(smallest(run, strip))));
    budgets.layout(strip, longest);
    scores.node.hidden = !view.blameOpen || run.blame.verdict === "right";
    if (!scores.node.hidden) scores.layout();
  }

  return { node, r, layout, paint: () => scores.paint() };
}

function chip(view, run, r) {
  const { verdict, position } = run.blame;
  const text = `${SIGNS[verdict]} ${verdict}` + (position ? ` at position ${position}` : "");
  const kind = { class: "rv-chip rv-verdict", "data-verdict": verdict };
  if (!position) return html("span", kind, worded(text));
  const go = () => goTo(view, r, position);
  return html("button", { type: "button", ...kind, onclick: go, title: "go there" }, worded(text, false));
}

// To where the gold fell, its candidate held.
function goTo(view, r, position) {
  view.run = r;
  view.go(position);
  const fallen = (view.memory.candidates(r, position) || []).find((candidate) => candidate.gold);
  if (fallen && view.node !== fallen.name) view.select(fallen.name, r);
}

function sentence({ verdict, cause, scores, margin, ownMargin, tie }) {
  const [gold, output] = scores.map(natsText);
  if (verdict === "right") return `The output is the gold; the full model scores it ${gold}.`;
  const both = `Under the full model the gold scores ${gold}, the output ${output}`;
  if (tie) return `${both}: alike. No search can tell them apart.`;
  if (verdict === "model error" && scores[0] === null) return "The gold is impossible under the model.";
  const apart = margin === null ? "" : ` by ${natsText(Math.abs(margin))}`;
  if (verdict === "model error") return `${both}: the model prefers the output${apart}. No better search would help.`;
  const behind = ownMargin === null ? "" : ` by ${natsText(Math.abs(ownMargin))}`;
  const fell = {
    dropped: "but its history was dropped there.",
    merged: `but it was merged there, and the method, which sees less, prefers the output${behind}.`,
    overrated: `but the output was merged there and is overrated since: the method prefers it${behind}.`,
    weighed: `but the weights of what was drawn prefer the output${behind}.`,
  };
  return `${both}: the gold is better${apart}, ${fell[cause]}`;
}

function smallest(run, strip) {
  if (!strip) return "";
  if (strip.searching) return "Searching for the smallest budget …";
  if (strip.smallest === null)
    return strip.complete ? "No budget gives the gold." : `No budget up to ${strip.tried} gives the gold.`;
  if (run.blame.verdict === "model error")
    return `Budget ${strip.smallest} gives it by luck: the search loses what the model prefers.`;
  return `Smallest budget: ${strip.smallest}${strip.monotone ? "." : ", and larger ones lose it again."}`;
}
