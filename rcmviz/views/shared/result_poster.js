// @ts-check
// The last step of a presentation: what each method answers, how sure it is, and whether that is right, in large type.
// A view returns its results by `results()`: {className, name, answer, sure, right, story}; `right` is null if unknown.

import { html } from "./dom.js";

const LONG = 18; // characters; longer answers are written smaller
const LONGEST = 120;

/** @type {(view: View) => HTMLElement | null} */
export function makeResultPoster(view) {
  const results = view.payload?.error ? [] : (view.results?.() ?? []);
  return results.length ? html("section", { class: "rv-result-poster" }, results.map(verdict)) : null;
}

/** @type {(result: Result) => HTMLElement} */
function verdict({ className, name, answer, sure, right = null, story = "" }) {
  const text = answer.length > LONGEST ? `${answer.slice(0, LONGEST - 1)}…` : answer;
  const tint = right ? "rv-result-right" : "";
  const judged = right === null ? "" : right ? "right ✓" : "wrong ✕";
  return html(
    "div",
    { class: `rv-result ${className}` },
    html("b", { class: "rv-method" }, name),
    html("strong", { class: `${tint}${answer.length > LONG ? " rv-result-long" : ""}` }, text || "nothing"),
    html("p", {}, sure ?? "", sure && judged ? ": " : "", html("b", { class: tint }, judged)),
    story ? html("p", { class: "rv-dim" }, story) : null,
  );
}
