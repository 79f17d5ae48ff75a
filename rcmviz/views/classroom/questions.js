// The teacher's questions to the class, with the number of answers.

import { html, setAttributes, setText } from "../shared/dom.js";
import { answerRows } from "./answers.js";

const DEFAULT_CHOICES = "yes\nno\nI do not know";

export function makeQuestions(view) {
  const text = html("input", { type: "text", maxlength: 300, placeholder: "Your question" });
  const choices = html("textarea", { rows: 3 });
  choices.value = DEFAULT_CHOICES;
  const form = html(
    "form",
    { class: "rv-class-form", onsubmit: (event) => submit(event) },
    html("label", {}, "Question", text),
    html("label", {}, "Choices, one per line", choices),
    html("button", { type: "submit", class: "rv-class-button rv-class-first" }, "Ask the class"),
  );
  const asked = html("div", { class: "rv-class-asked" });
  const summary = html("summary", {}, "Ask the class");
  const node = html("details", { class: "rv-class-ask" }, summary, asked, form);

  function submit(event) {
    event.preventDefault();
    const lines = choices.value.split("\n").map((line) => line.trim());
    view.line.send({ ask: { text: text.value.trim() || "Which one?", choices: lines.filter(Boolean) } });
  }

  const button = (label, onclick) => html("button", { type: "button", class: "rv-class-button", onclick }, label);
  const show = button("Show the answers to all", () => view.reveal());
  const close = button("Close the question", () => view.line.send({ close: true }));

  function paint() {
    const { question, result, revealed, people, on } = view.board;
    node.hidden = !on;
    form.hidden = Boolean(question);
    const panel = question && !question.quiz && !question.of_lesson; // a quiz and a lesson have their own panel
    if (panel && asked.dataset.key !== question.key) node.open = true;
    setAttributes(asked, { "data-key": question?.key ?? null });
    setText(summary, question ? `${result.people} of ${people} answered` : "Ask the class");
    if (!question) return asked.replaceChildren();
    asked.replaceChildren(
      html("p", { class: "rv-class-question" }, question.text),
      answerRows(question, result),
      html(
        "p",
        { class: "rv-class-actions" },
        revealed ? html("span", {}, "Shown to all.") : show,
        close,
      ),
    );
  }

  return { node, paint };
}
