// A round in sentences: the most overestimated edge and its excess, the states that the rejection added,
// the proof.

import { html } from "../shared/dom.js";
import { withNames } from "../shared/names.js";
import { countText, massText, natsText } from "../shared/numbers.js";

export const BELOW = "₀₁₂₃₄₅₆₇₈₉";

export function wordsText(view, words) {
  return words.map((word) => view.payload.names[word]).join(" ");
}

// `w₂(dog | two)`, the largest p(dog | … two) over all earlier words; `p(dog | the two)`, the exact value.
function boundText(view, i, r) {
  const order = Number(view.payload.rounds.order[r][i]);
  const words = view.memory.words(r);
  const context = contextText(view, words.slice(Math.max(0, i - order + 1), i));
  return `w${BELOW[order]}(${view.payload.names[words[i]]}${context})`;
}

function truthText(view, i, r) {
  const words = view.memory.words(r);
  const known = Math.min(view.payload.order - 1, i);
  const start = known < view.payload.order - 1 ? ["<s>"] : [];
  return `p(${view.payload.names[words[i]]}${contextText(view, words.slice(i - known, i), start)})`;
}

function contextText(view, words, start = []) {
  const names = [...start, ...words.map((word) => view.payload.names[word])];
  return names.length ? ` | ${names.join(" ")}` : "";
}

export function isCertificate(view, r) {
  return view.payload.mode === "decode" && Boolean(view.payload.rounds.accepted[r]);
}

// The meaning of the letters, given on their first use.
const NAMES =
  "`p` is the exact weight of a path. `q` is a bound: never below p, and quick to search, as it remembers little. " +
  "A state is a history that q remembers.";

export function aboutRound(view) {
  const { now, memory, payload } = view;
  const chip = html(
    "span",
    { class: "rv-chip rv-verdict", "data-verdict": payload.rounds.accepted[now] ? "accepted" : "rejected" },
    verdictText(view, now),
  );
  const title = html("p", { class: "rv-detail-title" }, `${roundWord(view)} ${countText(now + 1)}`, chip);
  if (isCertificate(view, now)) return [title, html("p", {}, proofText(view))];
  const slacks = memory.slacks(now);
  const worst = slacks.indexOf(Math.max(...slacks));
  return [
    title,
    ...(now === 0 ? [html("p", {}, ...withNames(NAMES))] : []),
    html(
      "p",
      {},
      slacks[worst] > 0
        ? slackSentence(view, worst, slacks[worst])
        : "q = p on the whole path: nothing was too optimistic.",
    ),
    html(
      "p",
      { class: "rv-dim" },
      [otherSlacks(slacks, worst), diceText(view), askedFor(view)].filter(Boolean).join(" "),
    ),
  ];
}

export function roundWord(view) {
  return view.payload.mode === "decode" ? "Round" : "Trial";
}

export function verdictText(view, r) {
  if (isCertificate(view, r)) return "✓ proved optimal";
  return view.payload.rounds.accepted[r] ? "✓ accepted" : "✕ rejected";
}

function slackSentence(view, i, slack) {
  const { now, payload } = view;
  const bound = payload.rounds.bound[now][i];
  const truth = view.memory.truth(now)[i];
  const how = slack === Infinity ? "q allowed an impossible word." : `${natsText(slack)} nats too optimistic.`;
  return withNames(
    `q used \`${boundText(view, i, now)}\` = ${natsText(bound)} but ` +
      `\`${truthText(view, i, now)}\` = ${natsText(truth)}: ${how}`,
  );
}

function otherSlacks(slacks, worst) {
  const others = slacks.filter((slack, i) => i !== worst && slack > 0);
  if (!others.length) return "";
  const sum = others.reduce((a, b) => a + b, 0);
  const edges = others.length === 1 ? "One more edge was" : `${others.length} more edges were`;
  const together = others.length > 1 ? " together" : "";
  return `${edges} too optimistic${sum < Infinity ? `, by ${natsText(sum)} nats${together}` : ""}.`;
}

function diceText(view) {
  const { payload, now, memory } = view;
  if (payload.mode === "decode") return "";
  const chance = memory.logP(now) === null ? 0 : Math.min(1, Math.exp(memory.logP(now) - payload.rounds.logQ[now]));
  const said = payload.rounds.accepted[now] ? "Accepted, with a chance of" : "It had a chance of";
  return `${said} p/q = ${massText(chance)}.`;
}

function askedFor(view) {
  const { payload, now, memory } = view;
  if (payload.rounds.accepted[now]) return "An accepted draw is an exact sample of p, and q stays as it is.";
  const made = memory.madeBy(now).length;
  const states = made ? `${made === 1 ? "one state" : `${made} states`}` : "no state";
  return `The rejection adds ${states} to q, and weighs this path by longer histories.`;
}

function proofText(view) {
  const { payload, now } = view;
  const size = sizeText(payload.rounds.states[now], payload.full);
  return (
    "No path of q is heavier than this one, q is nowhere below p, and here q = p: no sequence can be better. " +
    `It took ${size}.`
  );
}

function bigText(count) {
  if (count < 1e7) return countText(count);
  const [digit, power] = count.toExponential(0).split("e+");
  return `about ${digit}·10${[...power].map((figure) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[figure]).join("")}`;
}

// The number of states of q, and that of the full lattice if it is more than twice as large.
export function sizeText(states, full) {
  return `${countText(states)} states` + (full > 2 * states ? ` where the full lattice has ${bigText(full)}` : "");
}
