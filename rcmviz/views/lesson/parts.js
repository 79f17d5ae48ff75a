// The parts of a page that a step shows; the others are hidden. Names are listed in rcmviz/lessons/parts.py.

import { html, setAttributes } from "../shared/dom.js";
import { PLAYER } from "./seen.js";

const MAIN = "[data-testid=stMainBlockContainer] > [data-testid=stVerticalBlock]";
// What holds the view, the lesson, a message or nothing visible is no setting.
const KEPT =
  ":has(.rv-player, .rv-lesson, .rv-class, .rv-clock, [data-testid=stAlert], [data-testid=stSpinner], style)";
const AFTER = ":has(.rv-player) ~ *";

// By name: the elements of views, or of the page around them.
const PARTS = {
  settings: `${MAIN} > :not(${KEPT}, ${AFTER})`,
  exports: `${MAIN} > ${AFTER}:not(${KEPT}), .rv-tools`,
  player: ".rv-player > .rv-transport, .rv-ars-side > .rv-transport, .rv-flow-controls > *",
  sentence: ".rv-flow-reading, .rv-detail",
  picture:
    ".rv-flow-stage, .rv-curves .rv-chart, .rv-sides, .rv-align-picture, .rv-graph, .rv-fold-panel, .rv-tree-panel, " +
    ".rv-paths-panel, .rv-grid-panel, .rv-output-panel, .rv-blank-list",
  timeline: ".rv-flow-timeline",
  details: ".rv-flow-details, .rv-flow-alone",
  answer: ".rv-align-card, .rv-answer, .rv-ctc-answer, .rv-searching > .rv-strip, .rv-blank-line, .rv-legend-row",
  curves: ".rv-chart-panel",
  methods: ".rv-methods",
  words: ".rv-walls, .rv-machine",
  mistakes: ".rv-mistakes",
  measures: ".rv-measures",
  weights: ".rv-weights, .rv-heaviest, .rv-moves-panel, .rv-temperature",
  pins: ".rv-pins",
  cells: ".rv-align-grid-panel",
  contexts: ".rv-candidates-panel",
  readouts: ".rv-band > .rv-readouts",
  keypad: ".rv-keypad",
  rounds: ".rv-found",
  messages: ".rv-messages",
  queue: ".rv-queue-panel",
  frames: ".rv-ctc-strip",
  outputs: ".rv-ctc-side",
};

const hide = ([name, selector]) =>
  `html[data-rv-show]:not([data-rv-show~="${name}"], [data-presenting]) :is(${selector}) { display: none !important; }`;

export const makePartsStyle = () => html("style", {}, Object.entries(PARTS).map(hide).join("\n"));

// Shows the named parts of the page, or all of it; a figure covers the page. Views that were hidden are laid out again.
export function showParts(names, hasFigure) {
  const shown = names?.length ? names.join(" ") : null;
  const root = document.documentElement;
  if (root.getAttribute("data-rv-show") === shown && root.hasAttribute("data-rv-figure") === hasFigure) return;
  setAttributes(root, { "data-rv-show": shown, "data-rv-figure": hasFigure || null });
  for (const view of document.querySelectorAll(PLAYER)) view.dispatchEvent(new CustomEvent("rv-layout"));
}

// The visible elements of a part.
export const elementsOfPart = (name) =>
  [...document.querySelectorAll(PARTS[name])].filter((node) => node.checkVisibility() && node.offsetHeight > 0);
