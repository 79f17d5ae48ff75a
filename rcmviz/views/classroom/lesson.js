// The step of a lesson that the teacher reads, next to the view; on a phone above it, foldable.

import { html, setText } from "../shared/dom.js";
import { blocksOf } from "../lesson/text.js";

export function makeLesson(room) {
  const kicker = html("p", { class: "rv-class-about" });
  const title = html("h2", { class: "rv-class-title" });
  const text = html("div", { class: "rv-class-text", tabindex: "0", role: "group", "aria-label": "the step" });
  const summary = html("summary", {}, kicker, title);
  const node = html("details", { class: "rv-class-lesson", open: true, hidden: true }, summary, text);
  let drawn = null;

  function paint() {
    const { step, on } = room.state;
    node.hidden = !on || !step;
    const now = JSON.stringify(step);
    if (node.hidden || now === drawn) return;
    drawn = now;
    setText(kicker, `${step.lesson} · step ${step.part} of ${step.of}`);
    setText(title, step.title);
    text.replaceChildren(...blocksOf(step.text), ...taskOf(step)); // a task with choices is asked below
    text.scrollTop = 0;
  }

  return { node, paint };
}

// A task without choices, for students who explore alone.
function taskOf({ ask, choices }) {
  if (choices || !ask.length) return [];
  return [html("div", { class: "rv-class-task" }, html("b", {}, "Task"), ...blocksOf(ask))];
}
