// The exports (link, code, data, picture) and the help.

import { fileName, makeExportBar } from "../shared/export_bar.js";
import { linkWith } from "../shared/links.js";

const KEYS = [
  ["v", "along the best alignment, all cells"],
  ["p", "any spelling, the meant spelling"],
];
const SIGNS = [
  ["wide edge", "a probable one; thin dark line: the best alignment"],
  ["pale letter", "few alignments agree on it"],
  ["★", "the meant spelling"],
  ["e", "a letter on a phone of its own"],
  ["+e", "another letter on the same phone"],
  ["e~", "the letter takes one more phone"],
  ["^ *", "the start; forgotten symbols"],
  ["● ↳ ✕", "kept, merged into a shorter context, dropped"],
];

export function makeBar(view) {
  return makeExportBar(view, {
    file: () => fileName("align", view.payload.title),
    link: { to: () => linkTo(view), title: "a link to exactly this cell" },
    tables: [{ rows: () => contextTable(view), title: "every context of every cell as a row" }],
    picture: {
      title: "alignments and grids",
      lines: () => [`${view.payload.phones.join(" ")} · ${view.payload.title}`],
      drawings: () => drawingsOf(view),
    },
    steps: "cell",
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

// The picture and the grid of each run, with its method.
function drawingsOf(view) {
  return view.runs.flatMap((run, r) =>
    ["pictures", "grids"].map((part) => [view.parts[part + r].drawing, `${run.mark} ${run.name}`]),
  );
}

export function linkTo(view) {
  return linkWith({
    cell: view.cell().join("."),
    route: view.route === "path" ? null : view.route,
    asked: view.asked === "model" ? null : view.asked,
  });
}
