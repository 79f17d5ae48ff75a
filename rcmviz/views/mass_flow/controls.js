// The buttons below the picture, and the keys that do the same.

import { hasEnds } from "./model.js";
import { setBlack } from "../shared/black_wall.js";
import { leaveBy } from "../shared/presenting.js";
import { html, setAttributes, svg } from "../shared/dom.js";
import { pressed } from "../shared/transport.js";

const ICONS = {
  start: "M2 2h2.5v14H2zM16 2v14L6 9z",
  back: "M14 2v14L4 9z",
  play: "M4 2v14l11-7z",
  pause: "M3 2h4v14H3zM11 2h4v14h-4z",
  on: "M4 2v14l10-7z",
  next: "M2 2v14l8-7zM10 2v14l8-7z",
};
export const KEYS = [
  ["space", "play, pause"],
  ["← →", "one phase back, forward; press again to skip to its end"],
  ["shift ← →", "one position back, on"],
  ["Home End", "beginning, result"],
  ["1 2 3 4", "grow, sort, cut, settle of this position"],
  ["s", "slow motion"],
  ["n", "the numbers of the picture as a table"],
  ["x", "bars as mass when it was chosen, or as share in the end"],
  ["P", "present mode: larger, for a projector; PageUp, PageDown step, B or . makes it black, Esc ends it"],
  ["Enter on a name", "follow it; on a page, what if it is pinned or forbidden"],
  ["Esc", "stop following"],
];
export const SIGNS = [
  ["bar", "a context or a candidate; its height is its share of all mass"],
  ["hatched", "mass that was dropped: lost so far"],
  ["black line", "the budget: what is below it is cut"],
  ["empty frame", "a context that mass is about to flow into"],
  ["★ green", "the right beginning"],
  ["*", "forgotten labels"],
];

function icon(name) {
  return svg(
    "svg",
    { width: 18, height: 18, viewBox: "0 0 18 18", "aria-hidden": "true" },
    svg("path", { d: ICONS[name] }),
  );
}

export function makeButton(name, label, act) {
  const named = { type: "button", class: `rv-icon rv-flow-${name}`, "aria-label": label, title: label };
  return html("button", { ...named, onclick: act }, icon(name));
}

// The button that plays and pauses, and what paints it.
export function makePlay(view) {
  const node = makeButton("play", "play (space)", () => view.toggle());
  function paint() {
    const plays = view.playing && view.goal === null;
    const label = plays ? "pause (space)" : "play (space)";
    setAttributes(node.querySelector("path"), { d: ICONS[plays ? "pause" : "play"] });
    setAttributes(node, { "aria-label": label, title: label });
  }
  return { node, paint };
}

export function makeControls(view) {
  const play = makePlay(view);
  const slow = html(
    "button",
    { type: "button", class: "rv-button", title: "slow motion (s)", onclick: () => view.setSlow() },
    "slow",
  );
  const numbers = html(
    "button",
    { type: "button", class: "rv-button", title: "numbers as a table (n)", onclick: () => view.showNumbers() },
    "numbers",
  );
  const end = html(
    "button",
    {
      ...{ type: "button", class: "rv-button", onclick: () => view.setEnd() },
      title: "bars as share in the end, not as mass when it was chosen (x)",
    },
    "share in the end",
  );
  const present = html(
    "button",
    { type: "button", class: "rv-button", title: "present mode, for a projector (P)", onclick: () => view.present() },
    "present",
  );
  const buttons = [
    makeButton("start", "to the start (Home)", () => view.glide(0)),
    makeButton("back", "one phase back (←)", () => view.stepPhase(-1)),
    play.node,
    makeButton("on", "one phase on (→)", () => view.stepPhase(1)),
    makeButton("next", "next position (shift →)", () => view.stepPosition(1)),
    slow,
  ];
  const legend = html("p", { class: "rv-flow-legend rv-dim" }, html("span", {}, "A full column is all the mass"));
  if (view.payload.gold) legend.append(html("span", { class: "rv-flow-gold" }, "★ the right beginning"));
  const hint = view.payload.whatIf ? "click a name to follow or change it" : "click a name to follow it";
  legend.append(html("span", { class: "rv-flow-hint" }, hint));
  const nav = html("div", { class: "rv-flow-nav", role: "toolbar", "aria-label": "player" }, buttons);
  const looks = [numbers, hasEnds(view.payload) ? end : null, present, legend].filter(Boolean);
  const node = html("div", { class: "rv-flow-controls" }, nav, html("div", {}, looks));

  function paint() {
    play.paint();
    setAttributes(slow, { "aria-pressed": view.isSlow });
    setAttributes(end, { "aria-pressed": view.isEnd });
    present.textContent = view.presenting ? "leave" : "present";
  }

  return { node, layout: paint, paint };
}

// A lesson next to the view chooses by digits, and continues by n.
const isOfLesson = ({ key }) => /^[1-4n]$/.test(key) && document.querySelector(".rv-lesson") !== null;

// Keys that move the picture, wherever it stands.
function moves(view, { shiftKey }) {
  const step = shiftKey ? view.stepPosition : view.stepPhase;
  const phases = ["grow", "sort", "cut", "settle"].map((phase, k) => [k + 1, () => view.go(view.where().i, phase)]);
  return {
    ArrowRight: () => step(1),
    ArrowLeft: () => step(-1),
    Home: () => view.glide(0),
    End: () => view.glide(4 * view.payload.T),
    " ": () => view.toggle(),
    Escape: () => view.follow(null),
    ...Object.fromEntries(phases),
  };
}

function all(view, event) {
  const black = () => setBlack(true);
  const page = (by) => (isAtEnd(view, by) ? leaveBy(view.root, by) : view.stepPhase(by));
  const clicker = { PageDown: () => page(1), PageUp: () => page(-1) };
  const presenting = { ...clicker, b: black, B: black, ".": black };
  return {
    ...moves(view, event),
    s: () => view.setSlow(),
    n: () => view.showNumbers(),
    x: () => view.setEnd(),
    P: () => view.present(),
    "?": () => view.parts.tools.help(),
    Escape: () => (view.presenting ? view.present(false) : view.follow(null)),
    ...(view.presenting ? presenting : {}),
  };
}

const isAtEnd = ({ s, payload: { T } }, by) => (by > 0 ? s >= 4 * T : s <= 0);

const hearing = (keys) => (view) => (event) => {
  const { target } = event;
  const isName = event.key === "Enter" && target instanceof Element && target.matches(".rv-flow-label[role=button]");
  if (!isName && !isOfLesson(event)) pressed(view, event, keys(view, event));
};

export const keyboard = hearing(all);
export const keyboardOfMoves = hearing(moves);
