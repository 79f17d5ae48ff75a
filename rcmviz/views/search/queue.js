// The queue as ranked bars. A bar to the right: by the search's estimate, the hypothesis could still beat the best
// answer; to the left: it is behind already. Hypotheses that a full queue has just lost are listed below.

import { lostAt, nameOf, queueAt, runOf, scoreOf } from "./state.js";
import { html, pool, setAttributes, setText, toggle } from "../shared/dom.js";
import { countText } from "../shared/numbers.js";
import { panel } from "../shared/parts.js";
import { makeSigned, scoreText } from "../shared/signed.js";
import { named, telling } from "../shared/words.js";

const [ROWS, LOST] = [12, 3];
const HELP = "queue: the hypotheses that wait to be extended, the most promising first.";
const COLUMNS = [
  [" "],
  ["hypothesis", "hypothesis: a beginning of an answer, its labels one after the other."],
  [
    "behind – ahead of the best answer",
    "behind, ahead: score of a hypothesis plus estimate of the rest, minus the score of the best answer.",
  ],
  ["nats"],
];

export function makeQueue(view) {
  const box = panel("", "rv-queue-panel");
  telling(box.heading, HELP);
  const head = html(
    "div",
    { class: "rv-queue-row rv-queue-head rv-columns" },
    COLUMNS.map(([text, is]) => html("span", {}, is ? named(text, is) : text)),
  );
  const [kept, lost] = [0, 1].map(() => html("div", {}));
  const rest = html("p", { class: "rv-more" });
  const line = html("p", { class: "rv-queue-line" });
  box.body.append(head, kept, rest, line, lost);
  const rows = { kept: pool(kept, () => rowOf(view)), lost: pool(lost, () => rowOf(view)) };

  const scales = view.payload.runs.map((run) => largest(run, view.payload.best.score));

  function paint() {
    const run = runOf(view);
    const pop = view.position;
    const queue = queueAt(run, pop).slice(0, ROWS);
    const [size, many] = [run.queue[pop - 1], run.lost[pop - 1]];
    const fallen = many ? lostAt(run, pop).slice(0, LOST) : [];
    const scale = scales[view.run];
    box.heading.textContent = `Its queue: ${countText(size)}${run.size ? ` of ${countText(run.size)} places` : ""}`;
    rows.kept(queue.length).forEach((row, k) => row.paint(run, queue[k], k + 1, scale));
    setText(
      rest,
      size > queue.length ? `and ${countText(size - queue.length)} more` : size ? "" : "Empty.",
    );
    setText(line, `${countText(many)} ${run.loses}`);
    line.style.display = many ? "" : "none";
    rows.lost(fallen.length).forEach((row, k) => row.paint(run, fallen[k], null, scale));
  }

  return { node: box.node, layout() {}, paint, highlight() {} };
}

// One scale for the whole run; hypotheses that fall off at once may be far behind and are drawn at the edge.
function largest(run, best) {
  const ahead = run.nodes.score.map((_, n) => (run.nodes.fate[n] === "dropped" ? 0 : Math.abs(scoreOf(run, n) - best)));
  return Math.max(1e-9, ...ahead.filter(Number.isFinite));
}

function rowOf(view) {
  const [rank, name, value] = ["rv-queue-rank", "rv-name rv-queue-name", "rv-message-value"].map((className) =>
    html("span", { class: className }),
  );
  const bar = makeSigned();
  const node = html("div", { class: "rv-queue-row" }, rank, name, bar.node, value);

  function paint(run, n, place, scale) {
    const { score, rest, born, complete, right } = run.nodes;
    const ahead = scoreOf(run, n) - view.payload.best.score;
    setText(rank, place === null ? "✕" : String(place));
    setText(name, "\u200e" + nameOf(view, n) + (complete[n] ? " ■" : "") + "\u200e");
    bar.paint(ahead, scale);
    setText(value, scoreText(ahead, 1));
    const title = `so far ${scoreText(score[n], 2)}, the rest at most ${scoreText(rest[n], 2)}`;
    setAttributes(node, { "data-point": `row ${nameOf(view, n)}`, title });
    toggle(node, "rv-new", place !== null && born[n] === view.position);
    toggle(node, "rv-lost", place === null);
    toggle(node, "rv-right", right[n]);
  }

  return { node, paint };
}
