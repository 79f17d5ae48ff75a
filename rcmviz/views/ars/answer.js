// The head of the view: the answer with its proof or gap, and the readouts of the round.

import { sizeText } from "./sentences.js";
import { html, setAttributes, setText } from "../shared/dom.js";
import { countText, natsText, numberText, wholePercentText } from "../shared/numbers.js";
import { named } from "../shared/words.js";

// Help for those numbers of a round that the glossary does not explain.
const MEANINGS = {
  "log q": "Log weight of this path under q, in nats: a bound, never below log p.",
  "log p": "Exact log weight of this path, in nats, not normalized by Z.",
  "gap to the best": "The bound minus the log p of the best sequence found, in nats; at 0 that one is proved best.",
  "accepted, last 100": "The share of the last hundred trials that were accepted; near 1, q is almost exact.",
  "states after it": "Number of states of q after this round, one per history that q distinguishes.",
  "log Z": "The log of the total mass of p lies between these: the mass found, and the mass of q.",
};

export function makeAnswer(view) {
  const words = html("p", { class: "rv-answer-words" });
  const chip = html("span", { class: "rv-chip rv-verdict" });
  const summary = html("span", { class: "rv-dim" });
  const node = html(
    "section",
    { class: "rv-answer", "aria-label": "the answer" },
    words,
    html("p", {}, chip, " ", summary),
  );

  function layout() {
    const { payload } = view;
    const found = payload.sequences.words[view.answer] ?? [];
    words.replaceChildren(...found.map((word, i) => answerWord(payload, payload.names[word], i)).filter(Boolean));
    setAttributes(chip, {
      "data-verdict": payload.mode === "sample" || payload.result.stopped === "proved" ? "accepted" : "rejected",
    });
    setText(chip, chipText(payload));
    setText(summary, resultText(payload));
  }

  return { node, layout, paint() {}, highlight() {} };
}

// A word above its keys or its tag, with the correct word if that is another one.
function answerWord({ inputs, gold, term }, name, i) {
  if (name === "</s>") return null;
  const wrong = gold[i] && gold[i] !== name;
  const [large, small] = term === "tag" ? [inputs[i], name] : [name, inputs[i]];
  return html(
    "span",
    { class: "rv-answer-word" },
    html("span", { class: wrong ? "rv-wrong-letter" : "" }, large),
    small ? html("small", {}, small) : null,
    wrong ? html("small", { class: "rv-meant" }, `★ ${gold[i]}`) : null,
  );
}

const STOPPED = {
  gap: "the gap is small enough",
  iterations: "the limit of rounds is reached",
  trials: "the limit of trials is reached",
  time: "the time limit is reached",
  room: "the limit of states is reached",
};

function chipText({ mode, result, rounds }) {
  if (mode === "sample") return `${countText(result.draws)} exact sample${result.draws === 1 ? "" : "s"}`;
  return result.stopped === "proved" ? `✓ proved optimal at round ${countText(rounds.logQ.length)}` : "not proved yet";
}

function resultText({ mode, result, full, cut, rounds }) {
  const size = sizeText(result.states, full);
  const shown = cut ? ` Shown are the first ${countText(rounds.logQ.length)}.` : "";
  const why = STOPPED[result.stopped] ? ` Stopped: ${STOPPED[result.stopped]}.` : "";
  if (mode === "sample") {
    const trials = trialsText(result.trials, rounds.logQ.length, cut);
    return `from ${trials}, ${size}; above: the most probable sequence found.${why}${shown}`;
  }
  if (result.stopped === "proved") return `log score ${natsText(result.logScore)}, ${size}.`;
  const gap =
    result.gap === null
      ? "no possible sequence found yet"
      : `at most ${natsText(result.gap)} nats below the best of all`;
  return `Best so far; ${gap}; ${size}.${why}${shown}`;
}

// Trials come in batches; those of the last batch after the last draw are not counted as rounds.
function trialsText(made, rounds, cut) {
  const more = made - rounds;
  return cut || !more ? `${countText(made)} trials` : `${countText(rounds)} trials (and ${countText(more)} not needed)`;
}

export function makeRoundReadouts(view) {
  const { mode, order } = view.payload;
  const now = (name) => view.payload.rounds[name][view.now];
  const best = () => view.payload.sequences.logP[view.memory.best(view.now)] ?? null;
  const logZ = () => `${numberText(now("lower"), 1)}…${numberText(now("upper"), 1)}`;
  const grams = `${order}-grams in q`;
  const weighed = `${order}-grams with their exact weight in q; all others have a bound.`;
  const meant = { ...MEANINGS, [grams]: weighed };
  const nameOf = (title) => named(title, meant[title]);
  const closing =
    mode === "decode"
      ? ["gap to the best", () => (best() === null ? "∞" : natsText(now("logQ") - best()))]
      : ["accepted, last 100", () => wholePercentText(view.memory.acceptance100(view.now))];
  const entries = [
    ["log q", () => natsText(now("logQ"))],
    ["log p", () => natsText(view.memory.logP(view.now))],
    closing,
    ["states after it", () => countText(now("states"))],
    ["log Z", logZ],
    [grams, () => countText(view.payload.rounds.ngrams[order - 1][view.now])],
  ];
  const values = entries.map(([title, read]) => ({ read, title, value: html("dd", {}) }));
  const node = html(
    "dl",
    { class: "rv-readouts rv-details" },
    values.map(({ title, value }) => html("div", { class: "rv-readout" }, html("dt", {}, nameOf(title)), value)),
  );
  return {
    node,
    layout() {},
    paint: () => values.forEach(({ read, value }) => setText(value, read())),
    highlight() {},
  };
}
