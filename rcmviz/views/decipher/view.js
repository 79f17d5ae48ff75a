// A cipher being read, pass by pass. The position is the pass; everything shown follows from it and from what is
// pinned.

import { makeCurves } from "../learn/curves.js";
import { makeBar } from "./export.js";
import { makeMatrices } from "./matrix.js";
import { makeMessages } from "./message.js";
import { unpacked } from "./passes.js";
import { makePins } from "./pins.js";
import { html, setAttributes } from "../shared/dom.js";
import { linkWith, settleLink } from "../shared/links.js";
import { dressMethods } from "../shared/methods.js";
import { countText, numberText, percentText } from "../shared/numbers.js";
import { findTheme } from "../shared/theme.js";
import { makeStepper, pressed, stepKeys } from "../shared/transport.js";
import { begin, changed, giveMethods, mounting, paintParts } from "../shared/view.js";

const PACE = 400; // milliseconds per pass at speed 1, when passes are played again
const CHASE = 900; // milliseconds in which the view catches up with the passes of a tick
const PASS_SPEEDS = [0.5, 1, 4, 10];

// `step` is the pass that a person has chosen, null for whichever is the latest; `position` the one that is drawn.
function makeView(root, payload, host) {
  const view = {
    root,
    host,
    width: 0,
    parts: {},
    step: payload.step,
    position: 0,
    hovered: null,
    held: null,
    pointed: null,
    speed: 4,
    playing: false,
    scale: "linear",
    sorted: "frequency",
    mistakes: true,
  };
  giveMethods(view, { load, build, repaint, go, play, hold, point });
  view.shown = () => view.position || null;
  view.choose = (pass) => view.go(pass);
  view.hover = (pass) => {
    if (pass !== view.hovered) {
      view.hovered = pass;
      changed(view);
    }
  };
  view.setSpeed = (speed) => {
    view.speed = speed;
    if (view.playing) view.play(true);
  };
  view.put = (change, how = "paint") => {
    Object.assign(view, change);
    changed(view, how);
  };
  return view;
}

function load(view, payload) {
  view.payload = payload;
  view.methods = payload.methods.map((method) => ({ ...method, passes: method.passes.map(unpacked) }));
  dressMethods(view.methods);
  view.last = Math.max(0, ...view.methods.map((method) => method.passes.length));
  view.longest = Math.max(10, view.last);
  view.earliest = 1;
  view.steps = Array.from({ length: view.last }, (_, k) => k + 1);
  view.pins = new Map(payload.pins);
  if (view.held >= payload.symbols.length) view.held = null;
}

const goalOf = (view) => Math.min(view.step ?? view.last, view.last);

// To scrub is to stop playing; the latest pass is followed from then on.
function go(view, pass) {
  view.play(false);
  view.position = Math.min(Math.max(Math.min(1, view.last), Math.round(pass) || 0), view.last);
  view.step = view.position === view.last ? null : view.position;
  changed(view);
}

function play(view, on) {
  clearInterval(view.timer);
  view.playing = on && view.last > 1;
  if (view.playing) {
    if (view.position >= view.last) view.position = 1;
    view.step = null;
    view.timer = setInterval(() => advance(view), Math.max(40, PACE / view.speed));
  }
  changed(view);
}

function advance(view) {
  if (view.root.isConnected && view.position < goalOf(view)) view.position += 1;
  else view.play(false);
  changed(view);
}

// The passes of a tick come all at once and are shown one after the other.
function chase(view) {
  const behind = goalOf(view) - view.position;
  if (view.playing || behind <= 0) return;
  clearInterval(view.timer);
  advance(view);
  view.timer = setInterval(() => advance(view), Math.max(30, CHASE / behind));
}

function hold(view, symbol) {
  view.held = symbol === view.held ? null : symbol;
  changed(view);
}

function point(view, symbol) {
  if (symbol === view.pointed) return;
  view.pointed = symbol;
  changed(view, "highlight");
}

// Before there is a width nothing is laid out that could be painted.
function repaint(view, due) {
  if (!view.width) return;
  paintParts(view.parts, due);
  setAttributes(view.root, {
    "data-ready": "true",
    "data-id": view.payload.id,
    "data-pass": view.position,
    "data-passes": view.last,
    "data-follows": String(view.step === null),
    "data-solved": view.methods
      .filter((method) => method.status === "solved")
      .map((method) => method.kind)
      .join(" "),
  });
  settleLink(view, linkTo);
}

function linkTo(view) {
  return linkWith({ at: view.step });
}

function chartsOf({ payload }) {
  const right =
    payload.term === "letter"
      ? { curve: "accuracy", title: "letters right", unit: "of the message" }
      : { curve: "by_type", title: "symbols right", unit: "of those that occur" };
  const nats = (value) => countText(Math.round(value)).replace("-", "−");
  return [
    ...(payload.key ? [{ ...right, text: percentText, share: true, low: 0, least: 1 }] : []),
    { curve: "log_likelihood", title: "log-likelihood", unit: "nats, whole text", text: nats },
    {
      curve: "mean_length",
      title: `${payload.term}s remembered`,
      unit: "mean over the mass",
      text: (value) => numberText(value, 1),
      low: 0,
      least: 1,
    },
  ];
}

const ROUNDS =
  "A round of passes ends with swaps of two letters; the next one begins at random. The best text so far stays, and " +
  "what two rounds agree on is taken for the solution.";

function build(view) {
  view.built = shapeOf(view.payload);
  const latest = html("button", { type: "button", class: "rv-button", onclick: () => view.go(view.last) }, "latest");
  const follow = {
    node: latest,
    paint: () => setAttributes(latest, { disabled: view.position >= view.last, "aria-pressed": view.step === null }),
  };
  view.parts = {
    transport: makeStepper(view, "pass", () => view.last, { speeds: PASS_SPEEDS, choices: [follow] }),
    pins: makePins(view),
    message: makeMessages(view),
    charts: makeCurves(view, chartsOf(view), "passes", view.payload.term === "letter" ? ROUNDS : null),
    matrix: makeMatrices(view),
    tools: makeBar(view),
  };
  view.root.replaceChildren(...Object.values(view.parts).map((part) => part.node));
}

function shapeOf({ id, methods, symbols, key }) {
  return JSON.stringify([id, methods.map((method) => method.name), symbols, key]);
}

function keysOf(view) {
  const steps = {
    ...stepKeys(view, () => view.last),
    "?": () => view.parts.tools.help(),
    Escape: () => view.put({ held: null }),
  };
  return (event) => pressed(view, event, steps);
}

function start(root, payload, host) {
  const view = makeView(root, payload, host);
  begin(view, payload, keysOf(view));
  if (!payload.going && view.last && view.step >= view.last) view.step = null; // a link to the latest pass follows it
  view.position = goalOf(view);
  return view;
}

// News of the same run leaves the pass where a person is, unless the latest is followed, or passes were asked for.
function update(view, payload) {
  findTheme(view);
  const other = payload.id !== view.payload.id;
  if (payload.goes !== view.payload.goes) view.step = null;
  view.load(payload);
  if (other)
    Object.assign(view, { step: payload.step, position: Math.min(view.position, view.payload.step ?? 0, view.last) });
  if (shapeOf(payload) !== view.built) view.build();
  chase(view);
  changed(view, "layout");
}

export default mounting("rv-player rv-learning rv-decipher", start, update);
