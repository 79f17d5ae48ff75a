// The list of lessons with the reader's progress, which only the browser knows.

import { html } from "../shared/dom.js";
import { keepTalk } from "../shared/talk.js";
import { findTheme } from "../shared/theme.js";
import { makeMount } from "../shared/view.js";
import { makeTalkEditor } from "./talk_editor.js";
import { allProgress, forgetProgress, progressOf } from "./progress.js";

const OWN_PREFIX = "only-here."; // prefix of the names of own lessons

function start(root, payload, host) {
  const ask = (what, text) => host.trigger("talk", { what, text });
  const view = { root, payload, host, editor: makeTalkEditor(ask), taken: null };
  paint(view);
  return view;
}

function update(view, payload) {
  view.payload = payload;
  paint(view);
}

// A talk that Python has read from a file is kept by the browser.
function takeTalk(view) {
  const { talk } = view.payload;
  if (!talk || talk.number === view.taken) return;
  view.taken = talk.number;
  const { title, minutes, steps } = talk;
  keepTalk({ title, minutes, steps });
  view.editor.paint();
}

function paint(view) {
  takeTalk(view);
  const { lessons } = view.payload;
  const own = Object.entries(allProgress())
    .filter(([name]) => name.startsWith(OWN_PREFIX))
    .map(([name, { title, of }]) => ({ name, title: title ?? "Your own lesson", steps: of }));
  view.root.replaceChildren(
    lessons.length ? tally(lessons) : "",
    html("ol", { class: "rv-course" }, lessons.map((lesson) => card(view, lesson))),
    own.length ? html("h2", { class: "rv-course-head" }, "Your own") : "",
    html("ol", { class: "rv-course" }, own.map((lesson) => card(view, lesson, true))),
    view.editor.node,
  );
  view.root.dataset.ready = "true";
  findTheme(view);
}

function tally(lessons) {
  const done = lessons.filter(({ name, steps }) => progressOf(name, steps).finished).length;
  const minutes = lessons
    .filter(({ name, steps }) => !progressOf(name, steps).finished)
    .reduce((sum, lesson) => sum + lesson.minutes, 0);
  const left = done === lessons.length ? "You have read all lessons." : `About ${minutes} minutes are left.`;
  const text = done ? `${done} of ${lessons.length} lessons read. ${left}` : `${lessons.length} lessons. ${left}`;
  return html("p", { class: "rv-course-tally" }, text);
}

function card(view, lesson, own = false) {
  const progress = progressOf(lesson.name, lesson.steps);
  const begun = progress.seen.length > 0;
  const { finished, part, seen } = progress;
  const goesOn = begun && !finished && part > 1;
  const open = () => view.host.trigger("open", { name: lesson.name, part: goesOn ? part : 1 });
  const text = finished ? "Read again" : goesOn ? `Continue at step ${part}` : "Begin";
  const button = html("button", { type: "button", class: "rv-course-open", onclick: open }, text);
  button.setAttribute("aria-label", `${text}: ${lesson.title}`);
  const share = finished ? 1 : seen.length / lesson.steps;
  const bar = html("i", { class: "rv-course-bar", "aria-hidden": "true" }, html("i", {}));
  bar.firstChild.style.width = `${100 * share}%`;
  const forget = () => {
    forgetProgress(lesson.name);
    paint(view);
  };
  return html(
    "li",
    { class: "rv-course-card", "data-state": finished ? "read" : begun ? "begun" : "new", "data-lesson": lesson.name },
    html("span", { class: "rv-course-number", "aria-hidden": "true" }, finished ? "✓" : (lesson.number ?? "✎")),
    html("h3", {}, lesson.title),
    lesson.question ? html("p", { class: "rv-course-question" }, lesson.question) : null,
    html("p", { class: "rv-course-facts" }, factsOf(lesson, progress)),
    bar,
    html(
      "div",
      { class: "rv-course-presses" },
      button,
      own ? html("button", { type: "button", class: "rv-course-forget", onclick: forget }, "Remove") : null,
    ),
  );
}

function factsOf({ minutes, steps, tasks }, { seen, done, finished }) {
  const progress = seen.length && !finished ? `${seen.length} of ${steps} steps read` : `${steps} steps`;
  const taskText = tasks ? (done.length ? `${done.length} of ${tasks} tasks done` : `${tasks} tasks`) : null;
  return [minutes ? `${minutes} minutes` : null, progress, taskText].filter(Boolean).join(" · ");
}

export default makeMount("rv-lesson rv-lessons", start, update);
