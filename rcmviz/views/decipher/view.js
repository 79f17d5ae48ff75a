// The decipher view: EM on a cipher, pass by pass. The position is the pass; it and the pins decide all that is shown.

import { makeCurves } from "../learn/curves.js";
import { makeBar } from "./export.js";
import { makeChoices } from "./matrix.js";
import { textOf } from "./message.js";
import { makeOpener } from "./opener.js";
import { unpackPass } from "./passes.js";
import { makePins } from "./pins.js";
import { makeReadings } from "./readings.js";
import { html, setAttributes } from "../shared/dom.js";
import { linkWith, settleLink } from "../shared/links.js";
import { dressMethods } from "../shared/methods.js";
import { countText, numberText, percentText } from "../shared/numbers.js";
import { findTheme } from "../shared/theme.js";
import { makeStepper, pressed, setSpeed, stepKeys } from "../shared/transport.js";
import { begin, changed, giveMethods, makeMount, opensElsewhere, paintParts, sizeClass } from "../shared/view.js";

const PACE = 400; // milliseconds per pass at speed 1, when passes are played again
const CHASE = 900; // milliseconds in which the view catches up with the passes of a tick
const PASS_SPEEDS = [0.5, 1, 4, 10];

// `step` is the pass that the user chose, null to follow the latest; `position` is the drawn pass.
function makeView(root, payload, host) {
  const view = {
    root,
    host,
    width: 0,
    parts: {},
    step: payload.step,
    goes: payload.goes,
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
  giveMethods(view, { load, build, repaint, results, go, play, setSpeed, hold: toggleHeld, point });
  view.shown = () => view.position || null;
  view.choose = (pass) => view.go(pass);
  // texts and mappings are side by side if both methods then fit below each other
  view.isSideBySide = () =>
    view.payload.term === "letter" && view.methods.length < 3 && sizeClass(view.width) === "wide";
  view.hover = (pass) => {
    if (pass !== view.hovered) {
      view.hovered = pass;
      changed(view);
    }
  };
  view.put = (change, how = "paint") => {
    Object.assign(view, change);
    changed(view, how);
  };
  return view;
}

function load(view, payload) {
  const now = payload.methods.map(unpackMethod);
  dressMethods(now);
  Object.assign(view, { payload, now, methods: joinEarlierRun(payload.before, now) });
  view.last = Math.max(0, ...now.map((method) => method.passes.length));
  view.longest = Math.max(10, ...view.methods.map((method) => method.passes.length));
  view.earliest = 1;
  view.steps = Array.from({ length: view.last }, (_, k) => k + 1);
  view.pins = new Map(payload.pins);
  if (view.held >= payload.symbols.length) view.held = null;
}

const unpackMethod = (method) => ({ ...method, passes: method.passes.map(unpackPass) });

// A run that has branched off is next to the earlier one: the old on the left, in the same colour.
function joinEarlierRun(before, now) {
  if (!before?.methods.length) return now;
  return now.flatMap((method, m) => {
    const { className, mark } = method;
    const name = `${method.name}, pinned after pass ${before.at}`;
    const look = { name: `${method.name}, before the pin`, old: true, mark, dash: "1 4" };
    const old = { ...unpackMethod(before.methods[m]), ...look };
    return [{ ...old, className: `${className} rv-old` }, { ...method, name }];
  });
}

const goalOf = (view) => Math.min(view.step ?? view.last, view.last);

// Scrubbing stops playing; from the latest pass on, new ones are followed.
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
function showNextPass(view) {
  const behind = goalOf(view) - view.position;
  if (view.playing || behind <= 0) return;
  clearInterval(view.timer);
  advance(view);
  view.timer = setInterval(() => advance(view), Math.max(30, CHASE / behind));
}

function toggleHeld(view, symbol) {
  view.held = symbol === view.held ? null : symbol;
  changed(view);
}

function point(view, symbol) {
  if (symbol === view.pointed) return;
  view.pointed = symbol;
  changed(view, "highlight");
}

// Without a width nothing is laid out yet.
function repaint(view, due) {
  const { payload } = view;
  if (!view.width) return;
  paintParts(view.parts, due);
  setAttributes(view.root, {
    "data-ready": "true",
    "data-id": payload.id,
    "data-pass": view.position,
    "data-passes": view.last,
    "data-follows": String(view.step === null),
    "data-recorded": payload.recorded ? "true" : null,
    "data-solved": view.now
      .filter((method) => method.status === "solved")
      .map((method) => method.kind)
      .join(" "),
  });
  settleLink(view, linkTo);
}

function results(view) {
  return view.now.map((method) => {
    const { className, mark, name, points, passes } = method;
    const right = view.payload.key ? points.accuracy[passes.length - 1] : null;
    const sure = right === null ? "" : `${percentText(right)} of the letters`;
    const answer = textOf(view, method).join(" ");
    return { className, name: `${mark} ${name}`, answer, sure, right: right === null ? null : right > 0.999 };
  });
}

function linkTo(view) {
  return linkWith({ at: view.step });
}

const HELP = {
  accuracy: "letters right: the share of the letters of the message that are read as the key has them.",
  by_type: "symbols right: the share of the different symbols that are read as the key has them.",
  log_likelihood:
    "log-likelihood: log-probability of the whole text by the language model and the current key.",
  mean_length: "remembered: how many letters or words back a context reaches, weighted by mass.",
};

function chartsOf({ payload }) {
  const right =
    payload.term === "letter"
      ? { curve: "accuracy", title: "letters right", unit: "of the message", is: HELP.accuracy }
      : { curve: "by_type", title: "symbols right", unit: "of those that occur", is: HELP.by_type };
  const nats = (value) => countText(Math.round(value)).replace("-", "−");
  return [
    ...(payload.key ? [{ ...right, text: percentText, share: true, low: 0, least: 1 }] : []),
    { curve: "log_likelihood", title: "log-likelihood", unit: "nats, whole text", text: nats, is: HELP.log_likelihood },
    {
      curve: "mean_length",
      title: `${payload.term}s remembered`,
      unit: "mean over the mass",
      is: HELP.mean_length,
      text: (value) => numberText(value, 1),
      low: 0,
      least: 1,
    },
  ];
}

const ROUNDS =
  "Each round of passes ends with swaps of two letters; the next one begins at random. The best text so far is kept; " +
  "a text that two rounds find is the solution.";

function build(view) {
  view.built = shapeOf(view.payload);
  const latest = html("button", { type: "button", class: "rv-button", onclick: () => view.go(view.last) }, "latest");
  const follow = {
    node: latest,
    paint: () => setAttributes(latest, { disabled: view.position >= view.last, "aria-pressed": view.step === null }),
  };
  view.parts = {
    transport: makeStepper(view, "EM pass", () => view.last, {
      speeds: PASS_SPEEDS,
      choices: [follow, ...makeChoices(view)],
    }),
    readings: makeReadings(view),
    opener: makeOpener(view),
    pins: makePins(view),
    charts: makeCurves(view, chartsOf(view), "EM passes", view.payload.term === "letter" ? ROUNDS : null),
    tools: makeBar(view),
  };
  const { readings, charts, pins } = view.parts;
  view.figures = [[readings.node], [readings.node], [charts.node], [pins.node]]; // the message, the mapping
  charts.node.classList.add("rv-details");
  view.root.replaceChildren(...Object.values(view.parts).map((part) => part.node));
}

function shapeOf({ id, methods, symbols, key, before }) {
  return JSON.stringify([id, methods.map((method) => method.name), symbols, key, before?.methods.length]);
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
  opensElsewhere(view, payload.step);
  begin(view, payload, keysOf(view));
  if (!payload.going && view.last && view.step >= view.last) view.step = null; // a link to the latest pass follows it
  view.position = goalOf(view);
  if (payload.recorded && view.step === null && !isStill()) {
    view.position = 1;
    view.play(true);
  }
  return view;
}

const isStill = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

// An update of the same run keeps the shown pass, unless the latest is followed or passes were requested.
function update(view, payload) {
  findTheme(view);
  const other = payload.id !== view.payload.id;
  view.load(payload);
  if (payload.goes !== view.goes && !payload.before?.holds) Object.assign(view, { goes: payload.goes, step: null });
  const elsewhere = opensElsewhere(view, payload.step);
  if (other) beginElsewhere(view, payload);
  else if (elsewhere) view.go(payload.step);
  if (shapeOf(payload) !== view.built) view.build();
  showNextPass(view);
  changed(view, "layout");
}

// Another run begins at the pass that it continues, or at its first.
function beginElsewhere(view, { step, before }) {
  view.play(false);
  view.step = step;
  view.position = before ? Math.min(before.at, view.last) : Math.min(view.position, step ?? 0, view.last);
}

export default makeMount("rv-player rv-learning rv-decipher", start, update);
