// The editor of the browser's talk: titles, notes and the order of its views; present it, save it, open it, export it.

import { html } from "../shared/dom.js";
import { save } from "../shared/download.js";
import { keepTalk, talkNow, talkText } from "../shared/talk.js";
import { openNotes } from "./speaker.js";

const HOW = "“to my talk” below a view adds it here. PageDown then steps through each view and on to the next one.";

// `act(what, text)` asks Python to "present", "export" or "open" the text of a talk.
export function makeTalkEditor(act) {
  const node = html("section", { class: "rv-talk", "aria-label": "your talk" });
  const paint = () => node.replaceChildren(...parts(talkNow(), act, paint));
  paint();
  return { node, paint };
}

function parts(talk, act, paint) {
  const change = (changes) => keepTalk(Object.assign(talk, changes));
  const redraw = (steps) => {
    change({ steps });
    paint();
  };
  return [
    html("h2", { class: "rv-course-head" }, "Your talk"),
    html("p", { class: "rv-course-tally" }, HOW),
    html(
      "p",
      { class: "rv-talk-head" },
      field("Title", "text", talk.title, (title) => change({ title })),
      field("Minutes", "number", talk.minutes, (minutes) => change({ minutes: Number(minutes) }), { min: 1, max: 60 }),
    ),
    html("ol", { class: "rv-talk-steps" }, talk.steps.map((_, k) => stepOf(talk, k, change, redraw))),
    html("p", { class: "rv-course-presses" }, presses(talk, act)),
  ];
}

function field(label, type, value, take, more = {}) {
  const input = html("input", { type, value, ...more, oninput: () => take(input.value) });
  return html("label", {}, label, input);
}

function stepOf(talk, k, change, redraw) {
  const step = talk.steps[k];
  const put = (name) => (value) => {
    step[name] = value;
    change({});
  };
  const note = html("textarea", { rows: 2, oninput: () => put("note")(note.value) });
  note.value = step.note;
  const others = talk.steps.filter((one) => one !== step);
  const moved = (to) => () => redraw([...others.slice(0, to), step, ...others.slice(to)]);
  const button = (text, label, onclick, disabled = false) => {
    const names = { "aria-label": label, title: label };
    return html("button", { type: "button", class: "rv-talk-button", ...names, onclick, disabled }, text);
  };
  return html(
    "li",
    {},
    field(`View ${k + 1}`, "text", step.title, put("title")),
    html("label", {}, "Notes", note),
    html(
      "p",
      { class: "rv-course-presses" },
      html("a", { href: step.link, target: "_self" }, step.link.slice(0, 60)),
      button("↑", `move view ${k + 1} up`, moved(k - 1), k === 0),
      button("↓", `move view ${k + 1} down`, moved(k + 1), k === others.length),
      button("✕", `remove view ${k + 1}`, () => redraw(others)),
    ),
  );
}

function presses(talk, act) {
  const none = talk.steps.length === 0;
  const button = (text, onclick, disabled = none) =>
    html("button", { type: "button", class: "rv-talk-button", disabled, onclick }, text);
  const text = () => talkText(talkNow());
  const noted = () => {
    openNotes();
    act("present", text());
  };
  const file = html("input", { type: "file", accept: ".md,.txt", "aria-label": "a talk as a text file" });
  file.addEventListener("change", async () => act("open", await file.files[0].text()));
  return [
    button("Present", () => act("present", text())),
    button("Present with notes", noted),
    button("Save as text", () => save(new Blob([text()], { type: "text/markdown" }), "talk.md")),
    button("Export as one file", () => act("export", text())),
    html("label", { class: "rv-talk-file" }, "Open a file", file),
  ];
}
