// What can be taken along: a link, the code, the data, the picture; and the help.

import { fileName, makeExportBar } from "../shared/export_bar.js";
import { linkWith } from "../shared/links.js";
import { pictureOf, sizeOf, stacked, wordDrawing } from "../shared/picture.js";

const KEYS = [
  ["← →", "previous, next cell"],
  ["Home End", "first, last cell"],
  ["space", "play, pause"],
  ["v", "along the best alignment, all cells"],
  ["p", "any spelling, the meant spelling"],
  ["?", "this help"],
];
const SIGNS = [
  ["wide edge", "a probable one; thin dark line: the best alignment"],
  ["pale letter", "few alignments agree on it"],
  ["★", "the meant spelling"],
  ["e", "a letter on a phone of its own"],
  ["+e", "another letter on the same phone"],
  ["e~", "the letter takes a phone more"],
  ["^ *", "the start; what is forgotten"],
  ["● ↳ ✕", "kept, merged into a shorter context, dropped"],
];

export function makeBar(view) {
  return makeExportBar(view, {
    file: () => fileName("align", view.payload.title),
    link: { to: () => linkTo(view), title: "a link to exactly this cell" },
    code: "the lines that reproduce this in a notebook",
    tables: [{ rows: () => contextTable(view), title: "every context of every cell as a row" }],
    data: "the data of this view",
    picture: { draw: () => wholePicture(view), title: "alignments and grids" },
    keys: KEYS,
    signs: SIGNS,
  });
}

function contextTable(view) {
  const head = ["method", "phone", "letter", "fate", "context", "mode", "share of forward mass", "posterior", "into"];
  const rows = view.runs.flatMap((run) =>
    run.cells
      .filter((cell) => cell.a)
      .flatMap((cell) => [
        ...cell.contexts.map(([name, mode, share, posterior]) => [
          run.name,
          cell.a,
          cell.i,
          "kept",
          name,
          mode,
          share,
          posterior,
          "",
        ]),
        ...cell.others.map(([name, mode, share, into]) => [
          run.name,
          cell.a,
          cell.i,
          into < 0 ? "dropped" : "merged",
          name,
          mode,
          share,
          "",
          into < 0 ? "" : cell.contexts[into][0],
        ]),
      ]),
  );
  return [head, ...rows];
}

// Pictures and grids of all runs below each other, each with its method.
function wholePicture(view) {
  const drawings = view.runs.flatMap((_, r) => [view.parts["pictures" + r].drawing, view.parts["grids" + r].drawing]);
  const sizes = drawings.map(sizeOf);
  const like = view.parts.sentences.node;
  const copies = stacked(drawings, 32, 26);
  const names = copies.map((copy, k) => {
    const run = view.runs[k >> 1];
    return wordDrawing(`${run.mark} ${run.name}`, like, 10, copy.getAttribute("y") - 6);
  });
  const title = wordDrawing(`${view.payload.phones.join(" ")} · ${view.payload.title}`, like, 10, 22);
  const height = sizes.reduce((sum, [, high]) => sum + high + 26, 36);
  return pictureOf(view, Math.max(...sizes.map(([wide]) => wide)), height, title, names, copies);
}

export function linkTo(view) {
  return linkWith({
    cell: view.cell().join("."),
    route: view.route === "path" ? null : view.route,
    asked: view.asked === "model" ? null : view.asked,
  });
}
