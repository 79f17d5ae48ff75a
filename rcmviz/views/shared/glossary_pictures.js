// @ts-check
// Small pictures of terms, 170 × 46.

import { svg } from "./dom.js";

/** @type {(y: number, name: string, width: number, extra?: Attributes) => SVGElement[]} */
const row = (y, name, width, extra = {}) => [
  text(2, y + 9, name),
  svg("rect", { class: "rv-tip-bar", x: 46, y, width, height: 10, rx: 2, ...extra }),
];
/** @type {(x: number, y: number, words: string, extra?: Attributes) => SVGElement} */
const text = (x, y, words, extra = {}) => svg("text", { x, y, ...extra }, words);
/** @type {(d: string, extra?: Attributes) => SVGElement} */
const line = (d, extra = {}) => svg("path", { class: "rv-tip-line", d, ...extra });
const gone = { class: "rv-tip-bar rv-tip-gone" };
const pale = { class: "rv-tip-bar rv-tip-pale" };

/** @type {(words: string, remembered: number) => SVGElement[]} */
const letters = (words, remembered) => {
  /** @type {(k: number) => string} */
  const dim = (k) => (k < words.length - remembered ? "rv-tip-dim" : "");
  return [...words].map((letter, k) => text(14 + 18 * k, 20, letter, { class: dim(k) }));
};
/** @type {(first: number, last: number) => SVGElement} */
const underline = (first, last) => line(`M${11 + 18 * first} 27v4H${23 + 18 * last}v-4`);

/** @type {Record<string, () => SVGElement[]>} */
const PICTURES = {
  context: () => [...letters("school", 2), underline(4, 5), text(128, 24, "*ol")],
  "complete history": () => [...letters("school", 6), underline(0, 5)],
  root: () => [...letters("school", 0), text(128, 24, "*")],
  candidate: () => [...letters("schoo", 2), text(106, 20, "+ l"), underline(3, 4), text(78, 42, "*ool")],
  ancestor: () => [text(2, 14, "*"), text(30, 28, "*l"), text(66, 42, "*ol"), line("M6 18v6H26M34 32v6H62")],
  "least ancestor": () => [text(2, 14, "*"), text(30, 28, "*l"), text(66, 42, "*ol"), line("M64 36C44 36 40 40 38 32")],
  mass: () => [...row(4, "*ol", 80), ...row(22, "*al", 24)],
  "own mass": () => [...row(14, "*l", 90, pale), ...row(14, "", 30)],
  "subtree mass": () => [...row(4, "*l", 90, pale), ...row(22, " *ol", 60)],
  budget: () => [...row(0, "*ol", 80), ...row(14, "*al", 40), line("M0 29H150"), ...row(33, "*el", 12, gone)],
  merged: () => [...row(4, "*l", 40), ...row(26, "*el", 18, gone), line("M68 31C110 31 110 12 92 10m5 -4l-5 4l5 4")],
  dropped: () => [...row(14, "cel", 30, gone), text(84, 24, "✕")],
  joined: () => [text(2, 14, "hool"), text(2, 38, "pool"), line("M40 10H70V34H40M70 22H92"), text(98, 26, "*ool")],
  "forward mass": () => [...letters("school", 6), line("M12 30H76m-5 -4l5 4l-5 4"), line("M81 4V40")],
  "backward mass": () => [...letters("school", 6), line("M86 30H124m-5 -4l5 4l-5 4"), line("M81 4V40")],
  "posterior mass": () => [...letters("school", 6), line("M12 30H66m-5 -4l5 4l-5 4M122 30H76m5 -4l-5 4l5 4")],
  window: () => [...letters("school", 3), underline(3, 5), text(128, 24, "+0.8")],
  entropy: () => [
    svg("rect", { class: "rv-tip-bar", x: 4, y: 4, width: 10, height: 36 }),
    text(22, 26, "0"),
    ...[50, 64, 78, 92].map((x) => svg("rect", { class: "rv-tip-bar", x, y: 28, width: 10, height: 12 })),
    text(108, 26, "1.4"),
  ],
  "log Z": () => [
    ...[4, 14, 24, 34].flatMap((y, k) => row(y, "", 70 - 16 * k)),
    line("M124 4h6v38h-6"),
    text(134, 27, "Z"),
  ],
};
PICTURES["log Z so far"] = PICTURES["log Z"];
PICTURES.Z = PICTURES["log Z"];
PICTURES.kept = PICTURES.budget;

// The elements of a term's picture, none if it has none.
/** @type {(word: string) => SVGElement[]} */
export function drawingOf(word) {
  const draw = PICTURES[word];
  return draw ? [svg("svg", { class: "rv-tip-drawing", width: 170, height: 46, viewBox: "0 0 170 46" }, draw())] : [];
}
