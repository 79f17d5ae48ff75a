// What can be taken along from the decipher view: a link, the code, the mapping, the run, the picture; and the help.

import { textOf } from "./message.js";
import { readingOf } from "./passes.js";
import { SVG_SPACE, html, setAttributes, setText, svg } from "../shared/dom.js";
import { copy, csv, save } from "../shared/download.js";
import { codeSheet, helpList, makeSaid, opening, quietButton } from "../shared/export_bar.js";
import { linkWith } from "../shared/links.js";
import { savePng, saveSvg, withStyles, wordDrawing } from "../shared/picture.js";
import { plainColor } from "../shared/theme.js";

const PASS_KEYS = [
  ["← →", "previous, next pass"],
  ["Home End", "first, latest pass"],
  ["space", "play, pause the passes made"],
  ["Esc", "let go of the symbol"],
  ["?", "this help"],
  ["S E A X", "start or pause, one pass, start anew, cancel"],
];
const PASS_MARKS = [
  ["bright", "nine tenths or more of the symbol's occurrences are read so"],
  ["dim", "less sure, or the best text so far that no other round has found yet"],
  ["framed", "pinned: you know it"],
  ["dotted line", "not what the key says"],
  ["■", "share of a symbol's occurrences, by area"],
  ["□", "the truth, where the key is known"],
  ["swaps", "two letters change places while the text gets more probable; ends a round"],
];

export function makeDecipherBar(view) {
  const { said, tell } = makeSaid();
  const file = () => `rcmviz-decipher-pass-${view.position}`;
  const text = (kind, type, content) => save(new Blob([content], { type }), `${file()}.${kind}`);
  const code = html("pre", { class: "rv-code", tabindex: "0" });
  const codeBox = codeSheet(() => view.payload.code, tell, code);
  const helpBox = html(
    "div",
    { class: "rv-sheet rv-help", hidden: true },
    helpList("Keys", PASS_KEYS),
    helpList("Marks", PASS_MARKS),
  );
  const showCode = opening("show code", codeBox, "the lines that read this cipher in a notebook");
  const help = opening("? keys", helpBox, "keys and marks");
  const link = quietButton(
    "copy link",
    () => copy(linkWith({ at: view.position || null }), tell, "link copied"),
    "a link to this pass",
  );
  const bar = html(
    "div",
    { class: "rv-tools" },
    said,
    view.host.trigger ? link : null,
    showCode.button,
    quietButton("CSV", () => text("csv", "text/csv", csv(mappingRows(view))), "the mapping at this pass"),
    quietButton("JSON", () => text("json", "application/json", JSON.stringify(view.payload)), "all passes of the run"),
    quietButton("SVG", () => saveSvg(readPicture(view), `${file()}.svg`), "message, curves and mapping as SVG"),
    quietButton("PNG", () => savePng(readPicture(view), `${file()}.png`), "message, curves and mapping as PNG"),
    help.button,
  );
  return {
    node: html("div", {}, bar, codeBox, helpBox),
    layout: () => setText(code, view.payload.code || ""),
    paint() {},
    highlight() {},
    help: help.flip,
  };
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

// The readings as lines of text, then the curves, then the mappings beside each other; an SVG that needs no style
// sheet.
function readPicture(view) {
  const drawings = [view.parts.charts.drawing, ...view.parts.matrix.drawings];
  const [charts, ...matrices] = drawings.map((drawing) =>
    ["width", "height"].map((name) => Number(drawing.getAttribute(name))),
  );
  const lines = view.methods.flatMap((method) => [
    `${method.mark} ${method.name}, pass ${view.position}`,
    ...wrapped(textOf(view, method), Math.floor(charts[0] / 8)),
  ]);
  const top = 14 + 20 * lines.length;
  const height = top + charts[1] + 10 + Math.max(...matrices.map(([, high]) => high)) + 10;
  const width =
    Math.max(
      charts[0],
      matrices.reduce((sum, [wide]) => sum + wide + 16, 0),
    ) + 20;
  const ground = plainColor(getComputedStyle(view.root).getPropertyValue("--rv-bg").trim() || "white");
  const picture = svg(
    "svg",
    { xmlns: SVG_SPACE, width, height },
    svg("rect", { width: "100%", height: "100%", fill: ground }),
    lines.map((line, k) => wordDrawing(line, view.root, 10, 20 + 20 * k)),
  );
  let x = 10;
  drawings.forEach((drawing, k) => {
    const [wide, high] = k ? matrices[k - 1] : charts;
    picture.append(
      setAttributes(withStyles(drawing), {
        x: k ? x : 10,
        y: k ? top + charts[1] + 10 : top,
        width: wide,
        height: high,
        overflow: "visible",
      }),
    );
    if (k) x += wide + 16;
  });
  return picture;
}

function wrapped(lines, room) {
  return lines.flatMap((line) => line.match(new RegExp(`.{1,${room}}(?:\\s|$)|\\S+`, "g")) ?? []);
}
