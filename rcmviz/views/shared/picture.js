// @ts-check
// Drawings as SVG and PNG files that need no style sheet.

import { SVG_SPACE, html, setAttributes, svg } from "./dom.js";
import { save } from "./download.js";
import { groundColor, plainColor } from "./theme.js";

const INLINED = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-opacity",
  "stroke-width",
  "stroke-dasharray",
  "paint-order",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "display",
  "width",
  "transform",
  "text-decoration",
  "vector-effect",
  "visibility",
];

const [LINE, NAME, GAP] = [20, 26, 10]; // pixels of a line of text, of a name above a drawing, between drawings
const NARROWEST = 420; // pixels

// A picture on the page's background.
/** @type {(view: View, width: number, height: number, ...children: Children) => SVGSVGElement} */
export function pictureOf(view, width, height, ...children) {
  const ground = svg("rect", { width: "100%", height: "100%", fill: groundColor(view.root) });
  return svg("svg", { xmlns: SVG_SPACE, width, height }, ground, ...children);
}

/** @type {(drawing: Element) => [number, number]} */
export function sizeOf(drawing) {
  return [Number(drawing.getAttribute("width")), Number(drawing.getAttribute("height"))];
}

// A copy of a drawing at its place in a picture.
/** @type {<E extends Element>(drawing: E, x: number, y: number, more?: Attributes) => E} */
export function placed(drawing, x, y, more = {}) {
  const [width, height] = sizeOf(drawing);
  return setAttributes(withStyles(drawing), { x, y, width, height, ...more });
}

// Drawings below each other under lines of text; a drawing may be [drawing, its name], a line [text, its colour].
/** @type {(view: View, lines: Line[], drawings: Drawing[]) => SVGSVGElement} */
export function pictureBelow(view, lines, drawings) {
  const named = drawings.map(pairOf);
  // Faces of drawing programs are wider than ours.
  const width = Math.max(NARROWEST, ...named.map(([drawing]) => sizeOf(drawing)[0] + 60));
  const written = lines.flatMap((line) => {
    const [text, fill] = pairOf(line);
    return wrapped(text, Math.floor((width - 20) / 8)).map((part) => ({ part, fill }));
  });
  const words = written.map(({ part, fill }, k) => {
    const drawn = wordDrawing(part, view.root, 10, LINE * k + 22);
    return fill ? setAttributes(drawn, { fill }) : drawn;
  });
  let y = LINE * written.length + 12;
  const copies = named.flatMap(([drawing, name]) => {
    y += name ? NAME : GAP;
    const at = y;
    y += sizeOf(drawing)[1];
    return [...(name ? [wordDrawing(name, view.root, 10, at - 6)] : []), placed(drawing, 0, at)];
  });
  return pictureOf(view, width, y + GAP, ...words, ...copies);
}

/** @type {<T>(one: T | [T, string?]) => [T, string?]} */
const pairOf = (one) => (Array.isArray(one) ? one : [one]);

// Breaks a text into lines of at most `most` characters, between words.
/** @type {(text: string, most: number) => string[]} */
export function wrapped(text, most) {
  return text.match(new RegExp(`.{1,${most}}(?:\\s|$)|\\S+`, "g")) ?? [];
}

// A line of text in the font of a node.
/** @type {(text: string, like: Element, x: number, y: number) => SVGTextElement} */
export function wordDrawing(text, like, x, y) {
  const style = getComputedStyle(like);
  return svg(
    "text",
    {
      x,
      y,
      fill: plainColor(style.color),
      "font-family": style.fontFamily,
      "font-size": style.fontSize,
      "font-weight": style.fontWeight,
    },
    text,
  );
}

/** @type {<E extends Element>(drawing: E) => E} */
export function withStyles(drawing) {
  const clone = /** @type {typeof drawing} */ (drawing.cloneNode(true));
  const originals = [drawing, ...drawing.querySelectorAll("*")];
  const copies = [clone, ...clone.querySelectorAll("*")];
  originals.forEach((original, k) => {
    const style = getComputedStyle(original);
    const text = INLINED.map((name) => [name, style.getPropertyValue(name)])
      .filter(([name, value]) => value && value !== "auto" && !(k === 0 && name === "width"))
      .map(([name, value]) => `${name}:${plainColor(value)}`)
      .join(";");
    copies[k].setAttribute("style", text);
    copies[k].removeAttribute("class");
  });
  return clone;
}

/** @type {(picture: Element, name: string) => void} */
export function saveSvg(picture, name) {
  save(new Blob([new XMLSerializer().serializeToString(picture)], { type: "image/svg+xml" }), name);
}

const LARGEST = 16_000; // pixels along a side of a canvas that every browser supports

/** @type {(picture: Element, name: string) => void} */
export function savePng(picture, name) {
  const [width, height] = [picture.getAttribute("width"), picture.getAttribute("height")].map(Number);
  const image = new Image();
  image.onload = () => {
    const fine = Math.min(2, LARGEST / Math.max(width, height));
    const canvas = html("canvas", { width: Math.floor(width * fine), height: Math.floor(height * fine) });
    const pen = canvas.getContext("2d");
    pen?.scale(fine, fine);
    pen?.drawImage(image, 0, 0, width, height);
    canvas.toBlob((blob) => blob && save(blob, name), "image/png");
  };
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(new XMLSerializer().serializeToString(picture));
}
