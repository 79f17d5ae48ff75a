// The head of the view: the answer and what it is worth; the readouts of the round.

import { sizeText } from "./sentences.js";
import { html, setAttributes, setText } from "../shared/dom.js";
import { countText, natsText, numberText, wholePercentText } from "../shared/numbers.js";
import { named } from "../shared/words.js";

// What the numbers of a round are, where no word of the glossary says it.
const MEANINGS = {
  "log q": "The bound on this path: what q says of it, in nats. It is never below log p.",
  "log p": "How probable this path really is, in nats, before anything is divided by Z.",
  "gap to the best": "How far the bound stands above the best sequence found so far. At 0 that one is proved best.",
  "accepted, last 100": "The share of the last hundred trials that were accepted: near 1, q is hardly too optimistic.",
  "states after it": "How many histories q tells apart after this round; each of them is a state.",
  "log Z": "The log of all p together lies between these two: what was found, and all that q allows.",
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

// A word above its keys, or above its tag; where something else was meant, that stands there too.
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
  iterations: "all rounds are used up",
  trials: "all trials are used up",
  time: "the time is over",
  room: "there is no room for more states",
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
      ? "nothing possible is found yet"
      : `at most ${natsText(result.gap)} nats below the best there is`;
  return `Best so far; ${gap}; ${size}.${why}${shown}`;
}

// Trials come in batches: what the last one brought after the last draw is no round here.
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
  const weighed = `Runs of ${order} words with their true weight in q; all others are bounded.`;
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
    { class: "rv-readouts" },
    values.map(({ title, value }) => html("div", { class: "rv-readout" }, html("dt", {}, nameOf(title)), value)),
  );
  return {
    node,
    layout() {},
    paint: () => values.forEach(({ read, value }) => setText(value, read())),
    highlight() {},
  };
}
