// SEARN: one sentence. The position is the word, `iteration` the number of the mixture that acts, `action` the selected
// row, null for the roll-in's action.

import { makeCompounding, makeProgress } from "./compounding.js";
import { makeGrid } from "./grid.js";
import { makeMixture } from "./mixture.js";
import { placeOf } from "./place.js";
import { actionAt, iterationOf, outputOf, policyName } from "./rollouts.js";
import { html, toggle } from "../shared/dom.js";
import { fileName, makeExportBar } from "../shared/export_bar.js";
import { makeSentences, panel, segmented } from "../shared/parts.js";
import { makeStepper } from "../shared/transport.js";

const code = (text) => html("code", { class: "rv-name" }, text);
const costText = (cost) => String(Number(cost.toFixed(3)));

function open(view, before) {
  const { payload } = view;
  const same = before?.kind === "searn" && before.words.join(" ") === payload.words.join(" ");
  const count = payload.iterations.length;
  view.last = payload.words.length;
  view.position = Math.min(payload.step ?? (same ? view.position : payload.opening), view.last);
  view.iteration = Math.min((payload.iteration ?? (same ? view.iteration + 1 : payload.first)) - 1, count - 1);
  const asked = payload.actions.findIndex((label) => payload.labels[label] === payload.action);
  view.action = asked >= 0 ? asked : null;
  view.look = (position, action) => {
    view.position = position;
    view.put({ action });
  };
}

// Selects the next action of this position, up or down.
function selectAction(view, by) {
  const costs = iterationOf(view).costs[view.position - 1];
  let row = actionAt(view) + by;
  while (row >= 0 && row < costs.length && costs[row] === null) row += by;
  if (row >= 0 && row < costs.length) view.put({ action: row });
}

function selectIteration(view, by) {
  const next = view.iteration + by;
  if (next >= 0 && next < view.payload.iterations.length) view.put({ iteration: next, action: null });
}

// The output that follows from the selected action, word by word.
function makeOutput(view) {
  const { words, labels, gold } = view.payload;
  const box = panel("", "rv-output-panel");
  const columns = words.map((word, i) => {
    const label = html("code", { class: "rv-name" });
    const node = html("span", { class: "rv-output-word" }, html("b", {}, word), label);
    return { node, label, right: gold[i] };
  });
  box.body.append(
    html(
      "div",
      { class: "rv-output-line" },
      columns.map(({ node }) => node),
    ),
  );

  function paint() {
    const row = actionAt(view);
    const output = outputOf(view, row);
    const t = view.position - 1;
    const cost = costText(iterationOf(view).costs[t][row]);
    const action = labels[view.payload.actions[row]];
    box.heading.textContent = `The output if ${action} is taken at “${words[t]}”: cost ${cost}`;
    columns.forEach(({ node, label, right }, i) => {
      label.textContent = labels[output[i]];
      toggle(label, "rv-wrong-label", output[i] !== right);
      node.dataset.part = i < t ? "before" : i === t ? "here" : "after";
    });
  }

  return { node: box.node, layout() {}, paint, highlight() {} };
}

function explain(view) {
  const { words, labels, actions, gold } = view.payload;
  const iteration = iterationOf(view);
  const t = view.position - 1;
  const taken = iteration.rollin[t];
  const row = actionAt(view);
  const costs = iteration.costs[t];
  const least = Math.min(...costs.filter((cost) => cost !== null));
  const best = actions.filter((_, a) => costs[a] !== null && costs[a] - least < 1e-9);
  const wrong = iteration.rollin.slice(0, t).filter(({ label }, i) => label !== gold[i]).length;
  const before = wrong ? `, after ${wrong} ${wrong === 1 ? "error" : "errors"} before it` : "";
  const said = [
    html(
      "p",
      { class: "rv-detail-title" },
      `“${words[t]}”: `,
      code(labels[taken.label]),
      ` by ${taken.policy ? policyName(taken.policy) : "the oracle"}${before}`,
    ),
    html(
      "p",
      {},
      `Cheapest here: `,
      ...best.slice(0, 4).flatMap((label, k) => [k ? ", " : "", code(labels[label])]),
      best.length > 4 ? ` and ${best.length - 4} more` : "",
      `, cost ${costText(least)}. `,
      best.includes(gold[t])
        ? ""
        : "The right label is not among them: given the policies' later actions, another one costs less.",
    ),
  ];
  const regret = costs[row] - least;
  const learnt =
    regret > 1e-9
      ? `The next policy is taught that ${labels[actions[row]]} costs ${costText(regret)} more here.`
      : `The next policy is taught to take ${labels[actions[row]]} here.`;
  return [...said, html("p", {}, learnt)];
}

function build(view) {
  const { payload } = view;
  const grid = makeGrid(view);
  const output = makeOutput(view);
  const mixture = makeMixture(view);
  const compounding = makeCompounding(view);
  const progress = makeProgress(view);
  const sentences = makeSentences("explanation", () => explain(view));
  const iterations = segmented(
    "iteration",
    payload.iterations.map((_, k) => [k, String(k + 1)]),
    () => view.iteration,
    (iteration) => view.put({ iteration, action: null }),
  );
  const transport = makeStepper(view, payload.noun, () => view.last, { choices: [iterations] });
  const tools = makeExportBar(view, {
    file: () => fileName("searn", payload.words.join(" ")),
    link: { title: "a link to this position, iteration and action" },
    tables: [{ rows: () => tableOf(view), title: "the cost of every action at every position, by iteration" }],
    picture: {
      title: "the grid and the curves",
      lines: () => [payload.words.join(" ")],
      drawings: () => [grid.drawing, compounding.drawing, progress.drawing],
    },
    steps: payload.noun,
    keys: [
      ["↑ ↓", "another action"],
      [", .", "previous, next iteration"],
    ],
    signs: [
      ["★", "the right label"],
      ["frame", "the action of the roll-in"],
      ["blue", "cheapest here"],
      ["orange", "darker costs more"],
    ],
  });
  view.figures = [[grid.node, output.node, sentences.node], [compounding.node], [progress.node], [mixture.node]];
  view.root.replaceChildren(
    transport.node,
    html(
      "div",
      { class: "rv-stage rv-searn-stage" },
      grid.node,
      html("div", { class: "rv-column" }, output.node, sentences.node, mixture.node),
    ),
    html("div", { class: "rv-stage rv-charts-stage rv-details" }, compounding.node, progress.node),
    tools.node,
  );
  return { grid, output, mixture, compounding, progress, sentences, transport, tools };
}

function tableOf({ payload: { words, labels, actions, gold, iterations } }) {
  const head = ["iteration", "position", "word", "right", "roll-in", "acted", "action", "cost"];
  const rows = iterations.flatMap(({ rollin, costs }, k) =>
    words.flatMap((word, t) =>
      actions.flatMap((label, a) =>
        costs[t][a] === null
          ? []
          : [
              [
                k + 1,
                t + 1,
                word,
                labels[gold[t]],
                labels[rollin[t].label],
                policyName(rollin[t].policy),
                labels[label],
                costs[t][a],
              ],
            ],
      ),
    ),
  );
  return [head, ...rows];
}

export const searn = {
  pace: 900,
  open,
  build,
  place: (view) =>
    placeOf({
      step: view.position,
      iteration: view.iteration + 1 === view.payload.first ? null : view.iteration + 1,
      action: view.action === null ? null : view.payload.labels[view.payload.actions[view.action]],
    }),
  marks: (view) => ({
    "data-iteration": view.iteration + 1,
    "data-action": view.payload.labels[view.payload.actions[actionAt(view)]],
  }),
  keys: (view) => ({
    ArrowUp: () => selectAction(view, -1),
    ArrowDown: () => selectAction(view, 1),
    ",": () => selectIteration(view, -1),
    ".": () => selectIteration(view, 1),
  }),
};
