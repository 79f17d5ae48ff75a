// The dock on a page of the application. Python says which lesson and which page; it opens views that the dock cannot
// move to, says what conditions tasks have, and judges what they cannot.

import { html } from "../shared/dom.js";
import { hearLink, linkWith } from "../shared/links.js";
import { atRest } from "../shared/rest.js";
import { findTheme } from "../shared/theme.js";
import { mounting } from "../shared/view.js";
import { makeDock } from "./dock.js";
import { moveTo, PLAYER } from "./seen.js";

const SETTLED = 50; // milliseconds after a page's run
const AT_EASE = 250; // twice: between two runs of a page there is a moment without any

function start(root, payload, host) {
  const page = { root, host, payload, number: payload.number, opening: null, asking: null, wanted: null };
  begin(page);
  takeNews(page, payload);
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
  page.payload = payload;
  if (other) {
    page.dock.stop();
    begin(page);
  }
  takeNews(page, payload);
  findTheme(page.dock);
}

// What Python found out since: conditions by part, a verdict, that what was asked for is open.
function takeNews(page, { conditions, checked, opened }) {
  const { dock } = page;
  for (const [part, condition] of Object.entries(conditions)) dock.learn(Number(part), condition);
  if (checked && checked.number === page.asking) dock.hear(checked.part, checked);
  const waits = opened === page.opening && dock.awaited;
  atRest(page, page.root, () => (waits ? dock.arrived() : dock.settled()), SETTLED);
  dock.judge();
}

function hostOf(page) {
  const { host, root } = page;
  const next = () => (page.number += 1);
  const put = (asked) => host.setState("asked", { number: next(), ...asked });
  return {
    part: partOfLink() ?? page.payload.part,
    look: () => ({ page: page.payload.page, query: queryOfLink() }),
    open: (view, part) => {
      for (const owner of [host, page.dock]) atRest(owner, root, null); // what is asked meanwhile would end that run
      page.wanted = null;
      page.opening = next();
      host.trigger("open", { number: page.opening, part, page: view.page, query: view.query });
    },
    place: (part, view) => {
      const link = linkWith({ part, ...(view && placeOf(view)) }); // as Python will write it
      window.history.pushState(window.history.state, "", link);
    },
    want: (part) => {
      if (page.wanted === part) return;
      page.wanted = part;
      const ask = () => put({ part, state: null });
      atRest(host, root, () => atRest(host, root, ask, AT_EASE), AT_EASE);
    },
    ask: (part, state) => {
      put({ part, state });
      page.asking = page.number;
    },
    close: () => host.trigger("leave", "page"),
    lessons: () => host.trigger("leave", "lessons"),
    openLesson: (name) => host.trigger("open", { number: next(), lesson: name }),
  };
}

function placeOf({ query }) {
  return document.querySelector(PLAYER) ? { pos: query.pos ?? 1, node: query.node ?? null } : {};
}

// After the back button the page is shown anew; a player does not obey what it has sent itself a moment ago.
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

// Python writes the link too, and may not have heard yet which part is read by now.
function correct(page, { searchParams: query }) {
  const { part, awaited } = page.dock;
  if (!awaited && query.get("lesson") === page.payload.name) query.set("part", part);
}

export default mounting("rv-lesson-place", start, update);
