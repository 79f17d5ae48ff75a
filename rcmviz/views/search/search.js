// Search: one problem, several ways to search it. The tree and the queue of one of them, pop by pop; below, all of them
// against the number of expansions, with the proof of the answer. The position is the pop.

import { placeOf } from "./place.js";
import { makeQueue } from "./queue.js";
import { makeRace } from "./race.js";
import { makeSubject } from "./subject.js";
import { answerBy, fateAt, lostAt, nameOf, runOf, scoreOf, spellLabels, wayOf } from "./state.js";
import { makeTree } from "./tree.js";
import { html } from "../shared/dom.js";
import { fileName, makeExportBar } from "../shared/export_bar.js";
import { lookOf } from "../shared/methods.js";
import { countText } from "../shared/numbers.js";
import { makeSentences, segmented } from "../shared/parts.js";
import { scoreText } from "../shared/signed.js";
import { makeStepper } from "../shared/transport.js";

const code = (text) => html("code", { class: "rv-name" }, text);

function open(view, before) {
  const { payload } = view;
  const kept =
    before?.kind === "search" && before.runs.findIndex(({ method }) => method === before.runs[view.run]?.method);
  const asked = payload.runs.findIndex(({ method }) => method === payload.method);
  view.run = asked >= 0 ? asked : kept > 0 && kept < payload.runs.length ? kept : 0;
  setRun(view, view.run);
  view.position = Math.min(payload.step ?? runOf(view).opening, view.last);
}

function setRun(view, run) {
  view.run = run;
  view.last = runOf(view).pops.length;
  view.position = Math.min(view.position, view.last);
}

function chooseRun(view, run) {
  setRun(view, (run + view.payload.runs.length) % view.payload.runs.length);
  view.put({}, "layout");
}

function results(view) {
  const { best, gold, runs } = view.payload;
  const right = spellLabels(view, gold ?? best.labels);
  return runs.map((run) => {
    const found = answerBy(run, run.pops.length);
    const answer = found ? spellLabels(view, found.labels) : "";
    const proved = run.proof === null ? "not proved best" : `proved best at expansion ${countText(run.proof)}`;
    const sure = found ? `score ${scoreText(found.score, 2)}` : "";
    return { className: lookOf(run.method)[0], name: run.name, answer, sure, right: answer === right, story: proved };
  });
}

function explain(view) {
  const run = runOf(view);
  const pop = view.position;
  const node = run.pops[pop - 1];
  const title = html("p", { class: "rv-detail-title" }, `${run.name}, expansion ${pop}: `, code(nameOf(view, node)));
  const cut = run.cut ? ` Its first ${countText(run.pops.length)} expansions are shown.` : "";
  return [
    title,
    html("p", {}, ...whatHappened(view, run, pop, node)),
    html("p", {}, ...whatIsKnown(view, run, pop)),
    html("p", { class: "rv-dim" }, run.note + cut),
  ];
}

function whatHappened(view, run, pop, node) {
  const { noun, output } = view.payload;
  if (run.nodes.complete[node])
    return [`A complete ${output}, score ${scoreText(run.nodes.score[node], 2)}, is taken.`];
  const many = run.lost[pop - 1];
  const made = run.nodes.made[node];
  const said = [`${run.takes} is taken and extended by ${countText(made)} ${noun}${made === 1 ? "" : "s"}`];
  said.push(many ? `; ${countText(many)} ${run.loses}. ` : ". ");
  const fallen = lostAt(run, pop).find((n) => run.nodes.right[n]);
  if (fallen !== undefined) said.push("Among them ", code(nameOf(view, fallen)), ", the way to the best answer. ");
  return said;
}

function whatIsKnown(view, run, pop) {
  const { best } = view.payload;
  const answer = answerBy(run, pop);
  const name = code(spellLabels(view, best.labels));
  if (!answer) {
    const gone = wayOf(run, best.labels).some((n) => fateAt(run, n, pop) === "dropped");
    return gone ? ["The best answer, ", name, ", can no longer be found."] : ["No answer yet."];
  }
  const said = ["Answer: ", code(spellLabels(view, answer.labels)), ". "];
  if (run.proof !== null && pop >= run.proof) {
    return [...said, "Proved best: nothing in the queue can still beat it."];
  }
  if (best.score - answer.score < 1e-6) return [...said, "It is the best one, but this search cannot know that."];
  return [...said, "The best, ", name, `, is ${scoreText(best.score - answer.score, 2)} nats better.`];
}

function build(view) {
  const { payload } = view;
  const tree = makeTree(view);
  const queue = makeQueue(view);
  const race = makeRace(view);
  const sentences = makeSentences("what this expansion did", () => explain(view));
  const chooser = segmented(
    "search",
    payload.runs.map(({ name }, k) => [k, name]),
    () => view.run,
    (run) => chooseRun(view, run),
  );
  const transport = makeStepper(view, "expansion", () => view.last, { choices: [chooser] });
  const tools = makeExportBar(view, {
    file: () => fileName("search", payload.title),
    link: { title: "a link to this expansion of this search" },
    tables: [{ rows: () => tableOf(view), title: "every expansion of every search" }],
    picture: { title: "the tree and the race", drawings: () => [tree.drawing, race.drawing] },
    steps: "expansion",
    keys: [["m", "the next search"]],
    signs: [
      ["+23", "number of further extensions that wait or are lost"],
      ["✕", "lost: fell off the full queue, or not kept by the beam"],
      ["∪", "merged or joined: another one represents it"],
      ["■", "complete"],
      ["bold", "the way to the best answer"],
    ],
  });
  const subject = makeSubject(view);
  view.figures = [[tree.node, sentences.node], [race.node, sentences.node], [queue.node, sentences.node]];
  race.node.classList.add("rv-details");
  view.root.replaceChildren(
    transport.node,
    ...[subject?.node].filter(Boolean),
    html("div", { class: "rv-stage rv-search-stage" }, tree.node, queue.node),
    html("div", { class: "rv-stage rv-search-below" }, sentences.node, race.node),
    tools.node,
  );
  return { ...(subject ? { subject } : {}), tree, queue, race, sentences, transport, tools };
}

function tableOf(view) {
  const { payload } = view;
  const head = [
    "search",
    "expansion",
    "taken",
    "score",
    "score with the bound",
    "in the queue",
    "lost",
    "bound on the rest",
  ];
  const rows = payload.runs.flatMap((run, k) =>
    run.pops.map((node, p) => {
      const name = nameOf({ payload, run: k }, node);
      return [
        run.name,
        p + 1,
        name,
        run.nodes.score[node],
        scoreOf(run, node),
        run.queue[p],
        run.lost[p],
        run.bound[p] ?? "",
      ];
    }),
  );
  return [head, ...rows];
}

export const search = {
  pace: 700,
  open,
  build,
  results,
  place: (view) => placeOf({ step: view.position, method: view.run ? runOf(view).method : null }),
  marks: (view) => ({
    "data-method": runOf(view).method,
    "data-taken": nameOf(view, runOf(view).pops[view.position - 1]),
  }),
  keys: (view) => ({ m: () => chooseRun(view, view.run + 1) }),
};
