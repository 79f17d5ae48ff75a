// A row of cells to draw letters in. Strokes are sent to Python when a stroke ends; Python sends back what became of
// them.

import { html, setAttributes, setText, svg, toggle } from "../shared/dom.js";
import { makeMount } from "../shared/view.js";

const CELL = { width: 84, height: 132 }; // pixels at full size; a letter's own coordinates run from 0 to 1 both ways

function roundPoint([x, y]) {
  const roundCoordinate = (value) => Math.round(Math.min(1, Math.max(0, value)) * 1000) / 1000;
  return [roundCoordinate(x), roundCoordinate(y)];
}

function strokePath(stroke) {
  const points = stroke.map(([x, y]) => `${(x * CELL.width).toFixed(1)} ${(y * CELL.height).toFixed(1)}`);
  return "M" + points.join("L") + (points.length === 1 ? "l.1 0" : "");
}

function makePad(root, data, host) {
  const pad = {
    root,
    host,
    letters: data.letters.length ? data.letters : [[]],
    images: data.images,
    history: [],
    current: 0,
  };
  pad.row = html("div", { class: "rv-pad-row" });
  pad.help = html("p", { class: "rv-pad-help" });
  const button = (text, act, title) =>
    html("button", { type: "button", class: "rv-pad-button", title, onclick: act }, text);
  const tools = html(
    "div",
    { class: "rv-pad-tools" },
    button("add letter", () => addLetter(pad), "a cell more"),
    button("undo stroke", () => undoStroke(pad), "take the last stroke back"),
    button("erase letter", () => eraseLetter(pad), "empty the cell drawn in last"),
    button("remove letter", () => removeLetter(pad), "take the cell drawn in last away"),
    button("clear", () => clearPad(pad), "start again"),
  );
  root.replaceChildren(pad.row, tools, pad.help);
  drawPad(pad);
  return pad;
}

function drawPad(pad) {
  pad.row.replaceChildren(...pad.letters.map((_, k) => letterCell(pad, k)));
  const written = pad.letters.filter((letter) => letter.length).length;
  setText(
    pad.help,
    written
      ? `${written} letter${written === 1 ? "" : "s"} written; one letter per cell.`
      : "Write one letter per cell, with the mouse or a finger.",
  );
  setAttributes(pad.root, { "data-ready": "true", "data-letters": pad.letters.length, "data-written": written });
}

function letterCell(pad, k) {
  const paths = pad.letters[k].map((stroke) => svg("path", { class: "rv-pad-stroke", d: strokePath(stroke) }));
  const cell = svg(
    "svg",
    {
      class: "rv-pad-cell",
      viewBox: `0 0 ${CELL.width} ${CELL.height}`,
      role: "img",
      "aria-label": `letter ${k + 1}, ${paths.length} strokes`,
      "data-cell": k,
    },
    svg("line", { class: "rv-pad-guide", x1: 6, x2: CELL.width - 6, y1: CELL.height * 0.75, y2: CELL.height * 0.75 }),
    paths,
  );
  toggle(cell, "rv-now", k === pad.current);
  drawingBy(pad, cell, k);
  // A letter without ink has no raster, so rasters count the written ones.
  const written = pad.letters.slice(0, k).filter((letter) => letter.length).length;
  const image = pad.letters[k].length && pad.images ? pad.images[written] : null;
  return html(
    "div",
    { class: "rv-pad-letter" },
    cell,
    html("div", { class: "rv-pad-raster" }, image ? rasterPath(image) : null),
  );
}

function rasterPath(rows) {
  const d = rows.map((row, v) => [...row].map((on, u) => (on === "1" ? `M${u} ${v}h1v1h-1z` : "")).join("")).join("");
  return svg(
    "svg",
    {
      viewBox: `0 0 ${rows[0].length} ${rows.length}`,
      width: rows[0].length * 4,
      height: rows.length * 4,
      role: "img",
      "aria-label": "what the reader sees",
    },
    svg("path", { d, "shape-rendering": "crispEdges" }),
  );
}

function drawingBy(pad, cell, k) {
  let stroke = null;
  let path = null;
  const at = (event) => {
    const box = cell.getBoundingClientRect();
    return roundPoint([(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height]);
  };
  cell.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    event.preventDefault();
    cell.setPointerCapture(event.pointerId);
    pad.current = k;
    pad.drawing = true;
    stroke = [at(event)];
    path = svg("path", { class: "rv-pad-stroke", d: strokePath(stroke) });
    cell.append(path);
  });
  cell.addEventListener("pointermove", (event) => {
    if (!stroke) return;
    const point = at(event);
    const [x, y] = stroke[stroke.length - 1];
    if (Math.hypot(point[0] - x, point[1] - y) < 0.012) return; // about a pixel: slower movement adds nothing
    stroke.push(point);
    setAttributes(path, { d: strokePath(stroke) });
  });
  const end = () => {
    if (!stroke) return;
    const finished = stroke;
    stroke = null;
    pad.drawing = false;
    change(pad, () => pad.letters[k].push(finished));
  };
  cell.addEventListener("pointerup", end);
  cell.addEventListener("pointercancel", end);
}

function change(pad, act) {
  pad.history.push(JSON.stringify([pad.letters, pad.current]));
  act();
  sendStrokes(pad);
}

// Whatever was drawn since, the rasters on the screen are of other strokes: they go until Python answers.
function sendStrokes(pad) {
  pad.images = null;
  drawPad(pad);
  pad.said = pad.letters.filter((letter) => letter.length);
  pad.host.setState("strokes", pad.said);
}

function addLetter(pad) {
  pad.letters.push([]);
  pad.current = pad.letters.length - 1;
  drawPad(pad);
}

function undoStroke(pad) {
  if (!pad.history.length) return;
  [pad.letters, pad.current] = JSON.parse(pad.history.pop());
  sendStrokes(pad);
}

function eraseLetter(pad) {
  change(pad, () => {
    pad.letters[pad.current] = [];
  });
}

function removeLetter(pad) {
  change(pad, () => {
    pad.letters.splice(pad.current, 1);
    if (!pad.letters.length) pad.letters.push([]);
    pad.current = Math.min(pad.current, pad.letters.length - 1);
  });
}

function clearPad(pad) {
  change(pad, () => {
    pad.letters = [[]];
    pad.current = 0;
  });
}

// Python answers with rasters; it speaks of the strokes only where they are not the ones it was sent. An answer to an
// older stroke must not replace the cell under the pen: the end of that stroke redraws the pad, and asks again.
function updatePad(pad, data) {
  if (pad.drawing) return;
  const known = JSON.stringify(pad.letters.filter((letter) => letter.length));
  const sent = JSON.stringify(data.letters);
  if (data.letters.length && sent !== known && !pad.said) pad.letters = data.letters;
  const count = pad.letters.filter((letter) => letter.length).length;
  pad.images = data.images && data.images.length === count ? data.images : null;
  drawPad(pad);
}

export default makeMount("rv-pad", makePad, updatePad);
