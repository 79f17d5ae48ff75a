// ARS, round by round: one view over a finished trace. The position is the round, from 1; everything follows from it.

import { makeAnswer, makeRoundReadouts } from "./answer.js";
import { makeCharts } from "./charts.js";
import { linkTo, makeBar } from "./export.js";
import { makeRounds, makeUrn } from "./found.js";
import { makeGraph } from "./graph.js";
import { hear, keypadSteps, makeKeypad } from "./keypad.js";
import { FEW } from "./places.js";
import { readTrace } from "./rounds.js";
import { aboutRound, isCertificate, roundWord } from "./sentences.js";
import { html, setAttributes } from "../shared/dom.js";
import { settleLink } from "../shared/links.js";
import { withNames } from "../shared/names.js";
import { countText } from "../shared/numbers.js";
import { makeSentences } from "../shared/parts.js";
import { findTheme } from "../shared/theme.js";
import { giveSteps, makeStepper, pressed, stepKeys } from "../shared/transport.js";
import { begin, changed, giveMethods, makeMount, paintParts, renew } from "../shared/view.js";

const PACE = 250; // milliseconds per round at speed 1
const ROUND_SPEEDS = [0.5, 1, 4, 16, 64];

function makeView(root, payload, host) {
  const view = {
    root,
    host,
    width: 0,
    parts: {},
    shows: null,
    chosen: null,
    held: null,
    hovered: null,
    speed: 4,
    playing: false,
    get now() {
      return this.position - 1;
    },
  };
  Object.assign(view, choosing(view));
  giveMethods(view, { load, build, repaint, results });
  giveSteps(
    view,
    () => view.memory.R,
    () => PACE,
  );
  return view;
}

// A message that cannot be read has an error in place of a run; the keypad stays.
function load(view, payload) {
  view.payload = payload;
  view.memory = payload.error ? null : readTrace(payload);
  if (payload.error) return;
  view.answer = view.memory.ranked[0] ?? -1;
  view.usual = payload.states.born.length <= FEW ? "all" : "path";
  view.shows = view.chosen ?? payload.view ?? view.usual; // the user's choice holds for later runs too
  view.asked = payload.round;
  view.position = Math.min(payload.round, view.memory.R); // a link may name a round that this run does not have
  view.held = payload.held < payload.states.born.length ? payload.held : null;
  view.hovered = null;
}

function choosing(view) {
  return {
    focus: () => view.hovered ?? view.held,
    hover(s) {
      if (s === view.hovered) return;
      view.hovered = s;
      changed(view, "highlight");
    },
    hold(s) {
      view.held = s === view.held ? null : s;
      changed(view, "paint");
    },
    choose(kind) {
      view.chosen = kind;
      view.shows = kind;
      changed(view, "layout");
    },
  };
}

function repaint(view, due) {
  const { payload, now } = view;
  setAttributes(view.root, { "data-id": payload.id, "data-ready": "true", "data-error": payload.error ?? null });
  if (!view.memory) return;
  paintParts(view.parts, due);
  setAttributes(view.root, {
    "data-round": view.position,
    "data-rounds": view.memory.R,
    "data-mode": payload.mode,
    "data-view": view.shows,
    "data-verdict": isCertificate(view, now) ? "proved" : payload.rounds.accepted[now] ? "accepted" : "rejected",
    "data-states": payload.rounds.states[now],
  });
  settleLink(view, linkTo);
}

// Head and body are made once, so that the keypad keeps its field while its neighbours are redrawn.
function results({ payload, answer }) {
  const { sequences, names, gold, result, mode } = payload;
  const words = (sequences.words[answer] ?? []).map((word) => names[word]);
  const shown = words.filter((word) => word !== "</s>").join(" ");
  const right = gold.some(Boolean) ? words.every((word, i) => !gold[i] || gold[i] === word) : null;
  const proved = result.stopped === "proved" ? "proved optimal" : "not proved yet";
  const sure = mode === "sample" ? `${countText(result.draws)} exact samples` : proved;
  return [{ className: "rv-m-ars", name: "Adaptive rejection", answer: shown, sure, right }];
}

function build(view) {
  const { payload } = view;
  if (!view.head) {
    Object.assign(view, { side: html("div", { class: "rv-ars-side" }), body: html("div", { class: "rv-ars-body" }) });
    view.keypad = payload.keypad && view.host.setState ? makeKeypad(view, payload.keypad) : null;
    view.head = html(
      "div",
      { class: "rv-ars-head" + (view.keypad ? " rv-with-keypad" : "") },
      view.keypad?.node,
      view.side,
    );
    view.root.replaceChildren(view.head, view.body);
  }
  setAttributes(view.root, { "data-runs": 1 });
  if (view.memory) return buildRun(view);
  view.parts = {};
  view.side.replaceChildren(html("p", { class: "rv-refusal", role: "alert" }, ...withNames(payload.error)));
  view.body.replaceChildren();
}

function buildRun(view) {
  const transport = makeStepper(view, roundWord(view).toLowerCase(), () => view.memory.R, { speeds: ROUND_SPEEDS });
  view.parts = {
    answer: makeAnswer(view),
    transport,
    sentences: makeSentences("what happened", () => aboutRound(view)),
    readouts: makeRoundReadouts(view),
    graph: makeGraph(view),
    charts: makeCharts(view),
    urn: makeUrn(view),
    rounds: makeRounds(view),
    tools: makeBar(view),
  };
  view.parts.charts.node.classList.add("rv-details");
  const { answer, sentences, readouts, graph, charts, urn, rounds, tools } = view.parts;
  view.figures = [[graph.node, answer.node], [charts.node, answer.node], [urn.node, answer.node], [rounds.node]];
  view.side.replaceChildren(
    answer.node,
    transport.node,
    html("div", { class: "rv-band" }, sentences.node, readouts.node),
  );
  view.body.replaceChildren(
    graph.node,
    charts.node,
    html("div", { class: "rv-stage rv-found rv-details" }, urn.node, rounds.node),
    tools.node,
  );
}

function keysOf(view) {
  const steps = {
    ...stepKeys(view, () => view.memory.R),
    v: () => view.choose(view.shows === "all" ? "path" : "all"),
    "?": () => view.parts.tools.help(),
    Escape: () => view.hold(view.held),
  };
  return (event) => pressed(view, event, { ...(view.memory ? steps : {}), ...keypadSteps(view) });
}

function start(root, payload, host) {
  const view = makeView(root, payload, host);
  return begin(view, payload, keysOf(view));
}

// The same run keeps its current round, unless the link now requests a different one.
function update(view, payload) {
  findTheme(view);
  if (view.keypad && payload.keypad) hear(view.keypad, payload.keypad);
  if (payload.id !== view.payload.id) {
    view.play(false);
    renew(view, payload);
  } else if (payload.round !== view.asked) {
    view.asked = payload.round;
    view.go(payload.round);
  }
}

export default makeMount("rv-player rv-ars", start, update);
