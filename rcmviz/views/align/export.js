// What can be taken along: a link, the code, the data, the picture; and the help.

import { SVG_SPACE, html, setAttributes, svg } from "../shared/dom.js";
import { copy, csv, save } from "../shared/download.js";
import { codeSheet, helpList, makeSaid, opening, quietButton } from "../shared/export_bar.js";
import { linkWith } from "../shared/links.js";
import { savePng, saveSvg, withStyles, wordDrawing } from "../shared/picture.js";
import { plainColor } from "../shared/theme.js";

const ALIGN_KEYS = [
  ["← →", "previous, next cell"],
  ["Home End", "first, last cell"],
  ["space", "play, pause"],
  ["v", "along the best alignment, all cells"],
  ["p", "any spelling, the meant spelling"],
  ["?", "this help"],
];
const ALIGN_MARKS = [
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
  const { said, tell } = makeSaid();
  const file = () => `rcmviz-align-${view.payload.title.replace(/[^\p{L}\p{N}]+/gu, "-")}`;
  const text = (kind, type, content) => save(new Blob([content], { type }), `${file()}.${kind}`);
  const codeBox = codeSheet(
    () => view.payload.code,
    tell,
    html("pre", { class: "rv-code", tabindex: "0" }, view.payload.code || ""),
  );
  const helpBox = html(
    "div",
    { class: "rv-sheet rv-help", hidden: true },
    helpList("Keys", ALIGN_KEYS),
    helpList("Marks", ALIGN_MARKS),
  );
  const code = opening("show code", codeBox, "the lines that reproduce this in a notebook");
  const help = opening("? keys", helpBox, "keys and marks");
  const bar = html(
    "div",
    { class: "rv-tools" },
    said,
    view.host.trigger
      ? quietButton("copy link", () => copy(linkTo(view), tell, "link copied"), "a link to exactly this cell")
      : null,
    view.payload.code ? code.button : null,
    quietButton("CSV", () => text("csv", "text/csv", csv(contextTable(view))), "every context of every cell as a row"),
    quietButton("JSON", () => text("json", "application/json", JSON.stringify(view.payload)), "the data of this view"),
    quietButton("SVG", () => saveSvg(wholePicture(view), `${file()}.svg`), "alignments and grids as SVG"),
    quietButton("PNG", () => savePng(wholePicture(view), `${file()}.png`), "alignments and grids as PNG"),
    help.button,
  );
  return { node: html("div", {}, bar, codeBox, helpBox), layout() {}, paint() {}, highlight() {}, help: help.flip };
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

// Pictures and grids of all runs below each other, as one SVG that needs no style sheet.
function wholePicture(view) {
  const drawings = view.runs.flatMap((run, r) =>
    [view.parts["pictures" + r].drawing, view.parts["grids" + r].drawing].map((drawing) => [run, drawing]),
  );
  const sizes = drawings.map(([, drawing]) => ["width", "height"].map((name) => Number(drawing.getAttribute(name))));
  const width = Math.max(...sizes.map(([wide]) => wide));
  const picture = svg("svg", { xmlns: SVG_SPACE, width, height: sizes.reduce((sum, [, high]) => sum + high + 26, 36) });
  picture.append(
    svg("rect", {
      width: "100%",
      height: "100%",
      fill: plainColor(getComputedStyle(view.root).getPropertyValue("--rv-bg").trim() || "white"),
    }),
    wordDrawing(`${view.payload.phones.join(" ")} · ${view.payload.title}`, view.parts.told.node, 10, 22),
  );
  let y = 36;
  drawings.forEach(([run, drawing], k) => {
    picture.append(
      wordDrawing(`${run.mark} ${run.name}`, view.parts.told.node, 10, y + 16),
      setAttributes(withStyles(drawing), { x: 0, y: y + 22, width: sizes[k][0], height: sizes[k][1] }),
    );
    y += sizes[k][1] + 26;
  });
  return picture;
}

export function linkTo(view) {
  return linkWith({
    cell: view.cell().join("."),
    route: view.route === "path" ? null : view.route,
    asked: view.asked === "model" ? null : view.asked,
  });
}
