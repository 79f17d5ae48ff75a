// @ts-check
// Colours as the page has them, and whether its ground is light or dark.

import { html, setAttributes } from "./dom.js";

// Mixed colours are reported as color(srgb …), which drawing programs do not read.
/** @type {(value: string) => string} */
export function plainColor(value) {
  return value.replace(
    /color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)(?: \/ ([\d.e-]+))?\)/g,
    (_, r, g, b, alpha) => `rgba(${[r, g, b].map((part) => Math.round(part * 255)).join(",")},${alpha || 1})`,
  );
}

// The theme decides between two palettes by how dark the background is, whoever sets it.
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

// What a view is drawn on.
/** @type {(root: Element) => string} */
export function groundColor(root) {
  return plainColor(getComputedStyle(root).getPropertyValue("--rv-bg").trim() || "white");
}
