// Perceptron: single updates by each of three rules, or softened to that of a CRF, and the accuracy over the epochs.
// The position is the update, `rule` decides where it is cut, `heat` is the index of the temperature, 0 for the
// perceptron.

import { makeCurves } from "./curves.js";
import { RULES, makePaths } from "./paths.js";
import { placeOf } from "./place.js";
import { makeWeights, picturesDrawing } from "./weights.js";
import { html, setText } from "../shared/dom.js";
import { fileName, makeExportBar } from "../shared/export_bar.js";
import { makeSentences, segmented } from "../shared/parts.js";
import { scoreText } from "../shared/signed.js";
import { makeScrubber, makeStepper } from "../shared/transport.js";

const code = (text) => html("code", { class: "rv-name" }, text);
const names = RULES.map(([rule, name]) => [rule, name]);

function open(view, before) {
  const { payload } = view;
  const same = before?.kind === "perceptron";
  view.last = payload.updates.length;
  view.position = Math.min(payload.step ?? (same ? view.position : payload.opening), view.last);
  view.rule = payload.rule ?? (same ? view.rule : "standard");
  const heat = payload.taus.indexOf(payload.tau);
  view.heat = heat >= 0 ? heat : same ? view.heat : 0;
  view.update = () => payload.updates[view.position - 1];
  view.cut = () => (view.heat > 0 ? view.update().gold.length : view.update().steps[view.rule].cut);
}

const tauOf = (view) => view.payload.taus[view.heat];

function makeTemperature(view) {
  const scrubber = makeScrubber("temperature", (heat) => view.put({ heat }));
  const [cold, hot] = ["one path: perceptron", "all paths: CRF at 1"].map((name) => html("span", {}, name));
  const said = html("output", { class: "rv-place" });
  const node = html("div", { class: "rv-temperature" }, html("b", {}, "Temperature"), cold, scrubber.node, hot, said);

  function paint() {
    const text = `τ = ${tauOf(view)}`;
    scrubber.paint({ at: view.heat, last: view.payload.taus.length - 1, text });
    setText(said, text);
  }

  return { node, layout() {}, paint, highlight() {} };
}

function explain(view) {
  const update = view.update();
  const spell = (labels) => code(labels.map((label) => view.payload.labels[label]).join(view.payload.glue));
  const title = html("p", { class: "rv-detail-title" }, spell(update.gold), " was read as ", spell(update.found));
  const said = view.heat > 0 ? aboutHeat(tauOf(view)) : aboutRule(view, update);
  return [title, ...said.map((text) => html("p", {}, text))];
}

function aboutHeat(tau) {
  const share = `At τ = ${tau} every path falls by its share of exp(score / τ), and the right one rises by 1.`;
  if (tau === 1) return [share, "This is the gradient of a CRF's log-likelihood."];
  const colder = "A lower τ puts more of the fall on one path; τ = 0 is the perceptron.";
  return [share, tau < 1 ? colder : "Above τ = 1, the CRF, the score matters less."];
}

function aboutRule(view, { fell, steps }) {
  const [, name, upTo] = RULES.find(([rule]) => rule === view.rule);
  const { cut, lead, changes } = steps[view.rule];
  const labels = (n) => `${n} label${n === 1 ? "" : "s"}`;
  const lost = fell
    ? `After ${labels(fell)} the right path is no longer among the ${view.payload.beam} that the beam keeps: ` +
      `whatever comes later, it cannot be found.`
    : "The right path stayed in the beam to the end, but another one scored higher.";
  const seen = `${name} compares ${upTo}: here the first ${labels(cut)}`;
  if (!changes.length) return [lost, `${seen}. They are right: nothing changes.`];
  const by =
    lead >= 0
      ? `where the found path leads by ${scoreText(lead, 1)}`
      : `although the right one leads by ${scoreText(-lead, 1)} there, so the weights need no update`;
  return [lost, `${seen}, ${by}.`];
}

function build(view) {
  const { payload } = view;
  const paths = makePaths(view);
  const weights = makeWeights(view);
  const temperature = makeTemperature(view);
  const curves = makeCurves(view);
  const sentences = makeSentences("what this update does", () => explain(view));
  const rules = segmented(
    "rule",
    names,
    () => view.rule,
    (rule) => view.put({ rule, heat: 0 }),
  );
  const transport = makeStepper(view, "update", () => view.last, { choices: [rules] });
  const tools = makeExportBar(view, {
    file: () => fileName("perceptron", payload.title),
    link: { title: "a link to this update, rule and temperature" },
    tables: [{ rows: () => tableOf(view), title: "every update with its cuts and changes" }],
    picture: {
      title: "both paths, the changed weights and the curves",
      drawings: () => [paths.drawing, picturesDrawing(view), curves.drawing],
    },
    steps: "update",
    keys: [
      ["r", "the next rule"],
      ["t T", "warmer, colder"],
    ],
    signs: [
      ["green", "the right path: its weights rise"],
      ["orange", "the path that was found: its weights fall"],
      ["bars", "lead of the found prefix over the right one"],
    ],
  });
  view.figures = [[paths.node, sentences.node], [weights.node], [curves.node], [temperature.node, sentences.node]];
  curves.node.classList.add("rv-details");
  view.root.replaceChildren(
    transport.node,
    html(
      "div",
      { class: "rv-stage rv-update-stage" },
      html("div", { class: "rv-column" }, paths.node, temperature.node, sentences.node),
      weights.node,
    ),
    curves.node,
    tools.node,
  );
  return { paths, weights, temperature, curves, sentences, transport, tools };
}

function tableOf({ payload }) {
  const head = ["update", "words seen", "word", "rule", "cut", "weight", "before", "change"];
  const rows = payload.updates.flatMap((update, k) =>
    RULES.flatMap(([rule]) =>
      update.steps[rule].changes.map(([name, ...change]) => [
        k + 1,
        update.seen,
        update.word,
        rule,
        update.steps[rule].cut,
        name,
        ...change,
      ]),
    ),
  );
  return [head, ...rows];
}

const nextRule = (rule) => RULES[(RULES.findIndex(([one]) => one === rule) + 1) % RULES.length][0];

export const perceptron = {
  pace: 1200,
  open,
  build,
  place: (view) =>
    placeOf({
      step: view.position,
      rule: view.rule === "standard" ? null : view.rule,
      tau: view.heat ? tauOf(view) : null,
    }),
  marks: (view) => ({ "data-rule": view.rule, "data-tau": tauOf(view), "data-cut": view.cut() }),
  keys: (view) => ({
    r: () => view.put({ rule: nextRule(view.rule), heat: 0 }),
    t: () => view.put({ heat: Math.min(view.payload.taus.length - 1, view.heat + 1) }),
    T: () => view.put({ heat: Math.max(0, view.heat - 1) }),
  }),
};
