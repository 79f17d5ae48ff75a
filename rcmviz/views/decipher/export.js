// The exports of the decipher view (link, code, mapping, run, picture) and its help.

import { makeExportBar } from "../shared/export_bar.js";
import { linkWith } from "../shared/links.js";
import { pictureOf, placed, sizeOf, wordDrawing, wrapped } from "../shared/picture.js";
import { textOf } from "./message.js";
import { readingOf } from "./passes.js";

const KEYS = [
  ["Esc", "release the symbol"],
  ["S E A X", "start or pause, one pass, restart, cancel"],
  ["W", "continue with swaps, from the recorded run"],
];
const SIGNS = [
  ["bright", "at least 90 % of the symbol's occurrences have this reading"],
  ["dim", "less sure, or the best text so far, found by one round only"],
  ["framed", "pinned by you"],
  ["dotted line", "differs from the key"],
  ["■", "its area is the share of a symbol's occurrences"],
  ["□", "the truth, where the key is known"],
  ["swaps", "letters exchanged in pairs while the text gets more probable; ends a round"],
];

export function makeBar(view) {
  return makeExportBar(view, {
    file: () => `rcmviz-decipher-pass-${view.position}`,
    link: { to: () => linkWith({ at: view.position || null }), title: "a link to this pass" },
    tables: [{ rows: () => mappingRows(view), title: "the mapping at this pass" }],
    picture: { draw: () => wholePicture(view), title: "message, curves and mapping" },
    steps: "EM pass",
    keys: KEYS,
    signs: SIGNS,
  });
}

function mappingRows(view) {
  const { payload } = view;
  const head = ["symbol", "count", "key", "pinned", ...view.methods.flatMap(({ name }) => [name, `${name} share`])];
  return [
    head,
    ...payload.symbols.map((symbol, k) => [
      symbol,
      payload.counts[k],
      payload.key ? payload.labels[payload.key[k]] : "",
      view.pins.has(k) ? 1 : 0,
      ...view.methods.flatMap((method) => {
        const { label, sure } = readingOf(view, method, k);
        return label === null ? ["", ""] : [payload.labels[label], sure.toFixed(3)];
      }),
    ]),
  ];
}

// The readings as lines of text, then the curves, then the mappings side by side.
function wholePicture(view) {
  const { charts, readings } = view.parts;
  const [wide, high] = sizeOf(charts.drawing);
  const lines = view.methods.flatMap((method) => [
    `${method.mark} ${method.name}, pass ${view.position}`,
    ...textOf(view, method).flatMap((line) => wrapped(line, Math.floor(wide / 8))),
  ]);
  const top = 14 + 20 * lines.length;
  const below = top + high + 10;
  let x = 10;
  const mappings = readings.drawings.map((drawing) => {
    const copy = placed(drawing, x, below, { overflow: "visible" });
    x += sizeOf(drawing)[0] + 16;
    return copy;
  });
  const height = below + Math.max(...readings.drawings.map((drawing) => sizeOf(drawing)[1])) + 10;
  const words = lines.map((line, k) => wordDrawing(line, view.root, 10, 20 + 20 * k));
  const curves = placed(charts.drawing, 10, top, { overflow: "visible" });
  return pictureOf(view, Math.max(wide, x - 10) + 20, height, words, curves, mappings);
}
