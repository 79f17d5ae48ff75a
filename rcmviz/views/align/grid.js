// The grid of cells, phones by letters: as dark as an edge is probable, with the best alignment framed.

import { alignmentOf, edgesOf, keyOf, countShownLetters, meantBelow } from "./edges.js";
import { panelWidth } from "./picture.js";
import { html, setAttributes, svg } from "../shared/dom.js";
import { visible } from "../shared/names.js";
import { massText } from "../shared/numbers.js";
import { panel, shadeLegend } from "../shared/parts.js";
import { bringIntoSight } from "../shared/sight.js";

const GRID = { left: 44, top: 26, most: 40, least: 20 };

export function makeGrid(view, run) {
  const drawing = svg("svg", { class: "rv-drawing rv-align-grid", role: "img" });
  const box = panel(
    `${run.mark} ${run.name}: mass of every cell`,
    "rv-align-grid-panel " + run.className,
    shadeLegend("rv-align-shade", shadeOf),
  );
  const frame = html(
    "div",
    { class: "rv-heat-frame", tabindex: "0", role: "group", "aria-label": `cells of ${run.name}` },
    drawing,
  );
  setAttributes(box.node, { "data-run": view.runs.indexOf(run) });
  box.body.append(frame);
  const still = svg("g");
  const mark = svg("rect", { class: "rv-align-mark", rx: 3 });
  drawing.append(still, mark);
  let size = GRID.most;

  function layout() {
    const columns = columnsShown(view, run);
    size = Math.max(GRID.least, Math.min(GRID.most, (panelWidth(view) - GRID.left - 28) / columns));
    const [width, height] = [GRID.left + size * columns + 4, GRID.top + size * view.payload.phones.length + 4];
    setAttributes(drawing, { width, height, "aria-label": `${run.name}: probability of an edge by phone and letter` });
    still.replaceChildren(
      ...headsOf(view, run, columns, size),
      ...massesOf(view, run, columns, size),
      ...routesOf(view, run, size),
    );
  }

  function paint() {
    const [a, i] = view.cell();
    bringIntoSight(frame, GRID.left + (i - 0.5) * size);
    setAttributes(mark, {
      x: GRID.left + (i - 1) * size + 1,
      y: GRID.top + (a - 1) * size + 1,
      width: size - 2,
      height: size - 2,
    });
  }

  return { node: box.node, layout, paint, highlight() {}, drawing };
}

// The root, so that small masses stay visible next to large ones.
function shadeOf(p) {
  return Math.sqrt(p).toFixed(3);
}

function columnsShown(view, run) {
  const reached = run.cells.map((cell) => cell.i);
  const counts = view.runs.map((other) => countShownLetters(view, other));
  const farthest = Math.max(...counts, view.payload.meant?.length ?? 0);
  return Math.min(Math.max(1, ...reached, farthest), view.route === "all" ? view.payload.most : farthest + 2);
}

function headsOf(view, run, columns, size) {
  const best = alignmentOf(view, run);
  const heads = Array.from({ length: columns }, (_, i) =>
    svg(
      "text",
      {
        class: best?.text[i] ? "rv-name" : "rv-axis",
        x: GRID.left + (i + 0.5) * size,
        y: GRID.top - 8,
        "text-anchor": "middle",
      },
      visible(best?.text[i]) ?? String(i + 1),
    ),
  );
  return [
    ...heads,
    ...view.payload.phones.map((phone, a) =>
      svg(
        "text",
        { class: "rv-name", x: GRID.left - 8, y: GRID.top + (a + 0.5) * size + 4, "text-anchor": "end" },
        phone,
      ),
    ),
  ];
}

function massesOf(view, run, columns, size) {
  const edges = edgesOf(view, run);
  return view.payload.phones.flatMap((phone, a) =>
    Array.from({ length: columns }, (_, i) => {
      const p = edges[a]?.[i] ?? 0;
      const reached = run.at.has(keyOf(a + 1, i + 1));
      const [x, y] = [GRID.left + i * size, GRID.top + a * size];
      return svg(
        "g",
        {
          class: "rv-align-cell" + (reached ? "" : " rv-unreached"),
          "data-point": `cell ${a + 1}.${i + 1}`,
          onclick: reached ? () => view.goToCell([a + 1, i + 1]) : null,
        },
        svg("rect", { class: "rv-align-ground", x: x + 1, y: y + 1, width: size - 2, height: size - 2, rx: 3 }),
        svg("rect", {
          class: "rv-align-shade",
          x: x + 1,
          y: y + 1,
          width: size - 2,
          height: size - 2,
          rx: 3,
          "fill-opacity": shadeOf(p),
        }),
        svg("title", {}, `${phone} and letter ${i + 1}: ${massText(p)}`),
        size >= 32 && p >= 0.005
          ? svg(
              "text",
              {
                class: "rv-align-number" + (p > 0.75 ? " rv-on-shade" : p > 0.38 ? " rv-on-half" : ""),
                x: x + size / 2,
                y: y + size / 2 + 4,
                "text-anchor": "middle",
              },
              massText(p),
            )
          : null,
      );
    }),
  );
}

// The cells of the best alignment are framed, those of the meant spelling where that is another one with dashes.
function routesOf(view, run, size) {
  const frames = (alignment, name) =>
    (alignment?.edges ?? []).map(([a, i]) =>
      svg("rect", {
        class: name,
        x: GRID.left + i * size + 1.5,
        y: GRID.top + a * size + 1.5,
        width: size - 3,
        height: size - 3,
        rx: 3,
      }),
    );
  const meant = meantBelow(view, run) ? run.gold : null;
  return [...frames(alignmentOf(view, run), "rv-align-route"), ...frames(meant, "rv-align-route rv-gold-route")];
}
