// How methods learn: log-likelihood, accuracy and what each of them reads at a checkpoint.

import { readingRows } from "./reading.js";
import { featuresOf, makeHeaviest, makeWeights, windowsOf } from "./weights.js";
import { numberText, percentText } from "../shared/numbers.js";
import { trainingView } from "./training.js";

const BEAM_NOTE =
  "Beam search compares the gold, even if dropped, with the kept contexts: its log-likelihood can exceed 0.";

const SHARE = { text: percentText, share: true, low: 0 };
const HELP = {
  log_likelihood: "log-likelihood: the log of the probability of the right labels, the mean of the last examples.",
  accuracy: "held-out accuracy: the share of held-out sequences with every label right.",
  recall_99: "recall at 99 % precision: the share that can be answered, the surest first, with 1 % of answers wrong.",
  mean_length: "labels remembered: how many labels back a context reaches, weighted by mass.",
  lost: "gold lost: the share of the examples whose right labels were dropped.",
  gradient_norm: "gradient norm: how far an example would move the weights; small if little is left to learn.",
};
const CHARTS = [
  { curve: "log_likelihood", title: "log-likelihood", unit: "nats per example", text: (v) => numberText(v) },
  { curve: "accuracy", title: "held-out accuracy", unit: "all labels right", ...SHARE, least: 0.1 },
  { curve: "recall_99", title: "recall at 99 % precision", unit: "held out", ...SHARE, least: 0.1 },
  {
    curve: "mean_length",
    title: "labels remembered",
    unit: "mean over the mass",
    text: (v) => numberText(v),
    low: 0,
    least: 1,
  },
  { curve: "lost", title: "gold lost", unit: "share of examples", ...SHARE, least: 0.02 },
  {
    curve: "gradient_norm",
    title: "gradient norm",
    unit: "mean per example",
    text: (v) => numberText(v),
    low: 0,
    least: 0.5,
  },
].map((chart) => ({ ...chart, is: HELP[chart.curve] }));

function noteOf(view) {
  return view.methods.some((method) => method.drops) ? BEAM_NOTE : null;
}

function makeDetails(view) {
  const inside = view.payload.pixels
    ? makeWeights(view)
    : makeHeaviest(view, "Heaviest features", featuresOf, "feature → label: the weight of an input for a label");
  const windows = makeHeaviest(
    view,
    "Heaviest windows",
    (checkpoint) => windowsOf(view, checkpoint),
    "labels before → next label; * forgotten, ^ before the start",
  );
  return { inside, windows };
}

export default trainingView({ charts: CHARTS, noteOf, readingRows, makeDetails });
