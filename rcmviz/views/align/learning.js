// The five strategies of alignment side by side: their curves, and the reading of each at a checkpoint.

import { withoutCheckpoint } from "../learn/checkpoints.js";
import { html } from "../shared/dom.js";
import { countText, massText, numberText, percentText } from "../shared/numbers.js";
import { trainingView } from "../learn/training.js";

const SHARE = { text: percentText, share: true, low: 0 };
const CHARTS = [
  {
    curve: "error_rate",
    is: "held-out letter errors: letters to insert, delete or change until a word is right, per letter that is meant.",
    title: "held-out letter errors",
    unit: "edits per letter meant",
    ...SHARE,
    least: 0.1,
  },
  {
    curve: "exact",
    is: "held out, all correct: the share of held-out words with every letter correct.",
    title: "held out, all right",
    unit: "share of examples",
    ...SHARE,
    least: 0.1,
  },
  {
    curve: "explained",
    is: "explained: the share of the training examples with a kept alignment that has the right letters.",
    title: "training examples explained",
    unit: "any valid alignment kept",
    ...SHARE,
    least: 1,
  },
  {
    curve: "log_likelihood",
    is: "log-likelihood: the log of the probability of the right letters, the mean of the examples explained.",
    title: "log-likelihood",
    unit: "nats, of those explained",
    text: (v) => numberText(v),
  },
  {
    curve: "mean_length",
    is: "symbols remembered: how many letters and edges back a context reaches, by posterior mass.",
    title: "symbols remembered",
    unit: "mean over the edges",
    text: (v) => numberText(v),
    low: 0,
    least: 1,
  },
  {
    curve: "gradient_norm",
    is: "gradient norm: how far an example would move the weights; small if little is left to learn.",
    title: "gradient norm",
    unit: "mean per example",
    text: (v) => numberText(v),
    low: 0,
    least: 0.5,
  },
];

const NOTES = {
  model: "an example teaches nothing if no alignment with its letters was kept.",
  target:
    "only prefixes of the right answer are kept, so the model finds itself always right and learns nothing of other " +
    "spellings.",
  hybrid: "the contexts of either beam are kept.",
  forced: "its alignments are fixed beforehand, by an exact bigram model that is trained before the first point.",
};

function noteOf(view) {
  return (
    view.methods
      .filter((method) => method.kind in NOTES)
      .map((method) => `${method.name}: ${NOTES[method.kind]}`)
      .join(" ") || null
  );
}

function readingRows(view) {
  return [exampleRow(view), ...view.methods.map((method, m) => strategyRow(view, method, m))];
}

function exampleRow(view) {
  const { phones, meant } = view.payload.example;
  return html(
    "div",
    { class: "rv-strategy-row rv-strategy-head" },
    html("span", {}, "phones, ★ meant"),
    html(
      "span",
      {},
      html("code", { class: "rv-name" }, phones.join(" ")),
      " ",
      html("span", { class: "rv-gold-name" }, `★ ${meant}`),
    ),
    html("span", {}, "probability"),
    html("span", {}, "explained this epoch"),
    html("span", {}),
  );
}

function strategyRow(view, method, m) {
  const name = html(
    "span",
    { class: `rv-reading-name rv-method ${method.className}` },
    `${method.mark} ${method.name}`,
  );
  const checkpoint = [...method.checkpoints].reverse().find((one) => one.step <= view.shown());
  if (!checkpoint)
    return html(
      "div",
      { class: "rv-strategy-row" },
      name,
      html("span", { class: "rv-dim" }, withoutCheckpoint(method)),
    );
  const { text, p } = checkpoint;
  const right = text === view.payload.example.meant;
  const read = text.trim()
    ? html("code", { class: "rv-name rv-strategy-text" + (right ? "" : " rv-wrong-letter") }, text)
    : html("span", { class: "rv-dim" }, text ? "blanks only" : "nothing: no complete alignment");
  const share = html("span", { class: "rv-share" + (right ? "" : " rv-wrong") });
  share.style.width = Math.max(1, 100 * p) + "%";
  const [explained, seen] = explainedBy(view, method, checkpoint.step);
  return html(
    "div",
    { class: "rv-strategy-row " + method.className },
    name,
    html("span", {}, read, right ? " ✓" : ""),
    html(
      "span",
      { class: "rv-strategy-share" },
      html("span", { class: "rv-share-track" }, share),
      html("b", {}, massText(p)),
    ),
    html("span", { class: "rv-strategy-count" }, `${countText(explained)} of ${countText(seen)}`),
    openButton(view, m, checkpoint.step),
  );
}

// How many of the epoch's examples so far have a kept valid alignment. A point counts the examples before it.
function explainedBy(view, method, step) {
  const { step: steps, examples, explained } = method.points;
  const first = Math.floor((step - 1) / view.payload.size) * view.payload.size;
  const counts = steps.map((at, k) =>
    at > first && at <= step ? explained[k] * Math.min(examples[k], at - first) : 0,
  );
  return [Math.round(counts.reduce((sum, count) => sum + count, 0)), step - first];
}

function openButton(view, m, step) {
  if (!view.host.trigger) return null;
  return html(
    "button",
    {
      type: "button",
      class: "rv-button",
      title: "how this checkpoint aligns the example",
      onclick: () => view.host.trigger("open", { method: m, step }),
    },
    "see the alignment",
  );
}

export default trainingView({ charts: CHARTS, noteOf, readingRows, readsFirst: true, makeDetails: () => ({}) });
