// A lesson as a talk: while a view presents itself, a clicker leads from view to view. html[data-rv-talk] tells the
// next view, and hides the page until it is drawn.

import { TALK } from "../shared/presenting.js";
import { setBlack } from "../shared/black_wall.js";
import { beginClock, endClock, openNotes, speakTo } from "./speaker.js";

const PAGE = document.documentElement;
const STEPS = { PageDown: 1, PageUp: -1 };

export const isTalk = () => PAGE.hasAttribute(TALK);

// Returns {tell, stop}: `tell` after each change of the step.
export function makeTalk(dock) {
  const link = new URLSearchParams(window.location.search).get("present");
  if (link) PAGE.setAttribute(TALK, link);
  const notes = speakTo(() => stateOf(dock), press);
  const listeners = [
    ["rv-presents", ({ detail }) => mark(dock, detail)],
    ["rv-presented", ({ detail }) => lead(dock, detail.by)],
    ["keydown", (event) => pressed(dock, event), true],
  ];
  listeners.forEach((listener) => document.addEventListener(...listener));
  const stop = () => {
    listeners.forEach((listener) => document.removeEventListener(...listener));
    PAGE.removeAttribute(TALK);
    notes.close();
  };
  const tell = () => {
    if (isTalk()) beginClock();
    notes.tell();
  };
  return { tell, stop };
}

function mark(dock, { on, figure }) {
  PAGE.toggleAttribute(TALK, on);
  if (on) PAGE.setAttribute(TALK, String(figure));
  else endClock();
  dock.talk.tell();
}

// Goes to the next step with a view of its own.
function lead(dock, by) {
  const { steps } = dock.lesson;
  let part = dock.part + by;
  while (steps[part - 1] && !steps[part - 1].view) part += by;
  if (steps[part - 1]) dock.go(part);
}

// Keys for the talk; a view that is presented has its own, and a page without a view none.
function pressed(dock, event) {
  if (!isTalk() || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "N") openNotes();
  else if (document.querySelector(".rv-player[data-presenting]")) return;
  else if (STEPS[event.key]) lead(dock, STEPS[event.key]);
  else if (event.key === "Escape") mark(dock, { on: false });
  else return;
  event.preventDefault();
  event.stopPropagation();
}

// A key of the second window.
function press(key) {
  setBlack(false);
  document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
}

function stateOf({ lesson, part }) {
  const { title, text } = lesson.steps[part - 1];
  const next = lesson.steps[part]?.title ?? null;
  const note = text.map(blockText).join("\n\n");
  return { talk: lesson.title, minutes: lesson.minutes, part, of: lesson.steps.length, title, note, next };
}

function blockText([kind, content]) {
  const isList = kind === "list" || kind === "steps";
  return isList ? content.map((item) => `– ${spansText(item)}`).join("\n") : spansText(content);
}

function spansText(spans) {
  if (typeof spans === "string") return spans;
  return spans.map((span) => (typeof span === "string" ? span : spansText(span[1]))).join("");
}
