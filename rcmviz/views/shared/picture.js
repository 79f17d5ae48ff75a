// Drawings as SVG and PNG files that need no style sheet.

import { html, svg } from "./dom.js";
import { save } from "./download.js";
import { plainColor } from "./theme.js";

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
];

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

export function withStyles(drawing) {
  const clone = drawing.cloneNode(true);
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

export function saveSvg(picture, name) {
  save(new Blob([new XMLSerializer().serializeToString(picture)], { type: "image/svg+xml" }), name);
}

export function savePng(picture, name) {
  const [width, height] = [picture.getAttribute("width"), picture.getAttribute("height")].map(Number);
  const image = new Image();
  image.onload = () => {
    const canvas = html("canvas", { width: width * 2, height: height * 2 });
    const pen = canvas.getContext("2d");
    pen.scale(2, 2);
    pen.drawImage(image, 0, 0, width, height);
    canvas.toBlob((blob) => save(blob, name), "image/png");
  };
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(new XMLSerializer().serializeToString(picture));
}
