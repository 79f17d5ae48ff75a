// The dock on a page of the application. Python passes lesson and page; it opens views that the dock cannot move to,
// and computes conditions and verdicts.

import { html } from "../shared/dom.js";
import { hearLink, linkWith } from "../shared/links.js";
import { atRest } from "../shared/rest.js";
import { findTheme } from "../shared/theme.js";
import { makeMount } from "../shared/view.js";
import { forgetTasks, makeDock } from "./dock.js";
import { moveTo, PLAYER } from "./seen.js";
import { isTalk } from "./talk.js";

const SETTLED = 50; // milliseconds after a page's run
const AT_EASE = 250; // needed twice: there is a pause between two runs of a page
const LOST = 2000; // milliseconds of rest without an answer: Streamlit drops requests while it opens another page
const TRIES = 3;

function start(root, payload, host) {
  const page = { root, host, payload, number: payload.number, opening: null, pending: null, wanted: null, retry: {} };
  begin(page);
  takeUpdates(page, payload);
  const back = () => goBack(page);
  const unhear = hearLink(
    () => page.dock.judge(),
    (link) => correct(page, link),
  );
  window.addEventListener("popstate", back);
  page.stop = () => {
    unhear();
    window.removeEventListener("popstate", back);
    page.dock.stop();
    if (page.leaves) forgetTasks();
  };
  return page;
}

function begin(page) {
  const place = html("div", { class: "rv-lesson" });
  page.root.replaceChildren(place);
  page.dock = makeDock(place, page.payload.lesson, hostOf(page));
}

function update(page, payload) {
  const other = payload.lesson.id !== page.payload.lesson.id;
  const left = payload.page !== page.payload.page && payload.opened === page.payload.opened;
  page.payload = payload;
  if (left) forget(page);
  if (other) {
    page.dock.stop();
    begin(page);
  }
  takeUpdates(page, payload);
  findTheme(page.dock);
}

// The reader has left the page: pending requests of the dock would lead back.
function forget(page) {
  atRest(page.retry, page.root, null);
  Object.assign(page, { opening: null, pending: null });
  page.dock.awaited = null;
}

// Takes new data from Python: conditions by part, a verdict, the view that was opened.
function takeUpdates(page, { conditions, checked, opened }) {
  const { dock } = page;
  for (const [part, condition] of Object.entries(conditions)) dock.learn(Number(part), condition);
  if (checked && checked.number === page.pending?.number) {
    page.pending = null;
    dock.hear(checked.part, checked);
  }
  const waits = opened === page.opening && dock.awaited;
  atRest(page, page.root, () => (waits ? dock.arrived() : dock.settled()), SETTLED);
  dock.judge();
}

function hostOf(page) {
  const { host, root } = page;
  const nextNumber = () => (page.number += 1);
  const stopWaiting = () => {
    for (const owner of [host, page, page.dock, page.retry]) atRest(owner, root, null); // would cancel its run
    Object.assign(page, { wanted: null, pending: null });
  };
  const leave = (to) => {
    page.leaves = true;
    host.trigger("leave", to);
  };
  // A repeated request keeps its number: a late answer to the first one is an answer to all.
  const open = (view, part, tries = TRIES, number = nextNumber()) => {
    page.opening = number;
    host.trigger("open", { number, part, page: view.page, query: { ...view.query, ...talked(view) } });
    const waits = () => page.dock.awaited === view && page.payload.opened !== number;
    insist(page, tries, waits, () => open(view, part, tries - 1, number));
  };
  // One request at a time: a request for a condition must not replace one for a verdict.
  const put = (part, state, tries = TRIES) => {
    const { dock, pending } = page;
    const asked = { number: nextNumber(), part, state: state ?? (pending?.part === part ? pending.state : null) };
    page.pending = asked.state && asked;
    host.setState("asked", asked);
    const waits = () => page.pending === asked || (!asked.state && (dock.lacks(part) || dock.lacks(part + 1)));
    insist(page, tries, waits, () => put(part, asked.state, tries - 1));
  };
  return {
    part: partOfLink() ?? page.payload.part,
    look: () => ({ page: page.payload.page, query: queryOfLink() }),
    open: (view, part) => {
      stopWaiting();
      open(view, part);
    },
    place: (part, view) => {
      const link = linkWith({ part, ...(view && placeOf(view)) }); // as Python will write it
      window.history.pushState(window.history.state, "", link);
    },
    want: (part) => {
      if (page.wanted === part) return;
      page.wanted = part;
      const ask = () => put(part, null);
      atRest(host, root, () => atRest(host, root, ask, AT_EASE), AT_EASE);
    },
    ask: (part, state) => put(part, state),
    close: () => leave("page"),
    lessons: () => leave("lessons"),
    openLesson: (name) => host.trigger("open", { number: nextNumber(), lesson: name }),
  };
}

// Repeats a request that Python has not answered long after the page came to rest, `tries` times.
function insist(page, tries, waits, again) {
  atRest(page.retry, page.root, tries ? () => waits() && again() : null, LOST);
}

// The next view of a talk presents itself.
const talked = ({ query }) => (isTalk() ? { present: query.present ?? "1" } : {});

function placeOf({ query }) {
  return document.querySelector(PLAYER)
    ? { pos: query.pos ?? 1, phase: query.phase ?? null, node: query.node ?? null }
    : {};
}

// After the back button the page is shown again; a player ignores its own recent state.
function goBack(page) {
  const part = partOfLink();
  if (part) page.dock.go(part, true);
  moveTo({ query: queryOfLink() });
}

const OURS = ["lesson", "part"];

function queryOfLink() {
  const entries = [...new URLSearchParams(window.location.search)];
  return Object.fromEntries(entries.filter(([name]) => !OURS.includes(name)));
}

function partOfLink() {
  return Number(new URLSearchParams(window.location.search).get("part")) || null;
}

// Python writes the link too, and may not know the current part yet.
function correct(page, { searchParams: query }) {
  const { part, awaited } = page.dock;
  if (!awaited && query.get("lesson") === page.payload.name) query.set("part", part);
}

export default makeMount("rv-lesson-place", start, update);
