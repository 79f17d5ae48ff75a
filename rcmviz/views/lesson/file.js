// A lesson in a file: the dock next to views drawn from data of the file, without a server.

import { html } from "../shared/dom.js";
import { findTheme } from "../shared/theme.js";
import { TALK } from "../shared/presenting.js";
import { makeMount } from "../shared/view.js";
import { makeDock } from "./dock.js";
import { progressOf } from "./progress.js";
import { isTalk } from "./talk.js";

function start(root, data, host) {
  const stage = html("div", { class: "rv-lesson-stage" });
  const file = { data, host, stage, link: null, placed: null, redraw: null };
  const place = html("div", { class: "rv-lesson" });
  root.append(place, stage);
  stage.addEventListener("rv-place", ({ detail }) => (file.placed = detail));
  if (data.presents) document.documentElement.setAttribute(TALK, "1");
  const part = Math.min(initialPart(data.lesson), data.lesson.steps.length);
  show(file, viewOf(data.lesson, part));
  file.dock = makeDock(place, data.lesson, hostOf(file, part));
  file.dock.arrived();
  return file;
}

// Redraws the view when the theme changes.
function update(file) {
  file.redraw?.();
  findTheme(file.dock);
}

// The step in the address, else the last one that was read.
function initialPart({ name, steps }) {
  const asked = Number(new URLSearchParams(window.location.search).get("part"));
  return asked >= 1 ? Math.round(asked) : progressOf(name, steps.length).part || 1;
}

function viewOf({ steps }, part) {
  return steps.slice(0, part).findLast(({ view }) => view).view;
}

function hostOf(file, part) {
  const nothing = { place: null, want: null, ask: null, close: null, lessons: null, openLesson: null };
  const open = (view) => {
    show(file, view);
    file.dock.arrived();
  };
  return { part, open, look: () => look(file), ...nothing };
}

// The current view as its link would have it; views report their place.
function look({ link, placed }) {
  return { page: link.page, query: { ...link.settings, ...(placed ?? link.begins) } };
}

function show(file, view) {
  const { data, stage } = file;
  const found = data.links.find((link) => link.page === view.page && isSame(link.query, view.query));
  if (isTalk()) document.documentElement.setAttribute(TALK, view.query.present ?? "1");
  file.link = found ?? { ...view, settings: view.query, begins: {}, shown: null };
  file.placed = null;
  file.redraw = null;
  file.end?.();
  file.end = null;
  stage.replaceChildren();
  if (file.link.shown === null) stage.append(missing(file.link));
  else draw(file, data.pictures[file.link.shown]);
}

// Old views are removed from the page, so that the dock finds only the current one.
function draw(file, { view, payload }) {
  const parentElement = file.stage.appendChild(html("div", {}));
  const given = { parentElement, data: { ...payload, ...file.link.place }, setStateValue: null, setTriggerValue: null };
  file.redraw = () => file.data.views[view](given);
  file.end = file.redraw();
  if (file.link.page === "learn") reportCheckpoint(parentElement.querySelector(".rv-learning"), file.link);
}

// For the page Learn, whose link has a checkpoint that Python would write.
function reportCheckpoint(root, { begins }) {
  const { at, ...others } = begins;
  const report = () => {
    const { step, follows } = root.dataset;
    const detail = follows === "true" ? others : { ...others, at: step ?? at };
    root.dispatchEvent(new CustomEvent("rv-place", { bubbles: true, detail }));
  };
  new MutationObserver(report).observe(root, { attributeFilter: ["data-step", "data-follows"] });
}

function missing({ page, query }) {
  const link = `${page}?${new URLSearchParams(query)}`;
  return html(
    "div",
    { class: "rv-lesson-missing" },
    html("p", {}, html("b", {}, "This view needs the application.")),
    html("p", {}, "Start it with ", html("code", {}, "rcmviz app"), " and open this link:"),
    html("p", {}, html("code", {}, link)),
  );
}

function isSame(one, other) {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => one[name] === other[name]);
}

export default makeMount("rv-lesson-file", start, update);
