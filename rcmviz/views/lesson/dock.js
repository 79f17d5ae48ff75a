// The dock: a lesson next to its views. It knows the current step, moves the view, judges tasks and keeps the progress;
// column.js draws it. The page and an exported file differ in their `host` alone:
//
// part                  the step to begin with, from 1
// look() → {page, query}      the current view as its link would have it
// open(view, part)      show {page, query}; afterwards the host calls dock.arrived()
// place(part, view)     a step was reached without the host: its link gets the step, and the place that the view
//                       was moved to, if any; or null
// want(part)            requests dock.learn(part, condition), or null: lessons come with all conditions
// ask(part, state)      requests dock.hear(part, verdict), or null: no one can compute it
//                       the host calls dock.settled() once the page is at rest
// close(), lessons(), openLesson(name)      null if unavailable

import { setAttributes } from "../shared/dom.js";
import { atRest } from "../shared/rest.js";
import { findTheme } from "../shared/theme.js";
import { giveMethods } from "../shared/view.js";
import { explaining } from "../shared/words.js";
import { makeColumn } from "./column.js";
import { check } from "./condition.js";
import { linkNumbers } from "./linked.js";
import { showParts } from "./parts.js";
import { keepProgress, progressOf, addNumber } from "./progress.js";
import { makeRings } from "./rings.js";
import { isTalk, makeTalk } from "./talk.js";
import { bringIntoSight, isSameView, isSheet, moveTo, placeNow, PLAYER } from "./seen.js";

const PATIENCE = 400; // milliseconds of rest before Python is asked
const MARKS = ["data-position", "data-node", "data-quiz", "data-ready"];

const left = { lesson: null, part: null, tasks: null }; // by a dock whose element was replaced

export function makeDock(root, lesson, host) {
  const dock = { root, lesson, host, part: 1, tasks: [], open: true, standing: null, awaited: null };
  giveMethods(dock, { go, arrived, settled, again, isAway });
  giveMethods(dock, { learn, lacks, hear, choose, predict, hint, visit, stop, step, judge, place });
  load(dock, lesson, host.part ?? 1);
  dock.silence = explaining(root);
  dock.talk = makeTalk(dock);
  listen(dock);
  paint(dock);
  dock.rings.show(dock.step().point ?? [], true);
  return dock;
}

function load(dock, lesson, part) {
  const progress = progressOf(lesson.name, lesson.steps.length);
  Object.assign(dock, { lesson, progress, part: within(dock, part), seenBefore: null });
  dock.tasks = tasksLeft(dock) ?? lesson.steps.map((_, k) => newTask(dock, k));
  dock.column = makeColumn(dock);
  dock.rings = makeRings(dock.column.rings);
  dock.root.replaceChildren(...dock.column.nodes);
  const view = viewOf(dock, dock.part);
  if (view && isSameView(dock.host.look(), view)) dock.standing = { ...view, shown: null };
  remember(dock);
}

function newTask({ lesson, progress }, k) {
  return {
    status: !lesson.steps[k].task ? "none" : progress.done.includes(k + 1) ? "done" : "open",
    said: "",
    chosen: null,
    prediction: null,
    hinted: false,
    tries: 0,
    waits: false, // for a verdict
    touched: false, // whether the reader has acted since the step was reached
    judged: null,
  };
}

// What the reader has done at this step: Streamlit may replace the element of the dock while a page runs.
function tasksLeft({ lesson, part }) {
  const { tasks } = left;
  const isOurs = left.lesson === lesson.id && left.part === part;
  forgetTasks();
  return isOurs ? tasks.map((task) => ({ ...task, waits: false, judged: null })) : null;
}

// The reader leaves the lesson.
export function forgetTasks() {
  Object.assign(left, { lesson: null, part: null, tasks: null });
}

function within({ lesson }, part) {
  return Math.min(Math.max(1, Math.round(part) || 1), lesson.steps.length);
}

function step(dock, part = dock.part) {
  return dock.lesson.steps[part - 1];
}

// The view of a step: its own, or that of the last step that has one.
function viewOf(dock, part) {
  return dock.lesson.steps.slice(0, part).findLast(({ view }) => view)?.view ?? null;
}

// Go to another step. `quietly`: its view is already shown, as after the back button.
function go(dock, part, quietly = false) {
  const next = within(dock, part);
  if (next === dock.part) return;
  const before = dock.part;
  dock.part = next;
  const task = dock.tasks[next - 1];
  Object.assign(task, { touched: false, judged: null, waits: false });
  if (step(dock, before).task?.quiz) document.querySelector(PLAYER)?.dispatchEvent(new CustomEvent("rv-quiz-end"));
  remember(dock);
  paint(dock);
  show(dock, before, quietly);
  const detail = { lesson: dock.lesson.name, part: next, task: task.status };
  document.dispatchEvent(new CustomEvent("rv-lesson", { detail }));
}

function show(dock, before, quietly) {
  const { part, lesson, host } = dock;
  const view = viewOf(dock, part);
  const stays = part > before && !lesson.steps.slice(before, part).some((one) => one.view);
  if (!quietly && view && !stays) return openView(dock, view);
  if (quietly) dock.standing = view && { ...view, shown: null };
  else host.place?.(part);
  arrived(dock);
}

// If only the place differs, the view moves by itself; otherwise the host opens it.
function openView(dock, view) {
  const { host, part } = dock;
  dock.rings.show([]);
  dock.awaited = view;
  Object.assign(dock.tasks[part - 1], { judged: null, waits: false }); // drops requests about the old view
  if (isSameView(host.look(), view, dock.standing)) {
    host.place?.(part, view);
    return arrived(dock);
  }
  paint(dock);
  host.open(view, part);
}

// The host has opened the view.
function arrived(dock, view = dock.awaited) {
  if (dock.awaited && view === dock.awaited) {
    dock.standing = { ...view, shown: dock.host.look() };
    moveTo(view);
  }
  dock.awaited = null;
  paint(dock);
  point(dock);
  judge(dock);
}

// Rings the targets of the step and scrolls to them.
function point(dock) {
  const { point: targets } = step(dock);
  dock.rings.show(targets ?? [], true);
  if (!targets?.length) bringIntoSight();
}

// Whether the reader has left the page of the step.
function isAway(dock) {
  const view = viewOf(dock, dock.part);
  return Boolean(view) && !dock.awaited && dock.host.look().page !== view.page;
}

// Opens the view of the step as the lesson has it.
function again(dock) {
  const view = viewOf(dock, dock.part);
  if (view) openView(dock, view);
}

// The link of the page is complete.
function settled(dock) {
  paint(dock);
  if (!dock.standing || dock.standing.shown) return;
  dock.standing.shown = dock.host.look();
  point(dock);
}

// Sets the condition of a part's task; or {refused: why it is unknown}.
function learn(dock, part, condition) {
  const { task } = step(dock, part);
  if (!task || JSON.stringify(task.condition) === JSON.stringify(condition)) return;
  task.condition = condition;
  Object.assign(dock.tasks[part - 1], { judged: null, said: condition.refused ?? "" });
  paint(dock);
  judge(dock);
}

function stateOf(dock) {
  const { chosen, prediction } = dock.tasks[dock.part - 1];
  const { page, query } = dock.host.look();
  const { position, node } = placeNow();
  const live = { ...query, ...(position && { pos: String(position) }), ...(node && { node }) };
  if (position && !node) delete live.node;
  return { page, query: live, position, node, choice: chosen, prediction };
}

// Checks whether the task is done, after any possible change.
function judge(dock) {
  const { task } = step(dock);
  const known = dock.tasks[dock.part - 1];
  if (dock.awaited) return;
  if ([dock.part, dock.part + 1].some(dock.lacks)) dock.host.want?.(dock.part);
  if (!task?.condition || task.condition.refused || known.status === "done" || !isAnswered(task, known)) return;
  const state = stateOf(dock);
  const key = JSON.stringify(state);
  if (key === known.judged) return;
  known.judged = key;
  decide(dock, task, known, state);
}

// The initial state of a step is no answer, even if the view moves by itself.
function isAnswered(task, { chosen, prediction, touched }) {
  return task.choices ? chosen !== null : task.quiz ? prediction !== null : touched;
}

// Whether the condition of a part's task is still unknown.
function lacks({ lesson, tasks }, part) {
  const task = lesson.steps[part - 1]?.task;
  return Boolean(task) && !task.condition && tasks[part - 1].status !== "done";
}

function decide(dock, task, known, state) {
  const { part, host } = dock;
  const verdict = check(task.condition, state);
  known.waits = verdict.done === null && Boolean(host.ask);
  atRest(dock, dock.root, known.waits ? () => host.ask(part, state) : null, PATIENCE);
  if (known.waits) paint(dock);
  else if (verdict.done !== null) hear(dock, part, verdict);
  else hear(dock, part, { done: false, said: "This needs the application; the file cannot compute it." });
}

function hear(dock, part, { done, said }) {
  const known = dock.tasks[part - 1];
  if (!known || known.status === "done") return;
  const status = done ? "done" : "tried";
  Object.assign(known, { status, waits: false, said: said || (done ? "" : "Not yet."), tries: known.tries + 1 });
  if (done) dock.progress = { ...dock.progress, done: addNumber(dock.progress.done, part) };
  remember(dock);
  paint(dock);
}

function choose(dock, k) {
  const known = dock.tasks[dock.part - 1];
  if (known.status === "done" || !step(dock).task?.choices?.[k]) return;
  Object.assign(known, { chosen: k, judged: null });
  judge(dock);
}

// The player shows the question; its answer comes as an event.
function predict(dock) {
  const { quiz } = step(dock).task;
  const detail = { kind: quiz.kind ?? "both", ...quiz };
  if (isSheet()) place(dock, false);
  bringIntoSight();
  document.querySelector(PLAYER)?.dispatchEvent(new CustomEvent("rv-quiz-ask", { detail }));
}

function hint(dock) {
  dock.tasks[dock.part - 1].hinted = true;
  paint(dock);
}

// Opens a view that the reader chose in the dock, which counts as an answer.
function visit(dock, view) {
  dock.tasks[dock.part - 1].touched = true;
  openView(dock, view);
}

function remember(dock) {
  const { name, title, steps } = dock.lesson;
  const seen = addNumber(dock.progress.seen, dock.part);
  const finished = dock.progress.finished || seen.length === steps.length;
  dock.progress = { ...dock.progress, title, of: steps.length, part: dock.part, seen, finished };
  keepProgress(name, dock.progress);
}

function paint(dock) {
  const { task } = step(dock);
  const { status } = dock.tasks[dock.part - 1];
  setAttributes(dock.root, {
    "data-lesson": dock.lesson.name,
    "data-part": dock.part,
    "data-task": status,
    "data-judges": Boolean(task?.condition),
    "data-waits": dock.tasks[dock.part - 1].waits,
    "data-moves": Boolean(dock.awaited), // another view is being opened
    "data-open": dock.open,
    "data-ready": "true",
  });
  setAttributes(document.documentElement, { "data-rv-lesson": dock.open ? "open" : "small" });
  findTheme(dock);
  dock.column.paint();
  showParts(dock.isAway() || isTalk() ? [] : step(dock).show, dock.column.hasFigure());
  dock.talk?.tell();
}

// Shows the whole dock, or only its head.
function place(dock, open) {
  dock.open = open;
  paint(dock);
}

const OF_VIEW = /^(Arrow.+|Home|End)$/; // keys for the view even while a button of the dock has the focus
const STEPS = { PageDown: 1, n: 1, PageUp: -1, b: -1 };
const WIDGETS = "input:not([type=range]),textarea,select,[contenteditable=true],[role=dialog],[role=combobox]";

// Keys that views do not use; a clicker sends PageDown and PageUp. Present mode has its own keys.
function keyboard(dock) {
  return (event) => {
    const { key, target } = event;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !dock.root.isConnected) return;
    if (document.documentElement.hasAttribute("data-rv-presenting") || target.closest?.(WIDGETS)) return;
    if (!event.isTrusted) return; // a view repeats keys for Streamlit (transport.js); only the original counts
    const asks = dock.tasks[dock.part - 1].status !== "done" && step(dock).task?.choices;
    if (STEPS[key]) (key.length > 1 && dock.column.page(STEPS[key])) || go(dock, dock.part + STEPS[key]);
    else if (asks && /^[1-9]$/.test(key) && !document.querySelector(`${PLAYER}[data-quiz]`)) choose(dock, key - 1);
    else return;
    event.preventDefault();
  };
}

function listen(dock) {
  const looked = () => {
    dock.column.paint();
    judge(dock);
  };
  const answered = ({ detail }) => {
    const known = dock.tasks[dock.part - 1];
    if (!step(dock).task?.quiz) return;
    Object.assign(known, { prediction: detail, judged: null });
    judge(dock);
  };
  const asked = ({ detail }) => go(dock, detail.part);
  const touched = ({ target, key }) => {
    const isOfDock = dock.root.contains(target) && !target.closest(".rv-figure");
    if (isOfDock ? !OF_VIEW.test(key) : STEPS[key]) return;
    dock.tasks[dock.part - 1].touched = true;
  };
  const listeners = [
    ["pointerdown", touched, true], // before a view can stop the event
    ["keydown", touched, true],
    ["keydown", keyboard(dock)],
    ["rv-place", looked],
    ["rv-quiz-answered", answered],
    ["rv-lesson-go", asked],
  ];
  listeners.forEach((listener) => document.addEventListener(...listener));
  const watch = new MutationObserver((changes) => {
    if (changes.some(({ target }) => target.matches(PLAYER))) looked();
  });
  watch.observe(document.body, { subtree: true, attributeFilter: MARKS });
  const unlink = linkNumbers(dock.root);
  dock.unlisten = () => {
    unlink();
    listeners.forEach((listener) => document.removeEventListener(...listener));
    watch.disconnect();
  };
}

function stop(dock) {
  dock.talk.stop();
  Object.assign(left, { lesson: dock.lesson.id, part: dock.part, tasks: dock.tasks });
  dock.unlisten();
  dock.silence();
  dock.rings.stop();
  atRest(dock, dock.root, null);
  document.documentElement.removeAttribute("data-rv-lesson");
  showParts([], false);
}
