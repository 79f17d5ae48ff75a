// The task of a step: its question, the ways to answer, and the verdict.

import { html, setAttributes } from "../shared/dom.js";
import { explainWithin } from "../shared/words.js";
import { blocksOf, spansOf } from "./text.js";

const STATES = { open: "Your turn", tried: "Not yet", done: "Done" };
const MARKS = { open: "▸", tried: "↻", done: "✓" };

export function stateText(status) {
  return `${MARKS[status]} ${STATES[status]}`;
}

export function makeTask(dock, act) {
  const node = html("section", { class: "rv-task", "aria-label": "task" });
  const state = html("p", { class: "rv-task-state" });
  const ask = html("div", { class: "rv-task-ask" });
  const ways = html("div", { class: "rv-task-ways" });
  const verdict = html("div", { class: "rv-task-verdict", "aria-live": "polite" });
  const help = html("div", { class: "rv-task-help" });
  node.append(state, ask, ways, verdict, help);
  let painted = null;

  function paint() {
    const { task } = dock.step();
    const known = dock.tasks[dock.part - 1];
    setAttributes(node, { hidden: !task, "data-state": known.status });
    if (!task) return;
    if (painted !== dock.part) {
      ask.replaceChildren(...blocksOf(task.ask, act));
      explainWithin(ask);
    }
    painted = dock.part;
    const stateName = known.waits ? "Checking …" : STATES[known.status];
    state.replaceChildren(html("span", { "aria-hidden": "true" }, MARKS[known.status]), ` ${stateName}`);
    renew(ways, waysOf(dock, task, known, act));
    verdict.replaceChildren(...verdictOf(task, known, act));
    renew(help, helpOf(dock, task, known, act));
  }

  return { node, paint };
}

// Replaces buttons and keeps the focus at its place.
function renew(parent, nodes) {
  const at = [...parent.children].indexOf(document.activeElement);
  parent.replaceChildren(...nodes);
  if (at >= 0) parent.children[at]?.focus();
}

function button(text, press, name = "", more = {}) {
  return html("button", { type: "button", class: `rv-dock-button ${name}`, onclick: press, ...more }, text);
}

function waysOf(dock, task, known, act) {
  const over = known.status === "done";
  if (task.choices) {
    return task.choices.map((spans, k) => {
      const chosen = known.chosen === k;
      const mark = chosen ? (over ? MARKS.done : known.status === "tried" ? MARKS.tried : "…") : String(k + 1);
      const inside = [html("span", { class: "rv-choice-mark" }, mark), html("span", {}, spansOf(spans, act))];
      const state = chosen ? (over ? "right" : "wrong") : null;
      const attributes = { "aria-pressed": chosen, "data-state": state, disabled: over && !chosen };
      return button(inside, () => dock.choose(k), "rv-choice", attributes);
    });
  }
  if (over) return [];
  if (task.quiz) return [button(known.tries ? "Predict again" : "Predict", () => dock.predict(), "rv-dock-strong")];
  const offered = dock.host.ask ? [] : (task.offline ?? []);
  return offered.map(({ said, ...view }) => button(said, () => dock.visit({ ...dock.standing, ...view })));
}

function verdictOf(task, known, act) {
  if (known.status === "done") {
    const nodes = blocksOf(task.done, act);
    return nodes.length ? nodes : [html("p", {}, known.said || "That is right.")];
  }
  return known.said ? [html("p", {}, known.said)] : [];
}

function helpOf(dock, task, known, act) {
  if (known.status === "done") return [];
  const hint = task.hint && known.hinted ? html("div", { class: "rv-task-hint" }, blocksOf(task.hint, act)) : null;
  const asks = task.hint && !known.hinted ? button("Hint", () => dock.hint(), "rv-dock-plain") : null;
  const show = () => dock.visit(task.solution);
  const gives = task.solution && known.tries > 0 ? button("Show me", show, "rv-dock-plain") : null;
  return [hint, asks, gives].filter(Boolean);
}
