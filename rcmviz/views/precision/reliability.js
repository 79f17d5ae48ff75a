// The reliability diagram: is a method as often right as it is sure?

import { axisText, heightAxis, linePath, plotOf, scaleOf, widthAxis } from "../shared/chart.js";
import { html, setAttributes, svg } from "../shared/dom.js";
import { stretched } from "../shared/figures.js";
import { markShape } from "../shared/methods.js";
import { countText, massText, ninesText } from "../shared/numbers.js";
import { panel, segmented } from "../shared/parts.js";

const DIAGRAM = { left: 60, right: 22, top: 10, bottom: 40 };
const HEIGHT = 260;
const QUARTERS = [0, 0.25, 0.5, 0.75, 1];

export function makeReliability(view) {
  const bins = segmented(
    "bins",
    [
      ["mass", "equal mass"],
      ["width", "equal width"],
    ],
    () => view.place.bins,
    (kind) => view.move({ bins: kind }),
  );
  const { node, body } = panel("Is confidence equal to accuracy?", "rv-reliability", bins.node);
  const drawing = svg("svg", {
    class: "rv-drawing",
    role: "img",
    height: HEIGHT,
  });
  const note = html("p", { class: "rv-more" });
  body.append(drawing, note);

  function layout() {
    bins.paint();
    const width = Math.max(220, Math.min(460, body.clientWidth - 16));
    const height = stretched(drawing, HEIGHT);
    const plot = plotOf({ width, height }, DIAGRAM);
    const x = scaleOf([0, 1], [plot.left, plot.right]);
    const y = scaleOf([0, 1], [plot.bottom, plot.top]);
    setAttributes(drawing, {
      width,
      height,
      "aria-label": view.methods
        .map((method) => `${method.name}: calibration error ${errorText(view, method)}`)
        .join("; "),
    });
    drawing.replaceChildren(
      diagramAxes(plot, x, y),
      ...view.methods.map((method) => binsOf(method.reliability[view.place.bins], method, x, y)),
    );
    note.replaceChildren(
      ...view.methods.map((method) =>
        html(
          "span",
          { class: method.className },
          html("b", { class: "rv-method" }, `${method.mark} ${method.name} `),
          `off by ${errorText(view, method)} on average`,
        ),
      ),
    );
  }

  return { node, layout, paint() {} };
}

function errorText(view, method) {
  return massText(method.reliability[view.place.bins].error);
}

function diagramAxes(plot, x, y) {
  const percent = (p) => `${100 * p} %`;
  return svg(
    "g",
    { "aria-hidden": "true" },
    heightAxis(plot, y, QUARTERS, percent),
    widthAxis(plot, x, QUARTERS, percent, 17),
    svg("line", { class: "rv-target", x1: x(0), x2: x(1), y1: y(0), y2: y(1) }),
    axisText("mean confidence of a bin", { x: x(0.5), y: y(0) + 34, "text-anchor": "middle" }),
    axisText("share that is right", { transform: `translate(13 ${y(0.5)}) rotate(-90)`, "text-anchor": "middle" }),
    axisText("too timid", { x: x(0.04), y: y(0.91) }),
    axisText("too bold", { x: x(0.96), y: y(0.05), "text-anchor": "end" }),
  );
}

// Above the diagonal a method is right more often than its confidence.
function binsOf(table, method, x, y) {
  const points = table.confidence.map((sure, k) => [x(sure), y(table.accuracy[k])]);
  const binText = (k) =>
    `${method.name}: ${countText(table.count[k])} with confidence ${ninesText(table.low[k])} to ` +
    `${ninesText(table.high[k])}, ${ninesText(table.accuracy[k])} right`;
  return svg(
    "g",
    { class: method.className },
    svg("path", {
      class: "rv-curve rv-thin",
      d: linePath(points),
      "stroke-dasharray": method.dash,
    }),
    points.map(([px, py], k) =>
      svg(
        "path",
        { class: "rv-handle rv-small", d: markShape(method.mark), transform: `translate(${px} ${py}) scale(.75)` },
        svg("title", {}, binText(k)),
      ),
    ),
  );
}
