// The chart of precision (or risk) against the share answered, with a handle per method.

import { areaPath, axisText, dragged, heightAxis, linePath, plotOf, scaleOf, widthAxis } from "../shared/chart.js";
import { html, setAttributes, setText, svg, toggle } from "../shared/dom.js";
import { stretched } from "../shared/figures.js";
import { markShape } from "../shared/methods.js";
import { termsOf } from "../shared/names.js";
import { ninesText } from "../shared/numbers.js";
import { panel, segmented } from "../shared/parts.js";
import { RULES, TARGET, ceilingOf, spokenCounts } from "./rules.js";
import { NARROW } from "../shared/view.js";

const CHART = { height: 380, head: 54, left: 52, right: 24, top: 16, bottom: 42 };
let charts = 0; // a page may hold several, each with its own id of the clip path

export function makeChart(view) {
  const name = `rv-clip-${(charts += 1)}`;
  const curve = segmented(
    "what the chart shows",
    ["precision", "risk"],
    () => view.place.curve,
    (kind) => view.move({ curve: kind }),
  );
  const band = html(
    "button",
    {
      type: "button",
      class: "rv-button",
      title: "95 % interval of a bootstrap over the words",
      onclick: () => view.move({ band: !view.place.band }),
    },
    "bootstrap band",
  );
  const { node, body, heading } = panel("", "rv-chart", curve.node, band);
  const drawing = svg("svg", { class: "rv-drawing", role: "img" });
  body.append(drawing);
  followDrags(view, drawing, () => scale);
  let scale = null;
  let moving = null;

  function layout() {
    curve.paint();
    setAttributes(band, { "aria-pressed": view.place.band });
    setText(
      heading,
      view.place.curve === "risk" ? "Share of answers that are wrong" : "Share of answers that are right",
    );
    scale = chartScale(view, body.clientWidth - 16);
    setAttributes(drawing, { width: scale.width, height: scale.height });
    const inside = svg(
      "clipPath",
      { id: name },
      svg("rect", {
        x: scale.plot.left,
        y: CHART.top - 8,
        width: scale.plot.right - scale.plot.left + 8,
        height: scale.plot.bottom - CHART.top + 12,
      }),
    );
    const cuts = view.methods.map((_, m) =>
      svg("clipPath", { id: `${name}-${m}` }, svg("rect", { x: scale.plot.left, y: 0, height: scale.height })),
    );
    const { lines, names } = ceilings(view, scale);
    moving = makeHandles(view, scale, names);
    drawing.replaceChildren(
      svg("defs", {}, inside, cuts),
      chartAxes(view, scale),
      svg(
        "g",
        { "clip-path": `url(#${name})` },
        view.place.band ? view.methods.map((method, m) => bandShape(method, scale, m === view.place.focus)) : [],
        view.methods.map((method, m) => curveLines(view, method, scale, `${name}-${m}`)),
      ),
      svg("g", {}, lines),
      moving.node,
    );
    moving.cuts = cuts.map((cut) => cut.firstChild);
  }

  function paint() {
    moving.paint();
    setAttributes(drawing, { "aria-label": spokenCounts(view) });
  }

  return { node, layout, paint, drawing };
}

// The lowest values leave the plot and are cut off.
function chartScale(view, width) {
  const cardsHeight = view.width < NARROW ? 0 : view.parts.cards.node.offsetHeight - CHART.head;
  const height = Math.max(stretched(view.parts.chart.node, CHART.height), cardsHeight);
  const size = { width: Math.max(200, width), height };
  const plot = plotOf(size, CHART);
  const risk = view.place.curve === "risk";
  const heights = risk ? [plot.top, plot.bottom] : [plot.bottom, plot.top];
  const x = scaleOf([0, 1], [plot.left, plot.right], { leave: true });
  return { ...size, plot, risk, x, y: scaleOf([view.low, 1], heights, { leave: true }) };
}

function chartAxes(view, { plot, risk, height, x, y }) {
  const step = 1 - view.low > 0.3 ? 0.1 : 1 - view.low > 0.12 ? 0.05 : 0.02;
  const heights = Array.from({ length: Math.floor((1 - view.low) / step + 1e-9) + 1 }, (_, k) => 1 - k * step);
  const shares = view.width < NARROW ? [0, 0.25, 0.5, 0.75, 1] : [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
  const wholePercent = (share) => `${Math.round(100 * share)} %`;
  const title = `share of the ${termsOf(view).output}s answered, the surest first`;
  return svg(
    "g",
    { "aria-hidden": "true" },
    heightAxis(plot, y, heights, (precision) => wholePercent(risk ? 1 - precision : precision)),
    widthAxis(plot, x, shares, wholePercent, 18),
    svg("line", { class: "rv-target", x1: plot.left, x2: plot.right, y1: y(TARGET), y2: y(TARGET) }),
    axisText(risk ? "1 % wrong" : "99 % right", {
      x: plot.right,
      y: y(TARGET) - 4,
      "text-anchor": "end",
      class: "rv-axis rv-halo",
    }),
    axisText(title, { x: (plot.left + plot.right) / 2, y: height - 6, "text-anchor": "middle" }),
  );
}

// The answered part is strong, the refused part pale.
function curveLines(view, method, scale, clip) {
  const d = linePath(
    method.answered.map((answered, k) => [scale.x(answered / view.N), scale.y(method.right[k] / answered)]),
  );
  return svg(
    "g",
    { class: method.className, "data-point": `curve ${method.name}` },
    svg("path", { class: "rv-curve rv-refused", d, "stroke-dasharray": method.dash }),
    svg("path", { class: "rv-curve", d, "clip-path": `url(#${clip})`, "stroke-dasharray": method.dash }),
  );
}

function bandShape(method, { x, y }, inFocus) {
  const { share, low, high } = method.band;
  const d = areaPath(share.map((at, k) => [x(at), y(low[k]), y(high[k])]));
  const shape = svg("path", { class: "rv-band-shape" + (inFocus ? " rv-now" : ""), d });
  return svg("g", { class: method.className }, shape);
}

// The ceiling of each method that never reaches 99 %, nor the precision of another method, however much it refuses: a
// line, and the method's name, which nothing covers.
function ceilings(view, { plot, risk, y }) {
  const highest = Math.max(...view.methods.map((method) => ceilingOf(method).precision));
  const low = view.methods.filter((method) => ceilingOf(method).precision < Math.min(TARGET, highest - 0.002));
  const methodGroup = (method, node) => svg("g", { class: method.className, "aria-hidden": "true" }, node);
  const lines = low.map((method) => {
    const at = y(ceilingOf(method).precision);
    return methodGroup(method, svg("line", { class: "rv-ceiling", x1: plot.left, x2: plot.right, y1: at, y2: at }));
  });
  const names = low.map((method, k) => {
    // no curve is drawn there
    const place = { x: plot.left + 10, y: risk ? CHART.top + 8 + 18 * k : plot.bottom - 10 - 18 * k };
    const text = `${method.mark} ⋯ ${method.name}: never past ${ninesText(ceilingOf(method).precision)}`;
    return methodGroup(method, svg("text", { class: "rv-method rv-halo rv-ceiling-name", ...place }, text));
  });
  return { lines, names };
}

function makeHandles(view, { plot, x, y }, names) {
  const line = svg("line", { class: "rv-rule" });
  const handles = view.methods.map((method) =>
    svg("path", { class: "rv-handle " + method.className, d: markShape(method.mark) }),
  );
  const drops = view.methods.map((method) => svg("line", { class: "rv-drop " + method.className, y2: plot.bottom }));
  const moving = { node: svg("g", { "aria-hidden": "true" }, line, drops, names, handles), paint: () => {}, cuts: [] };
  moving.paint = () => {
    const { by, at } = view.place;
    const across = by === "precision";
    setAttributes(
      line,
      across
        ? { x1: plot.left, x2: plot.right, y1: y(at), y2: y(at) }
        : { x1: x(at), x2: x(at), y1: plot.top, y2: plot.bottom },
    );
    line.style.display = by === "confidence" ? "none" : "";
    view.standings.forEach(({ share, precision, cut }, m) => {
      const [left, top] = [x(share), y(precision ?? 1)];
      handles[m].setAttribute("transform", `translate(${left} ${Math.min(Math.max(top, plot.top), plot.bottom)})`);
      toggle(handles[m], "rv-none", cut < 0);
      setAttributes(drops[m], { x1: left, x2: left, y1: top });
      toggle(drops[m], "rv-now", m === view.place.focus && cut >= 0);
      setAttributes(moving.cuts[m], { width: Math.max(0, left - plot.left) });
    });
  };
  return moving;
}

// Press or drag in the chart: moves the slider to the value under the pointer.
function followDrags(view, drawing, scaleNow) {
  dragged(drawing, ([left, top]) => {
    const { x, y } = scaleNow();
    const share = clampTo(0, x.invert(left), 1);
    const { by, focus } = view.place;
    const method = view.methods[focus];
    if (by === "share") view.slide(share);
    else if (by === "precision") view.slide(clampTo(view.low, y.invert(top), 1));
    else view.slide(method.threshold[Math.max(0, RULES.share.cut(method, share))]);
  });
}

function clampTo(low, value, high) {
  return Math.min(high, Math.max(low, value));
}
