// @ts-check
// The colours of the page, and whether its background is light or dark.

import { html, setAttributes } from "./dom.js";

// Mixed colours are reported as color(srgb …), which drawing programs do not read.
/** @type {(value: string) => string} */
export function plainColor(value) {
  return value.replace(
    /color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)(?: \/ ([\d.e-]+))?\)/g,
    (_, r, g, b, alpha) => `rgba(${[r, g, b].map((part) => Math.round(part * 255)).join(",")},${alpha || 1})`,
  );
}

// Chooses the palette by the brightness of the background.
/** @type {(view: View) => void} */
export function findTheme(view) {
  const probe = html("span", { class: "rv-probe" });
  view.root.append(probe);
  const [r, g, b] = (plainColor(getComputedStyle(probe).backgroundColor).match(/[\d.]+/g) || [255, 255, 255]).map(
    Number,
  );
  probe.remove();
  setAttributes(view.root, { "data-theme": 0.3 * r + 0.59 * g + 0.11 * b < 128 ? "dark" : "light" });
}

// The background of a view.
/** @type {(root: Element) => string} */
export function groundColor(root) {
  return plainColor(getComputedStyle(root).getPropertyValue("--rv-bg").trim() || "white");
}
