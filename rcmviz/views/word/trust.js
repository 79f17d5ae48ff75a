// log Z between two proofs: a beam's mass below, maxima above, the weighted estimate between; RCMS's own apart.

import { scaleOf, tickTextOf, ticksOf } from "../shared/chart.js";
import { html, setAttributes, setText } from "../shared/dom.js";
import { methodClass, methodMark } from "../shared/methods.js";
import { countText, natsText } from "../shared/numbers.js";
import { panel } from "../shared/parts.js";
import { worded } from "../shared/words.js";

const SIGN = { upper: "≤ ", lower: "≥ " };

const MORE = [
  "A beam has a part of all outputs. Their mass proves that log Z is at least so much.",
  "The bound scores what its contexts forgot by the best that could have stood there. Log Z is at most so much.",
  "Outputs are drawn, half by RCMS and half by the bound, and weighted to the full model. The mean weight is right " +
    "on average; a few heavy draws can carry it, so the effective ones are counted.",
  "RCMS's own log Z belongs to another model, which scores merged contexts by shorter windows. It may lie anywhere.",
];

// Null where nothing is known.
export function makeTrust(view) {
  const { trust } = view.payload;
  if (!trust) return null;
  const toggle = html("button", { type: "button", class: "rv-button", onclick: () => open(!view.trustOpen) });
  const box = panel("log Z between two proofs", "rv-trust rv-knows-future", toggle);
  const scale = scaleOfRows(trust.rows);
  const lines = (others) =>
    trust.rows.filter((row) => others === (row.kind === "other")).map((row) => line(view, trust, row, scale));
  const apart = html("p", { class: "rv-trust-apart" }, worded("Of another model, so no bound on either side:"));
  const nats = html("span", { class: "rv-trust-value rv-dim" }, "nats");
  const foot = html("div", { class: "rv-trust-row" }, html("span", {}), axis(scale), nats);
  const others = lines(true);
  const rows = html("div", { class: "rv-trust-rows" }, lines(false), others.length ? apart : null, others, foot);
  const more = html(
    "ul",
    { class: "rv-trust-more" },
    MORE.map((text) => html("li", {}, worded(text, false))),
  );
  box.body.append(rows, html("p", { class: "rv-trust-said" }, worded(summary(trust))), more);

  function open(on) {
    view.trustOpen = on;
    layout();
  }

  function layout() {
    setAttributes(toggle, { "aria-expanded": Boolean(view.trustOpen) });
    setText(toggle, view.trustOpen ? "hide the explanation" : "what is this?");
    more.hidden = !view.trustOpen;
  }

  return { node: box.node, layout, paint() {}, highlight() {} };
}

// From a little below the lowest to a little above the highest mark, in per cent.
function scaleOfRows(rows) {
  const shown = rows.flatMap((row) => [row.at, ...(row.interval || [])]).filter((value) => value !== null);
  const [low, high] = [Math.min(...shown), Math.max(...shown)];
  const room = Math.max(0.06 * (high - low), 0.01);
  return scaleOf([low - room, high + room], [0, 100]);
}

function line(view, trust, row, scale) {
  const run = row.run === null ? null : view.payload.runs[row.run];
  const named = run ? html("b", { class: methodClass(run) }, label(view, run)) : worded(row.name);
  const name = html("span", { class: "rv-trust-name" }, named);
  const lane = html("div", { class: "rv-trust-lane " + (run ? methodClass(run) : ""), "data-kind": row.kind });
  const value = html("span", { class: "rv-trust-value" }, valueText(row));
  if (row.kind !== "other") lane.append(...excludedRanges(trust, scale));
  if (row.interval) lane.append(strip("rv-trust-range", scale(row.interval[0]), scale(row.interval[1])));
  if (row.at !== null) {
    const mark = html("span", { class: "rv-trust-mark" });
    mark.style.left = `${scale(row.at).toFixed(2)}%`;
    lane.append(mark);
  }
  return html("div", { class: "rv-trust-row", "data-name": run ? run.name : row.name }, name, lane, value);
}

const label = (view, run) => (view.payload.runs.length > 1 ? `${methodMark(run)} ${run.name}` : run.name);

function valueText({ kind, at, interval }) {
  const text = (SIGN[kind] || "") + exactNats(at);
  return interval ? `${text} (${exactNats(interval[0])} … ${exactNats(interval[1])})` : text;
}

const exactNats = (value) => (value === null ? "−∞" : natsText(value));

// What the proofs exclude, on both sides.
function excludedRanges({ lower, upper }, scale) {
  return [
    lower === null ? null : strip("rv-trust-out", 0, scale(lower)),
    upper === null ? null : strip("rv-trust-out", scale(upper), 100),
  ].filter(Boolean);
}

function strip(className, from, to) {
  const node = html("span", { class: className });
  Object.assign(node.style, { left: `${from.toFixed(2)}%`, width: `${Math.max(0, to - from).toFixed(2)}%` });
  return node;
}

// Round numbers, but not at the very ends.
function axis(scale) {
  const node = html("div", { class: "rv-trust-axis", "aria-hidden": "true" });
  const ticks = ticksOf(scale, 5);
  const textOf = tickTextOf(ticks);
  for (const tick of ticks.filter((value) => scale(value) >= 4 && scale(value) <= 96)) {
    const number = html("span", {}, textOf(tick));
    number.style.left = `${scale(tick).toFixed(2)}%`;
    node.append(number);
  }
  return node;
}

function summary({ lower, upper, draws, ess, least, needed, budget, why }) {
  const above = upper === null ? "" : ` and at most ${exactNats(upper)}`;
  const drawn = `${countText(draws)} draws, half of them from RCMS ${countText(budget)}`;
  const worth = `${drawn}: effective sample size ${draw(ess)}`;
  const sure = why
    ? `, at worst ${draw(Math.min(least, ess))} where ${needed} are needed, so no interval is stated.`
    : "; log Z is within the interval with 95 %.";
  return `Proved: log Z is at least ${exactNats(lower)}${above}. ${worth}${sure}`;
}

const draw = (number) => (number >= 10 ? countText(Math.round(number)) : Number(number.toPrecision(1)).toString());
