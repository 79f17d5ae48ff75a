// What can be taken along from the picture: a link, the code, tables, the data, the picture; and the help.

import { KEYS, SIGNS } from "./controls.js";
import { HEAD, rowsOf } from "./numbers_table.js";
import { phaseText } from "./phases.js";
import { fileName, makeExportBar } from "../shared/export_bar.js";
import { linkWith } from "../shared/links.js";
import { pictureOf, placed, wordDrawing } from "../shared/picture.js";

export function linkTo(view, phase = phaseText(view)) {
  return linkWith({ pos: view.where().i, phase, ...view.held });
}

export function makeTools(view) {
  return makeExportBar(view, {
    file: () => `${fileName("mass-flow", view.payload.title)}-${view.where().i}-${phaseText(view)}`,
    link: { to: () => linkTo(view), title: "a link to exactly this moment", always: true },
    tables: [{ text: "CSV", rows: () => allRows(view), title: "all numbers of the picture" }],
    picture: { draw: () => drawingOf(view), title: "this moment" },
    keys: KEYS,
    signs: SIGNS,
  });
}

function allRows(view) {
  const rows = [["method", view.payload.unit, ...HEAD]];
  for (const run of view.runs) {
    for (let i = 1; i <= view.payload.T; i += 1) rows.push(...rowsOf(view, run, i).map((row) => [run.name, i, ...row]));
  }
  return rows;
}

const MARGIN = 12;

// The panels side by side, each below its name, and the small river below them.
function drawingOf(view) {
  const { stage, timeline } = view.parts;
  const base = view.root.getBoundingClientRect();
  const titles = [...view.root.querySelectorAll(".rv-flow-panel-title")];
  const pieces = [];
  for (const title of titles) {
    const { left, bottom } = title.getBoundingClientRect();
    pieces.push(wordDrawing(title.firstChild.data, title, left - base.left + MARGIN, bottom - base.top - 6));
  }
  for (const frame of [...stage.frames, timeline.node]) {
    const { left, top } = frame.getBoundingClientRect();
    pieces.push(placed(frame.querySelector("svg"), left - base.left + MARGIN, top - base.top));
  }
  const below = timeline.node.getBoundingClientRect().bottom - base.top + MARGIN;
  return pictureOf(view, base.width + 2 * MARGIN, below, ...pieces);
}
