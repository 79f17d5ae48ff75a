// The answers of a class: a bar for each choice of a question.

import { html, setAttributes } from "../shared/dom.js";

// `result` is {counts, people}, or null while it is hidden. `mark(choice)` if the question is open.
export function answerRows(question, result, { mark = null, marked = [] } = {}) {
  const rows = question.choices.map((text, choice) => {
    const count = result?.counts[choice] ?? null;
    const share = count === null ? null : `${count} of ${result.people}`;
    const bar = html("span", { class: "rv-answer-bar", "aria-hidden": "true" });
    bar.style.setProperty("--rv-share", count === null ? 0 : count / Math.max(1, result.people));
    const number = html("span", { class: "rv-answer-count" }, share);
    const parts = [bar, html("span", { class: "rv-answer-text" }, text), number];
    const chosen = marked.includes(choice);
    if (!mark) return html("li", { class: "rv-answer", "data-mine": chosen }, parts);
    const button = html("button", { type: "button", class: "rv-answer", onclick: () => mark(choice) }, parts);
    setAttributes(button, { "aria-pressed": chosen });
    return html("li", {}, button);
  });
  return html("ol", { class: "rv-answers" }, rows);
}

export function peopleText(count, noun = "follows", many = "follow") {
  if (!count) return "no one here yet";
  return count === 1 ? `1 person ${noun}` : `${count} people ${many}`;
}
