// The found sequences by probability, with their number of draws; and the rounds.

import { remembering } from "./rounds.js";
import { verdictText } from "./sentences.js";
import { html, setAttributes, setText, toggle } from "../shared/dom.js";
import { countText, massText, natsText } from "../shared/numbers.js";
import { panel, segmented } from "../shared/parts.js";
import { telling } from "../shared/words.js";

const LISTED = 24; // sequences
const RECENT = 60; // rounds
const URN = "urn: the sequences that were drawn and accepted so far, the most probable first.";
const FOUND = "found: the sequences that were the best under q in some round so far.";

// The urn. Rows are in order of probability from the beginning; sequences not found yet are pale.
export function makeUrn(view) {
  const sampling = view.payload.mode === "sample";
  const { node, body, heading } = panel("", "rv-urn");
  telling(heading, sampling ? URN : FOUND);
  const list = html("div", { class: "rv-scroll rv-urn-list", tabindex: "0", role: "group" });
  const note = html("p", { class: "rv-more" });
  body.append(
    html(
      "div",
      { class: "rv-urn-row rv-urn-head" },
      html("span", {}, "sequence"),
      html("span", {}, sampling ? "drawn, and exact share" : "p relative to the best"),
      html("span", {}, sampling ? "drawn" : "log p"),
      html("span", {}, sampling ? "exact" : "ratio"),
    ),
    list,
    note,
  );
  const { ranked } = view.memory;
  const bounds = shareBounds(view);
  const rows = ranked.slice(0, LISTED).map((k) => urnRow(view, k, bounds));
  list.append(...rows.map((row) => row.node));

  function paint() {
    const { memory, now, payload } = view;
    rows.forEach((row) => row.paint());
    const found = ranked.filter((k) => (sampling ? memory.draws(k, now) : payload.sequences.first[k] <= now)).length;
    setText(
      heading,
      sampling
        ? `The urn: ${countText(memory.accepted(now))} exact samples, ${countText(found)} different`
        : `Sequences found: ${countText(found)}`,
    );
    setAttributes(list, { "aria-label": heading.textContent });
    setText(note, urnNote(view, bounds));
  }

  return { node, layout() {}, paint, highlight() {} };
}

// The exact share of a sequence is p / Z, where Z is known up to the bounds of the whole run.
function shareBounds({ payload: { result, rounds }, memory }) {
  const last = memory.R - 1;
  return { upper: result.bounds[1], lower: rounds.lower[last], estimate: memory.estimate(last) };
}

function urnNote(view, { upper, lower, estimate }) {
  const more = view.memory.ranked.length - LISTED;
  const rest = more > 0 ? `${countText(more)} more are less probable. ` : "";
  if (view.payload.mode === "decode")
    return `${rest}Bars show p relative to the best sequence found; the ratio is exact.`;
  const about = estimate === null ? "" : `, about ${natsText(estimate)} by the acceptance`;
  return (
    `${rest}The tick is the exact share p / Z, with log Z between ${natsText(lower)} and ${natsText(upper)}${about}; ` +
    `the pale band shows these bounds. Ratios of shares are exact.`
  );
}

function urnRow(view, k, bounds) {
  const { payload, memory } = view;
  const words = html(
    "span",
    { class: "rv-urn-words rv-name" },
    differing(view, payload.sequences.words[k], payload.sequences.words[memory.ranked[0]]),
  );
  const bar = html("span", { class: "rv-bar-own" });
  const [drawn, exact] = [html("span", { class: "rv-bar-value" }), html("span", { class: "rv-bar-value" })];
  const sampling = payload.mode === "sample";
  const jump = () =>
    view.go(1 + (sampling ? (memory.drawn[k][0] ?? payload.sequences.first[k]) : payload.sequences.first[k]));
  const track = html(
    "span",
    { class: "rv-bar-track" },
    ...(sampling ? exactMarks(payload.sequences.logP[k], bounds, exact) : []),
    bar,
  );
  const node = html(
    "button",
    { type: "button", class: "rv-urn-row", title: "go to the round that found it", onclick: jump },
    words,
    track,
    drawn,
    exact,
  );
  if (!sampling) {
    const ratio = Math.exp(payload.sequences.logP[k] - payload.sequences.logP[memory.ranked[0]]);
    bar.style.width = barLength(ratio);
    setText(drawn, natsText(payload.sequences.logP[k]));
    setText(exact, massText(ratio));
  }

  function paint() {
    const count = memory.draws(k, view.now);
    toggle(node, "rv-absent", sampling ? !count : payload.sequences.first[k] > view.now);
    if (!sampling) return;
    bar.style.width = count ? barLength(count / memory.accepted(view.now)) : "0";
    setText(drawn, countText(count));
  }

  return { node, paint };
}

// The exact share as a tick, with a pale band for the bounds of log Z.
function exactMarks(logP, { upper, lower, estimate }, exact) {
  const share = (logZ) => Math.min(1, Math.exp(logP - logZ));
  const [low, high] = [share(upper), share(lower)];
  const middle = Math.min(high, Math.max(low, share(estimate ?? upper)));
  const [band, tick] = ["rv-band-shape", "rv-bar-before"].map((name) => html("span", { class: name }));
  Object.assign(band.style, { left: `${100 * low}%`, width: `${100 * (high - low)}%` });
  tick.style.left = `${100 * middle}%`;
  setText(exact, massText(middle));
  return [band, tick];
}

function barLength(share) {
  return `max(1.5px, ${(100 * share).toFixed(2)}%)`;
}

const LONG = 9; // words; of a longer sequence only the words near its differences are shown

// The words of a sequence; those that differ from another sequence are marked.
function differing(view, words, from) {
  const { names } = view.payload;
  const differs = words.map((word, i) => word !== from[i]);
  const all = words.length <= LONG || !differs.includes(true);
  const isShown = (i) => all || differs.slice(Math.max(0, i - 1), i + 2).includes(true);
  return words.flatMap((word, i) => {
    if (names[word] === "</s>") return [];
    if (!isShown(i)) return i && !isShown(i - 1) ? [] : [" … "];
    return [html("span", { class: differs[i] ? "rv-differs" : "" }, (i && isShown(i - 1) ? " " : "") + names[word])];
  });
}

const KINDS = [
  ["all", "all"],
  ["accepted", "accepted"],
  ["rejected", "rejected"],
];

// The rounds up to the present one, the latest first; a click goes back to it.
export function makeRounds(view) {
  let kind = "all";
  const choice = segmented(
    "which rounds",
    KINDS,
    () => kind,
    (chosen) => {
      kind = chosen;
      paint();
    },
  );
  const sampling = view.payload.mode === "sample";
  const { node, body, heading } = panel("", "rv-rounds", ...(sampling ? [choice.node] : []));
  telling(heading, "path: a whole sequence, the best one under q or one that is drawn from it.");
  const list = html("div", { class: "rv-scroll rv-urn-list", tabindex: "0", role: "group" });
  body.append(
    html(
      "div",
      { class: "rv-round-row rv-urn-head" },
      html("span", {}, ""),
      html("span", {}, "path"),
      html("span", {}, "log q"),
      html("span", {}, "log p"),
      html("span", {}, "p/q"),
    ),
    list,
  );
  const rows = remembering((r) => roundRow(view, r)); // made once: a step only moves them

  function paint() {
    choice.paint();
    const shown = recentRounds(view, kind);
    setText(
      heading,
      sampling
        ? `Draws: ${countText(view.memory.accepted(view.now))} of ${countText(view.now + 1)} accepted`
        : `Paths so far: ${countText(view.now + 1)}`,
    );
    setAttributes(list, { "aria-label": heading.textContent });
    list.replaceChildren(...shown.map((r) => rows(r)));
    shown.forEach((r) => toggle(rows(r), "rv-now", r === view.now));
  }

  return { node, layout() {}, paint, highlight() {} };
}

function recentRounds(view, kind) {
  const { accepted } = view.payload.rounds;
  const shown = [];
  for (let r = view.now; r >= 0 && shown.length < RECENT; r -= 1) {
    if (kind === "all" || Boolean(accepted[r]) === (kind === "accepted")) shown.push(r);
  }
  return shown;
}

function roundRow(view, r) {
  const { rounds, sequences } = view.payload;
  const [q, p] = [rounds.logQ[r], view.memory.logP(r)];
  const value = (text) => html("span", { class: "rv-bar-value" }, text);
  return html(
    "button",
    {
      type: "button",
      class: "rv-round-row",
      "data-round": r + 1,
      "data-verdict": rounds.accepted[r] ? "accepted" : "rejected",
      title: `${verdictText(view, r)}; go to round ${r + 1}`,
      onclick: () => view.go(r + 1),
    },
    html("span", { class: "rv-mark" }, `${rounds.accepted[r] ? "✓" : "✕"} ${countText(r + 1)}`),
    html(
      "span",
      { class: "rv-urn-words rv-name" },
      differing(view, view.memory.words(r), sequences.words[view.answer] ?? []),
    ),
    value(natsText(q)),
    value(natsText(p)),
    value(massText(p === null ? 0 : Math.min(1, Math.exp(p - q)))),
  );
}
