// @ts-check
// Letters as pixels.

import { svg } from "./dom.js";

/** @type {(rows: string[], middle: number, top: number, height: number) => SVGGElement} */
export function pixels(rows, middle, top, height) {
  const step = height / rows.length;
  const left = middle - (rows[0].length * step) / 2;
  const d = rows
    .map((row, v) =>
      [...row]
        .map((on, u) =>
          on === "1" ? `M${(left + u * step).toFixed(2)} ${(top + v * step).toFixed(2)}h${step}v${step}h${-step}z` : "",
        )
        .join(""),
    )
    .join("");
  return svg(
    "g",
    {},
    svg("rect", {
      class: "rv-paper",
      x: left - 2,
      y: top - 2,
      width: rows[0].length * step + 4,
      height: height + 4,
      rx: 3,
    }),
    svg("path", { class: "rv-ink", d, "shape-rendering": "crispEdges" }),
  );
}
