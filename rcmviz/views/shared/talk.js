// @ts-check
// The talk that this browser keeps: a title, minutes, and views with a title and notes. As a text it is a lesson, whose
// steps are the views and whose texts are the notes (docs/lessons.md).

const KEY = "rv-talk";
export const NO_NOTE = "No note.";
const DROPPED = ["lesson", "part", "embed", "run"]; // parameters of a link that a step does not keep

/** @typedef {{ title: string, link: string, note: string }} Slide */
/** @typedef {{ title: string, minutes: number, steps: Slide[] }} Talk */

/** @type {() => Talk} */
export function talkNow() {
  /** @type {Talk} */
  const empty = { title: "My talk", minutes: 20, steps: [] };
  try {
    return { ...empty, ...JSON.parse(window.localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return empty;
  }
}

/** @type {(talk: Talk) => void} */
export function keepTalk(talk) {
  window.localStorage.setItem(KEY, JSON.stringify(talk));
}

// Adds a view by its link; returns how many there are.
/** @type {(title: string, link: string) => number} */
export function addToTalk(title, link) {
  const talk = talkNow();
  talk.steps.push({ title: oneLine(title) || "A view", link: shortLink(link), note: "" });
  keepTalk(talk);
  return talk.steps.length;
}

// The page and its parameters, as lessons write links.
/** @type {(link: string) => string} */
function shortLink(link) {
  const { pathname, searchParams } = new URL(link);
  for (const name of DROPPED) searchParams.delete(name);
  if (searchParams.get("present") === "1") searchParams.delete("present");
  const page = pathname.split("/").filter(Boolean).at(-1) ?? "home";
  return `${page}?${searchParams}`.replace(/\?$/, "");
}

/** @type {(text: string) => string} */
const oneLine = (text) => text.replace(/\s+/g, " ").trim();

// The talk as the text of a lesson.
/** @type {(talk: Talk) => string} */
export function talkText({ title, minutes, steps }) {
  const head = ["---", `title: ${oneLine(title) || "My talk"}`, `question: A talk of ${steps.length} views`];
  const body = steps.map(({ title: heading, link, note }) =>
    [`## ${oneLine(heading) || "A view"}`, `view: ${link}`, "", note.trim() || NO_NOTE, ""].join("\n"),
  );
  return [...head, `minutes: ${Math.min(60, Math.max(1, Math.round(minutes) || 1))}`, "---", "", ...body].join("\n");
}
