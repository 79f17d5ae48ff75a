// The sum behind the number that is looked at: terms with their values, bars and names, and the line of code of the
// term that is pointed at. Whatever is pointed at, a term, its row in the picture or its line, the others light up.

import { html, setAttributes, setText, toggle } from "../shared/dom.js";
import { cutName, withNames } from "../shared/names.js";
import { massText, numberText } from "../shared/numbers.js";
import { segmented } from "../shared/parts.js";
import { firstLines, kindsOf, termsOfSum } from "./sums.js";

// The shown sum and its terms: that of the held node while one of its terms is hovered, else of the highlighted node.
export function shownSum(view) {
  const held = view.held();
  const sum = held && sumOf(view, held);
  if (held && (!view.hovered || termOf(sum, view.hovered))) return sum;
  return sumOf(view, view.focus());
}

function sumOf(view, found) {
  const focus = found && found.position === view.position ? found : null;
  const kinds = kindsOf(view, focus);
  const usual = view.mass === "posterior" && kinds.some(([kind]) => kind === "posterior") ? "posterior" : kinds[0][0];
  const kind = kinds.some(([one]) => one === view.sum) ? view.sum : usual;
  const run = focus ? focus.run : view.run;
  const key = `${view.payload.id}|${view.position}|${run}|${focus?.key}|${kind}|${kinds.length}`;
  if (view.summed?.key !== key) {
    view.summed = { key, focus, run, kind, kinds, terms: termsOfSum(view, run, focus, kind) };
  }
  return view.summed;
}

// The term of a sum that a row or a candidate of the picture represents.
function termOf(sum, hovered) {
  if (!sum.focus || hovered.position !== sum.focus.position || hovered.run !== sum.run) return null;
  const list = hovered.candidate === undefined ? "rows" : "candidates";
  return sum.terms.find((term) => (term.light[list] || []).includes(hovered.name)) || null;
}

// The term that is pointed at, here or in the picture.
export function pointedTerm(view) {
  const sum = shownSum(view);
  return sum.terms.find((term) => term.key === view.term) || (view.hovered && termOf(sum, view.hovered)) || null;
}

export function makeArithmetic(view) {
  const kinds = html("div", { class: "rv-sum-kinds" });
  const list = html("div", { class: "rv-sum-terms", role: "group", "aria-label": "the sum behind this number" });
  const code = html("code", { class: "rv-sum-code" });
  const node = html("div", { class: "rv-sum" }, kinds, list, code);
  let shown = null;
  let offered = null; // the kinds among which one may choose
  let terms = [];

  // Terms of another position are mostly of the same shapes: they take the nodes that are there.
  function show(sum) {
    const before = terms;
    terms = sum.terms.map((term, k) => (before[k]?.like === likeOf(term) ? before[k] : termNode(view, term)));
    terms.forEach((part, k) => part.paint(sum.terms[k], sum.terms));
    if (terms.length !== before.length || terms.some((part, k) => part !== before[k]))
      list.replaceChildren(...terms.map((part) => part.node));
    const key = JSON.stringify([sum.kinds, sum.kind, !sum.focus]);
    if (key !== offered) kinds.replaceChildren(...kindButtons(view, sum));
    offered = key;
    shown = sum;
  }

  function highlight() {
    const sum = shownSum(view);
    if (shown !== sum) show(sum);
    const pointed = pointedTerm(view);
    terms.forEach((term) => toggle(term.node, "rv-lit", term.of() === pointed));
    const explained = pointed || sum.terms[sum.terms.length - 1];
    setText(code, explained?.code || "");
    toggle(code, "rv-lit", Boolean(pointed && pointed.code));
    toggle(node, "rv-none", !sum.terms.length);
  }

  return { node, layout() {}, paint: highlight, highlight };
}

function kindButtons(view, sum) {
  const choose = (kind) => view.setSum(kind, !sum.focus);
  return [segmented("the sum that is shown", sum.kinds, () => sum.kind, choose).node];
}

// What of a term decides which nodes it has.
const likeOf = (term) => `${term.key} ${shapeOf(term)} ${term.sign || ""}`;

function termNode(view, first) {
  const value = html("span", { class: "rv-term-value" });
  const sign = first.sign ? html("span", { class: "rv-term-sign" }, first.sign) : null;
  const power = first.factor !== undefined ? html("span", { class: "rv-term-power" }) : null;
  const bar = html("span", { class: "rv-term-bar" });
  const name = html("span", { class: "rv-term-name" });
  const node = html(
    "button",
    {
      type: "button",
      class: `rv-term rv-term-${shapeOf(first)}`,
      "data-term": first.key,
      onpointerenter: () => view.point(first.key),
      onpointerleave: () => view.point(null),
      onfocus: () => view.point(first.key),
      onblur: () => view.point(null),
    },
    html("span", { class: "rv-term-head" }, sign, value, power),
    html("span", { class: "rv-term-track" }, bar),
    name,
  );
  let of = null;

  function paint(term, all) {
    if (of?.name !== term.name) name.replaceChildren(...withNames(term.name));
    of = term;
    const less = term.sign === "+" && term.plain < 0; // "− 1.28", where "+ −1.28" would be hard to read
    if (sign) setText(sign, less ? "−" : term.sign);
    setText(value, valueText(less ? { ...term, plain: -term.plain } : term));
    if (power) setText(power, powerText(term.factor));
    placeBar(bar, term, all);
    setAttributes(node, { title: exactText(term), "data-log": term.share ?? term.factor ?? term.plain });
  }

  return { node, like: likeOf(first), of: () => of, paint };
}

const shapeOf = (term) => (term.factor !== undefined ? "factor" : term.share !== undefined ? "share" : "plain");

// A share fills its track from the left, a factor that makes more of it grows to the right from the middle, one that
// makes less of it to the left.
function placeBar(bar, term, all) {
  const shape = shapeOf(term);
  if (shape === "share") {
    const shares = all.filter((other) => other.share !== undefined).map((other) => other.share);
    bar.style.width = barWidth(Math.exp(term.share - Math.max(0, ...shares)));
    return;
  }
  const logs = all.map((other) => Math.abs(other[shape] ?? 0)).filter(Number.isFinite);
  const value = (term.sign === "÷" ? -1 : 1) * (term[shape] ?? 0);
  const part = Math.min(1, Math.abs(value) / Math.max(1e-9, ...logs)) / 2;
  bar.style.width = barWidth(part);
  bar.style.left = (100 * (value < 0 ? 0.5 - part : 0.5)).toFixed(2) + "%";
  toggle(bar, "rv-less", value < 0);
}

const barWidth = (part) => (part > 0 ? `max(1.5px, ${(100 * part).toFixed(2)}%)` : "0");

function valueText(term) {
  if (term.text) return term.text;
  if (term.plain !== undefined) return numberText(Number.isFinite(term.plain) ? term.plain : null);
  return term.share !== undefined ? massText(Math.exp(term.share)) : factorText(Math.exp(term.factor));
}

// Three digits; very large or very small values as a power of e.
function factorText(value) {
  if (value === 0) return "0";
  if (value >= 1e4 || value < 1e-3) return value.toExponential(1).replace("+", "").replace("-", "−");
  return String(Number(value.toPrecision(3))).replace(/^0\./, ".");
}

function powerText(log) {
  return Number.isFinite(log) ? `e^${numberText(log)}` : "";
}

function exactText(term) {
  const log = term.share ?? term.factor ?? term.plain;
  if (log === undefined || log === null) return null;
  if (!Number.isFinite(log)) return "impossible";
  return term.plain !== undefined ? `${log}` : `log ${log.toFixed(6)}, ${Math.exp(log).toPrecision(6)}`;
}

// What "show code" adds: the lines of the sum that is shown, each lit with its term.
export function sumCode(view) {
  const line = (text, key) =>
    html(
      "span",
      {
        class: "rv-code-line",
        "data-term": key,
        onpointerenter: () => view.point(key || null),
        onpointerleave: () => view.point(null),
      },
      text + "\n",
    );
  return {
    key: () => shownSum(view).key,
    lines() {
      const { focus, run, terms, kind } = shownSum(view);
      const of = focus ? `${cutName(focus.name)} at position ${focus.position}` : `position ${view.position}`;
      return [
        line(`\n# the sum of ${of}`),
        ...firstLines(view, run, focus, kind).map((text) => line(text)),
        ...terms.filter((term) => term.code).map((term) => line(term.code, term.key)),
      ];
    },
  };
}
