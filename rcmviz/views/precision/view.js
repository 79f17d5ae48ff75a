// The precision view: how many sequences each method answers at a threshold, how many of them are wrong, and which.
// All counts are in the payload (payload.py), so the slider needs no server.

import { html, setAttributes, setText } from "../shared/dom.js";
import { keepPlace, placeLeft } from "../shared/left.js";
import { settleLink } from "../shared/links.js";
import { dressMethods } from "../shared/methods.js";
import { countText, ninesText } from "../shared/numbers.js";
import { segmented } from "../shared/parts.js";
import { makeBlame, takeVerdicts } from "./blame.js";
import { makeCards, makeNumbers } from "./cards.js";
import { makeChart } from "./chart.js";
import { makeBar } from "./export.js";
import { OPENING, RULES, linkTo, countAnswers } from "./rules.js";
import { makeWall } from "./wall.js";
import { makeReliability } from "./reliability.js";
import { findTheme } from "../shared/theme.js";
import { makeScrubber } from "../shared/transport.js";
import { begin, changed, giveMethods, makeMount, opensElsewhere, paintParts, renew } from "../shared/view.js";

const PROMISES = [0.99, 0.98, 0.95, 0.9, 0.8, 0]; // opens at the first that some method reaches on half of the data
let left = null; // the last place of the view in this browser, restored when it comes back from another page

function makeView(root, payload, host) {
  const place = { ...OPENING, ...(placeLeft() || payload.opening || left || {}) };
  const view = { root, host, place, width: 0, parts: {} };
  giveMethods(view, { load, build, repaint, results });
  view.move = (change, how = "layout") => {
    Object.assign(view.place, change);
    changed(view, how);
  };
  view.slide = (value) => view.move({ at: value }, "paint");
  return view;
}

function load(view, payload) {
  view.payload = payload;
  view.N = payload.gold.length;
  view.methods = payload.methods.map((method) => ({ ...method }));
  dressMethods(view.methods);
  view.low = lowestPrecision(view);
  const surest = Math.max(...view.methods.map((method) => method.threshold[0]));
  view.nines = Math.min(7, Math.max(2, Math.ceil(-Math.log10(Math.max(1e-9, 1 - surest)))));
  view.place.focus = Math.min(view.place.focus, view.methods.length - 1);
  view.place.at ??= PROMISES.find((promise) =>
    view.methods.some((method) => method.answered[RULES.precision.cut(method, promise)] >= view.N / 2),
  );
  view.tiles = view.methods.map(() => new Map());
}

// The axis begins below the lowest precision that more than a handful of words decide.
function lowestPrecision(view) {
  const points = view.methods.flatMap((method) =>
    method.answered.map((answered, k) => (answered >= 0.05 * view.N ? method.right[k] / answered : 1)),
  );
  return Math.max(0, Math.floor(20 * Math.min(0.95, ...points) - 0.4) / 20);
}

// Another meaning of the slider begins at the value of the method in focus.
function chooseRule(view, by) {
  const now = countAnswers(view, view.methods[view.place.focus]);
  const at = { share: now.share, confidence: now.threshold ?? 1, precision: Math.max(view.low, now.precision ?? 1) }[
    by
  ];
  view.move({ by, at });
}

function results({ methods, standings, N }) {
  return methods.map(({ className, mark, name }, m) => {
    const { answered, wrong } = standings[m];
    const answer = `${countText(answered)} of ${countText(N)}`;
    return { className, name: `${mark} ${name} answers`, answer, sure: `${countText(wrong)} of them wrong` };
  });
}

function repaint(view, due) {
  view.standings = view.methods.map((method) => countAnswers(view, method));
  paintParts(view.parts, due);
  const joinCounts = (name) => view.standings.map((one) => one[name]).join(",");
  setAttributes(view.root, {
    "data-by": view.place.by,
    "data-at": view.place.at,
    "data-answered": joinCounts("answered"),
    "data-wrong": joinCounts("wrong"),
    "data-focus": view.place.focus,
    "data-ready": "true",
  });
  left = { ...view.place };
  if (view.host.trigger) keepPlace(left);
  settleLink(view, linkTo);
}

function build(view) {
  const { parts } = view;
  Object.assign(parts, {
    slider: makeSlider(view),
    cards: makeCards(view),
    chart: makeChart(view),
    answered: makeWall(view, "answered"),
    refused: makeWall(view, "refused"),
    blame: makeBlame(view),
    reliability: makeReliability(view),
    numbers: makeNumbers(view),
    tools: makeBar(view),
  });
  const curves = html("div", { class: "rv-stage rv-curves" }, parts.chart.node, parts.cards.node);
  const walls = html("div", { class: "rv-stage rv-walls rv-details" }, parts.answered.node, parts.refused.node);
  const { chart, cards, blame, reliability, numbers } = parts;
  const measures = html("div", { class: "rv-stage rv-measures rv-details" }, reliability.node, numbers.node);
  view.figures = [[chart.node, cards.node], [walls], ...[blame, reliability, numbers].map((part) => [part.node])];
  view.root.replaceChildren(parts.slider.node, curves, walls, parts.blame.node, measures, parts.tools.node);
}

function makeSlider(view) {
  const rules = Object.entries(RULES).map(([by, { label }]) => [by, label]);
  const rule = segmented(
    "what the slider sets",
    rules,
    () => view.place.by,
    (by) => chooseRule(view, by),
  );
  const scrubber = makeScrubber("threshold", (step) => view.slide(RULES[view.place.by].value(step, view)));
  const shown = html("output", { class: "rv-at" });
  const node = html("div", { class: "rv-transport" }, rule.node, scrubber.node, shown);

  function paint() {
    const { by, at } = view.place;
    const last = RULES[by].steps(view);
    const step = Math.min(last, Math.max(0, RULES[by].step(at, view)));
    scrubber.paint({ at: step, last, text: `${RULES[by].label} ${ninesText(at)}` });
    setText(shown, ninesText(at));
    rule.paint();
  }

  return { node, layout() {}, paint };
}

function start(root, payload, host) {
  const view = makeView(root, payload, host);
  opensElsewhere(view, payload.opening);
  return begin(view, payload);
}

function update(view, payload) {
  findTheme(view);
  const elsewhere = opensElsewhere(view, payload.opening);
  if (payload.id !== view.payload.id) renew(view, payload);
  else takeVerdicts(view, payload);
  if (elsewhere) view.move({ ...OPENING, ...payload.opening });
}

export default makeMount("rv-player rv-precision", start, update);
