// The last picture: what each method reads, how sure it is, whether it is right, and what it has lost on the way.

import { html } from "../shared/dom.js";
import { methodClass } from "../shared/methods.js";
import { countText } from "../shared/numbers.js";
import { LEAST, briefLabels, briefName, probabilityText, spellLabels } from "./bar_names.js";

const LONG = 18; // characters: longer outputs are written smaller
const LONGEST = 90; // and of longer ones the end is written

export function makePoster(view) {
  const node = html("div", { class: "rv-flow-poster", "aria-live": "polite" });

  function layout() {
    node.replaceChildren(...view.runs.map((run) => verdict(view, run)), exactLine(view) ?? "");
  }

  return { node, layout, paint() {} };
}

function verdict(view, run) {
  const { result } = run;
  const className = methodClass(run);
  if (!result)
    return html("div", { class: className }, html("p", {}, html("strong", {}, "nothing: no output is possible")));
  const words = spellLabels(view, result.labels);
  const shown = words.length > LONGEST ? briefLabels(view, result.labels, result.labels.length, LONGEST) : words;
  const tint = result.right ? "rv-flow-gold" : "rv-flow-own";
  const read = html("strong", { class: `${tint}${words.length > LONG ? " rv-flow-long" : ""}`, title: words }, shown);
  const judged = result.right === null ? "" : result.right ? "right ✓" : `wrong ✕${mistakes(view, result)}`;
  const sure = html(
    "span",
    { class: "rv-flow-sure" },
    `${probabilityText(result.p)} sure${judged ? ": " : ""}`,
    html("b", { class: tint }, judged),
  );
  return html(
    "div",
    { class: className },
    html("p", {}, read, sure),
    html("p", { class: "rv-dim" }, storyOfMass(view, run)),
  );
}

// Of a long output, at how many positions it is wrong.
function mistakes({ payload: { gold, T } }, { labels }) {
  const wrong = labels.filter((label, k) => label !== gold[k]).length;
  return T > LONG && labels.length === T ? ` (${countText(wrong)} of ${countText(T)})` : "";
}

function storyOfMass(view, run) {
  const { result } = run;
  const left = run.left.at(-1);
  const some = `the ${probabilityText(left)} of the mass that is left.`;
  const part = result.lost > LEAST ? some : "all the mass: none is lost.";
  const story = `That is ${probabilityText(result.p)} of ${part}`;
  const k = run.steps.findIndex(({ fate }) => fate && !fate.kept);
  if (!view.payload.gold || k < 0 || k + 1 === view.payload.T) return story;
  const { fate } = run.steps[k];
  const gold = `“${briefLabels(view, view.payload.gold, view.payload.gold.length)}”`;
  const where = `${view.payload.unit} ${k + 1}`;
  if (fate.into < 0) return `${story} ${gold} was dropped at ${where}.`;
  return `${story} ${gold} continued in ${briefName(view, run.columns[k + 1][fate.into], k + 1)} from ${where}.`;
}

function exactLine(view) {
  const { exact } = view.payload;
  if (!exact || view.runs.some((run) => run.method === "exact")) return null;
  const words = briefLabels(view, exact.labels, exact.labels.length, 40);
  const text = `With no budget at all the same model is ${probabilityText(exact.p)} sure of “${words}”.`;
  return html("p", { class: "rv-dim rv-flow-exact" }, text);
}
