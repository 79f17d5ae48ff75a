// The answer with the confidence of each word; the right output; and the best outputs.

import { html, setAttributes } from "../shared/dom.js";
import { visible } from "../shared/names.js";
import { massText } from "../shared/numbers.js";
import { panel } from "../shared/parts.js";
import { named } from "../shared/words.js";

const SURE =
  "confidence of a word: its probability, given that the words before it are right; their product is the answer's.";
const LONG = 30; // characters; of a longer output only the differences are shown
const AROUND = 8; // characters on either side of a difference

export function makeAnswer(view) {
  const { best, gold, name } = view.payload;
  const words = best.words.map(([text, start, stop, p]) => wordButton(view, text, start, stop, p));
  const none = best.words.length ? [] : [html("span", { class: "rv-dim" }, "nothing: blanks only")];
  const node = html(
    "section",
    { class: `rv-panel rv-ctc-answer ${view.className}`, "aria-label": "the answer" },
    html("b", { class: "rv-method" }, named(`${view.mark} ${name} reads`, SURE)),
    html("div", { class: "rv-ctc-words" }, words, none),
    goldLine(view, gold),
  );

  function paint() {
    const t = view.position - 1;
    words.forEach((word, k) => setAttributes(word, { "aria-pressed": t >= best.words[k][1] && t < best.words[k][2] }));
  }

  return { node, layout() {}, paint, highlight() {} };
}

function wordButton(view, text, start, stop, p) {
  const bar = html("span", { class: "rv-bar-own" });
  bar.style.width = `${(100 * p).toFixed(1)}%`;
  const title = `frames ${start + 1} to ${stop}; confidence ${massText(p)}`;
  return html(
    "button",
    { type: "button", class: "rv-ctc-word", title, onclick: () => view.go(start + 1) },
    html("span", { class: "rv-name" }, visible(text)),
    html("span", { class: "rv-bar-track", "aria-hidden": "true" }, bar),
    html("small", {}, massText(p)),
  );
}

// Whether the answer is right, else the right output and whether it can still be found.
function goldLine(view, gold) {
  if (!gold) return null;
  if (gold.right) return html("p", { class: "rv-gold-line" }, "★ right");
  const { payload } = view;
  const text = visible(gold.labels.join(payload.glue));
  const p = gold.logProb === null ? "" : `: probability ${massText(Math.exp(gold.logProb))}`;
  return html("p", { class: "rv-gold-line" }, `★ ${text}`, gold.lost ? lossText(view, gold.lost) : p || ": impossible");
}

function lossText(view, frame) {
  if (frame === view.payload.T) return ": lost, at the end only prefixes of it are kept";
  const go = { type: "button", class: "rv-link-button", onclick: () => view.go(frame) };
  return [": ", html("button", go, `lost at frame ${frame}`), ", no prefix of it is kept"];
}

export function makeOutputs(view) {
  const { outputs, gold, glue, proven } = view.payload;
  const box = panel("Best outputs", "rv-words " + view.className);
  const right = gold?.labels.join(glue);
  const rest = Math.max(0, 1 - outputs.reduce((sum, [, p]) => sum + p, 0));
  const lines = outputs.map(([text, p]) => {
    const bar = html("span", { class: "rv-bar-own" });
    bar.style.width = `max(1.5px, ${(100 * p).toFixed(2)}%)`;
    const part = differingPart(visible(text), visible(outputs[0][0]));
    const name = html("code", { class: "rv-name", title: visible(text) }, part);
    return html(
      "li",
      {},
      html("span", { class: "rv-word" }, name, text === right ? " ★" : ""),
      html("span", { class: "rv-bar-track" }, bar),
      html("span", { class: "rv-bar-value" }, massText(p)),
    );
  });
  const proof = proven ? "The first is proved to be the most probable." : "The search ended without a proof.";
  box.body.append(
    html("ol", { class: "rv-word-list" }, lines),
    html("p", { class: "rv-more" }, `${proof} All others: ${massText(rest)}.`),
  );
  return { node: box.node, layout() {}, paint() {}, highlight() {} };
}

// The part of a long output from its first to its last difference from the best one, with a few characters around.
function differingPart(text, best) {
  const [own, first] = [[...text], [...best]];
  if (own.length <= LONG || text === best) return text || "nothing";
  const start = own.findIndex((sign, k) => sign !== first[k]);
  const before = start < 0 ? own.length : start;
  const most = Math.min(own.length, first.length) - before;
  let after = 0;
  while (after < most && own.at(-1 - after) === first.at(-1 - after)) after += 1;
  const [from, to] = [Math.max(0, before - AROUND), own.length - Math.max(0, after - AROUND)];
  const shown = own.slice(from, to);
  if (shown.length > LONG) shown.splice(LONG / 2, shown.length - LONG, "…");
  return `${from ? "…" : ""}${shown.join("")}${to < own.length ? "…" : ""}`;
}
