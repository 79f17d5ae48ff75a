// @ts-check
// Scores around 0: as text, and as bars to either side.

import { html, toggle } from "./dom.js";
import { numberText } from "./numbers.js";

// A score, where "-0" is written "0".
/** @type {(value: number, digits: number) => string} */
export function scoreText(value, digits) {
  return numberText(Math.abs(value) < 0.5 * 10 ** -digits ? 0 : value, digits);
}

// A bar from the middle of its track, to the right for values above 0; a value out of range has a break at its end.
/** @type {(className?: string) => { node: HTMLElement, paint(value: number, largest: number): void }} */
export function makeSigned(className = "") {
  const bar = html("span", { class: "rv-signed-bar" });
  const track = html("span", { class: `rv-signed ${className}` }, bar);
  /** @type {(value: number, largest: number) => void} */
  const paint = (value, largest) => {
    bar.style.width = `${(50 * Math.min(1, Math.abs(value) / (largest || 1))).toFixed(2)}%`;
    toggle(track, "rv-negative", value < 0);
    toggle(track, "rv-broken", Math.abs(value) > (largest || 1) * (1 + 1e-9));
  };
  return { node: track, paint };
}
