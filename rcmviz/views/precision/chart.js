// The chart of precision (or risk) against the share answered, with a handle per method, and the reliability diagram.

import { dragged } from "../shared/chart.js";
import { html, setAttributes, setText, svg, toggle } from "../shared/dom.js";
import { MARK_SHAPES } from "../shared/methods.js";
import { termsOf } from "../shared/names.js";
import { percentText } from "../shared/numbers.js";
import { panel, segmented } from "../shared/parts.js";
import { RULES, TARGET, ceilingOf, spoken } from "./rules.js";
import { NARROW } from "../shared/view.js";

const CHART = { height: 380, head: 54, left: 52, right: 24, top: 16, bottom: 42 };
let charts = 0; // a page may hold several: clip paths need names of their own

export function makeChart(view) {
  const name = `rv-clip-${(charts += 1)}`;
  const curve = segmented(
    "what the chart shows",
    [
      ["precision", "precision"],
      ["risk", "risk"],
    ],
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
  dragging(view, drawing, () => scale);
  let scale = null;
  let moving = null;

  function layout() {
    curve.paint();
    setAttributes(band, { "aria-pressed": view.place.band });
    setText(
      heading,
      view.place.curve === "risk" ? "How much of what is answered is wrong" : "How much of what is answered is right",
    );
    scale = chartScale(view, body.clientWidth - 16);
    setAttributes(drawing, { width: scale.width, height: scale.height });
    const inside = svg(
      "clipPath",
      { id: name },
      svg("rect", {
        x: scale.x(0),
        y: CHART.top - 8,
        width: scale.x(1) - scale.x(0) + 8,
        height: scale.bottom - CHART.top + 12,
      }),
    );
    const cuts = view.methods.map((_, m) =>
      svg("clipPath", { id: `${name}-${m}` }, svg("rect", { x: scale.x(0), y: 0, height: scale.height })),
    );
    moving = makeHandles(view, scale);
    drawing.replaceChildren(
      svg("defs", {}, inside, cuts),
      chartAxes(view, scale),
      svg(
        "g",
        { "clip-path": `url(#${name})` },
        view.place.band ? view.methods.map((method, m) => bandShape(method, scale, m === view.place.focus)) : [],
        view.methods.map((method, m) => curveLines(view, method, scale, `${name}-${m}`)),
      ),
      svg("g", {}, ceilings(view, scale)),
      moving.node,
    );
    moving.cuts = cuts.map((cut) => cut.firstChild);
  }

  function paint() {
    moving.paint();
    setAttributes(drawing, { "aria-label": spoken(view) });
  }

  return { node, layout, paint, drawing };
}

function chartScale(view, width) {
  const beside = view.width < NARROW ? 0 : view.parts.cards.node.offsetHeight - CHART.head;
  const height = Math.max(CHART.height, beside);
  const [right, bottom] = [Math.max(200, width) - CHART.right, height - CHART.bottom];
  const unit = (bottom - CHART.top) / (1 - view.low);
  const risk = view.place.curve === "risk";
  return {
    width: right + CHART.right,
    height,
    risk,
    bottom,
    x: (share) => CHART.left + share * (right - CHART.left),
    y: (precision) => (risk ? bottom - (1 - precision) * unit : CHART.top + (1 - precision) * unit),
    share: (x) => Math.min(1, Math.max(0, (x - CHART.left) / (right - CHART.left))),
    precision: (y) => Math.min(1, Math.max(view.low, 1 - (risk ? bottom - y : y - CHART.top) / unit)),
  };
}

function chartAxes(view, scale) {
  const step = 1 - view.low > 0.3 ? 0.1 : 1 - view.low > 0.12 ? 0.05 : 0.02;
  const across = Array.from({ length: Math.floor((1 - view.low) / step + 1e-9) + 1 }, (_, k) => 1 - k * step);
  const along = view.width < NARROW ? [0, 0.25, 0.5, 0.75, 1] : [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
  const text = (label, attributes) => svg("text", { class: "rv-axis", ...attributes }, label);
  const shown = (precision) => `${Math.round(100 * (scale.risk ? 1 - precision : precision))} %`;
  return svg(
    "g",
    { "aria-hidden": "true" },
    across
      .map((p) => [
        svg("line", { class: "rv-grid", x1: scale.x(0), x2: scale.x(1), y1: scale.y(p), y2: scale.y(p) }),
        text(shown(p), { x: CHART.left - 8, y: scale.y(p) + 4, "text-anchor": "end" }),
      ])
      .flat(),
    along.map((share) =>
      text(`${Math.round(100 * share)} %`, { x: scale.x(share), y: scale.bottom + 18, "text-anchor": "middle" }),
    ),
    svg("line", { class: "rv-target", x1: scale.x(0), x2: scale.x(1), y1: scale.y(TARGET), y2: scale.y(TARGET) }),
    text(scale.risk ? "1 % wrong" : "99 % right", {
      x: scale.x(1),
      y: scale.y(TARGET) - 4,
      "text-anchor": "end",
      class: "rv-axis rv-halo",
    }),
    text("share of the words answered, the surest first".replace("words", termsOf(view).output + "s"), {
      x: (scale.x(0) + scale.x(1)) / 2,
      y: scale.height - 6,
      "text-anchor": "middle",
    }),
  );
}

function pathOf(points, scale) {
  return (
    "M" + points.map(([share, precision]) => `${scale.x(share).toFixed(1)} ${scale.y(precision).toFixed(1)}`).join("L")
  );
}

// The part that is answered is strong, what is refused pale.
function curveLines(view, method, scale, clip) {
  const d = pathOf(
    method.answered.map((answered, k) => [answered / view.N, method.right[k] / answered]),
    scale,
  );
  return svg(
    "g",
    { class: method.className },
    svg("path", { class: "rv-curve rv-refused", d, "stroke-dasharray": method.dash }),
    svg("path", { class: "rv-curve", d, "clip-path": `url(#${clip})`, "stroke-dasharray": method.dash }),
  );
}

function bandShape(method, scale, inFocus) {
  const { share, low, high } = method.band;
  const around = [...share.map((x, k) => [x, high[k]]), ...share.map((x, k) => [x, low[k]]).reverse()];
  return svg(
    "g",
    { class: method.className },
    svg("path", { class: "rv-band-shape" + (inFocus ? " rv-now" : ""), d: pathOf(around, scale) + "z" }),
  );
}

// A method that stays below 99 %, and below what another one reaches, however much it refuses: where its ceiling is.
function ceilings(view, scale) {
  const highest = Math.max(...view.methods.map((method) => ceilingOf(method).precision));
  const low = view.methods.filter((method) => ceilingOf(method).precision < Math.min(TARGET, highest - 0.002));
  return low.map((method, k) => {
    const { precision } = ceilingOf(method);
    const y = scale.y(precision);
    // no curve comes there
    const told = { x: scale.x(0) + 10, y: scale.risk ? CHART.top + 8 + 18 * k : scale.bottom - 10 - 18 * k };
    return svg(
      "g",
      { class: method.className, "aria-hidden": "true" },
      svg("line", { class: "rv-ceiling", x1: scale.x(0), x2: scale.x(1), y1: y, y2: y }),
      svg(
        "text",
        { class: "rv-method rv-halo", ...told },
        `${method.mark} ⋯ ${method.name}: never past ${percentText(precision)}`,
      ),
    );
  });
}

function makeHandles(view, scale) {
  const line = svg("line", { class: "rv-rule" });
  const handles = view.methods.map((method) =>
    svg("path", { class: "rv-handle " + method.className, d: MARK_SHAPES[method.mark] }),
  );
  const drops = view.methods.map((method) => svg("line", { class: "rv-drop " + method.className, y2: scale.bottom }));
  const moving = { node: svg("g", { "aria-hidden": "true" }, line, drops, handles), paint: () => {}, cuts: [] };
  moving.paint = () => {
    const { by, at } = view.place;
    const across = by === "precision";
    setAttributes(
      line,
      across
        ? { x1: scale.x(0), x2: scale.x(1), y1: scale.y(at), y2: scale.y(at) }
        : { x1: scale.x(at), x2: scale.x(at), y1: CHART.top, y2: scale.bottom },
    );
    line.style.display = by === "confidence" ? "none" : "";
    view.standings.forEach(({ share, precision, cut }, m) => {
      const [x, y] = [scale.x(share), scale.y(precision ?? 1)];
      handles[m].setAttribute("transform", `translate(${x} ${Math.min(Math.max(y, CHART.top), scale.bottom)})`);
      toggle(handles[m], "rv-none", cut < 0);
      setAttributes(drops[m], { x1: x, x2: x, y1: y });
      toggle(drops[m], "rv-now", m === view.place.focus && cut >= 0);
      setAttributes(moving.cuts[m], { width: Math.max(0, x - scale.x(0)) });
    });
  };
  return moving;
}

// Press or drag in the chart: the slider's value is what the pointer is at.
function dragging(view, drawing, scaleNow) {
  const follow = (event) => {
    const box = drawing.getBoundingClientRect();
    const scale = scaleNow();
    const share = scale.share(event.clientX - box.left);
    const method = view.methods[view.place.focus];
    const { by } = view.place;
    if (by === "share") view.slide(share);
    else if (by === "precision") view.slide(scale.precision(event.clientY - box.top));
    else view.slide(method.threshold[Math.max(0, RULES.share.cut(method, share))]);
  };
  dragged(drawing, follow);
}
