// The posterior of the label at the position, next to its picture where the view has no other.

import { html, pool, setAttributes, setText, svg, toggle } from "../shared/dom.js";
import { pixels } from "../shared/ink.js";
import { methodClass } from "../shared/methods.js";
import { GLYPH, termsOf } from "../shared/names.js";
import { longestLabel, shortLabel } from "../shared/short_names.js";
import { massText, signedText } from "../shared/numbers.js";
import { panel } from "../shared/parts.js";
import { setWorded } from "../shared/words.js";

export function makeLetter(view, r) {
  const run = view.payload.runs[r];
  const compared = view.payload.runs.length > 1;
  const box = panel("", "rv-letter-panel " + methodClass(run));
  const image = svg("svg", { class: "rv-drawing rv-letter-image", width: 46, height: 68, "aria-hidden": "true" });
  const list = html("div", { class: "rv-bars" });
  const isPictured = view.payload.images && !view.host.inner;
  box.body.append(...(isPictured ? [image, list] : [list]));
  const names = Math.min(126, Math.max(26, (longestLabel(view) + 1) * GLYPH));
  const parts = pool(list, () => labelBar(view, names - GLYPH));
  list.style.setProperty("--rv-label", names + "px");
  const rows = view.payload.runs.flatMap((other) => [...other.label, ...(view.reveal ? other.soFar.label : [])]);
  const most = Math.max(...rows.map((row) => row.length));

  function paint() {
    const row = view.labelRow(r);
    list.style.setProperty("--rv-number", hasChange(view) ? "88px" : "44px");
    const { label } = termsOf(view);
    const subject = compared ? `${run.name}: ${label}` : label[0].toUpperCase() + label.slice(1);
    const token = view.payload.tokens ? ` “${view.payload.tokens[view.position - 1]}”` : "";
    setWorded(box.heading, `${subject} ${view.position}${token}, ${view.hidesFuture() ? "so far" : "posterior"}`);
    parts(most).forEach((part, k) => part.paint(row[k]));
    if (isPictured) image.replaceChildren(pixels(view.payload.images[view.position - 1], 23, 4, 60));
  }

  return { node: box.node, layout() {}, paint, highlight() {} };
}

// Whether a number of the position stands with its change, in any run: the tracks of all have one length.
function hasChange(view) {
  return view.payload.runs.some((_, r) => view.labelRow(r).some(([, p, was]) => isChange(p, was)));
}

export const isChange = (p, was) => was !== null && Math.abs(p - was) >= 0.0005;

function labelBar(view, width) {
  const name = html("code", { class: "rv-name" });
  const bar = html("span", { class: "rv-bar-own" });
  const before = html("span", { class: "rv-bar-before" });
  const track = html("span", { class: "rv-bar-track" }, bar, before);
  const value = html("span", {});
  const change = html("span", {});
  const numbers = html("span", { class: "rv-bar-value" }, change, " ", value);
  const node = html("div", { class: "rv-bar" }, name, track, numbers);

  function paint(entry) {
    node.style.visibility = entry ? "" : "hidden";
    const [y, p, was] = entry || [0, 0, null];
    const gold = view.payload.gold && view.payload.gold[view.position - 1] === y;
    const short = shortLabel(view, y, width);
    setText(name, (gold ? "★" : "") + short);
    setAttributes(name, { title: short === view.payload.labels[y] ? null : view.payload.labels[y] });
    bar.style.width = p > 0 ? `max(1.5px, ${(100 * p).toFixed(2)}%)` : "0";
    const changed = isChange(p, was);
    before.style.display = changed ? "" : "none";
    before.style.left = (100 * (was || 0)).toFixed(2) + "%";
    setText(value, massText(p));
    setText(change, changed ? signedText(p - was) : "");
    toggle(change, "rv-up", changed && p > was);
    toggle(change, "rv-down", changed && p < was);
    toggle(node, "rv-is-gold", gold);
  }

  return { node, paint };
}
