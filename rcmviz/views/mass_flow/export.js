// What can be taken along from the picture: a link, the code, tables, the data, the picture; and the help.

import { KEYS, SIGNS } from "./controls.js";
import { drawingOf } from "./drawing.js";
import { headingOf, rowsOf } from "./numbers_table.js";
import { phaseText } from "./phases.js";
import { makeVideoButton } from "./video.js";
import { fileName, makeExportBar } from "../shared/export_bar.js";
import { linkWith } from "../shared/links.js";

export function linkTo(view, phase = phaseText(view)) {
  return linkWith({ pos: view.where().i, phase, share: view.isEnd ? "end" : null, ...view.held });
}

export function makeTools(view) {
  const name = () => fileName("mass-flow", view.payload.title);
  return makeExportBar(view, {
    file: () => `${name()}-${view.where().i}-${phaseText(view)}`,
    link: { to: () => linkTo(view), title: "a link to exactly this moment", always: true },
    tables: [{ text: "CSV", rows: () => allRows(view), title: "all numbers of the picture" }],
    picture: { draw: () => drawingOf(view), title: "this moment" },
    further: (say) => [makeVideoButton(view, name, say)],
    keys: KEYS,
    signs: SIGNS,
  });
}

function allRows(view) {
  const rows = [["method", view.payload.unit, ...headingOf(view)]];
  for (const run of view.runs) {
    for (let i = 1; i <= view.payload.T; i += 1) rows.push(...rowsOf(view, run, i).map((row) => [run.name, i, ...row]));
  }
  return rows;
}
