// The precision view: how many sequences each method answers at a threshold, how many of them are wrong, and which.
// Python counted (precision.py); here everything is looked up, so the slider asks nobody.

const TARGET = 0.99;

// What the slider means: a scale from its integers to a value and back, and where that value cuts a method's answers.
const RULES = {
  precision: {
    label: "precision at least",
    steps: (view) => Math.round((1 - view.low) * 1000),
    value: (step, view) => view.low + step / 1000,
    step: (value, view) => Math.round((value - view.low) * 1000),
    cut: (method, value) => method.answered.findLastIndex((answered, k) => method.right[k] >= value * answered - 1e-9),
  },
  confidence: {
    label: "confidence at least",
    steps: (view) => 100 * view.nines,
    value: (step) => 1 - 10 ** (-step / 100), // confidences crowd near 1: one nine more is one stretch more
    step: (value) => Math.round(-100 * Math.log10(Math.max(1e-9, 1 - value))),
    cut: (method, value) => method.threshold.findLastIndex((threshold) => threshold >= value),
  },
  share: {
    label: "the surest",
    steps: (view) => view.N,
    value: (step, view) => step / view.N,
    step: (value, view) => Math.round(value * view.N),
    cut: (method, value) => (value <= 0 ? -1 : method.answered.findIndex((answered) => answered >= value * method.order.length - 1e-9)),
  },
};

const OPENING = { by: "precision", at: null, focus: 0, curve: "precision", band: false, bins: "mass", sort: "surest" };
const PROMISES = [0.99, 0.98, 0.95, 0.9, 0.8, 0]; // the view opens at the first that some method keeps for half of all
let left = null; // where this browser left the view: it comes back there from another page

function percentText(share, digits = 1) {
  if (share >= 1) return "100 %";
  const nines = share > 0.99 ? Math.ceil(-Math.log10(1 - share) - 1e-9) - 2 : 0;
  return (100 * share).toFixed(Math.min(7, digits + nines)) + " %";
}

function makeView(root, payload, host) {
  const view = { root, host, place: { ...OPENING, ...(payload.opening || left || {}) }, width: 0, parts: {} };
  giveMethods(view, { load, build, repaint });
  view.move = (change, how = "layout") => {
    Object.assign(view.place, change);
    changed(view, how);
  };
  view.slide = (value) => view.move({ at: value }, "paint");
  return view;
}

function load(view, payload) {
  view.payload = payload;
  view.N = payload.gold.length;
  view.methods = payload.methods.map((method) => ({ ...method }));
  dressMethods(view.methods);
  view.low = lowestPrecision(view);
  const surest = Math.max(...view.methods.map((method) => method.threshold[0]));
  view.nines = Math.min(7, Math.max(2, Math.ceil(-Math.log10(Math.max(1e-9, 1 - surest)))));
  view.place.focus = Math.min(view.place.focus, view.methods.length - 1);
  view.place.at ??= PROMISES.find((promise) => view.methods.some((method) => method.answered[RULES.precision.cut(method, promise)] >= view.N / 2));
  view.tiles = view.methods.map(() => new Map());
}

// The axis begins below the lowest precision that more than a handful of words decide.
function lowestPrecision(view) {
  const points = view.methods.flatMap((method) => method.answered.map((answered, k) => (answered >= 0.05 * view.N ? method.right[k] / answered : 1)));
  return Math.max(0, Math.floor(20 * Math.min(0.95, ...points) - 0.4) / 20);
}

// Where a method stands at the present threshold.
function standing(view, method) {
  const cut = RULES[view.place.by].cut(method, view.place.at);
  const answered = cut < 0 ? 0 : method.answered[cut];
  const right = cut < 0 ? 0 : method.right[cut];
  const all = method.right[method.right.length - 1];
  return { cut, answered, right, wrong: answered - right, refused: view.N - answered, refusedRight: all - right,
    share: answered / view.N, precision: answered ? right / answered : null, threshold: cut < 0 ? null : method.threshold[cut] };
}

// Another meaning of the slider begins where the method in focus stands.
function chooseRule(view, by) {
  const now = standing(view, view.methods[view.place.focus]);
  const at = { share: now.share, confidence: now.threshold ?? 1, precision: Math.max(view.low, now.precision ?? 1) }[by];
  view.move({ by, at });
}

function repaint(view, due) {
  view.standings = view.methods.map((method) => standing(view, method));
  paintParts(view.parts, due);
  const told = (name) => view.standings.map((one) => one[name]).join(",");
  setAttributes(view.root, { "data-by": view.place.by, "data-at": view.place.at, "data-answered": told("answered"),
    "data-wrong": told("wrong"), "data-focus": view.place.focus, "data-ready": "true" });
  left = { ...view.place };
  settleLink(view, linkTo);
}

function linkTo(view) {
  const link = new URL(window.location.href);
  for (const [name, usual] of Object.entries(OPENING)) {
    const value = view.place[name];
    if (value === usual && name !== "by" && name !== "at") link.searchParams.delete(name);
    else link.searchParams.set(name, typeof value === "boolean" ? Number(value) : value); // rounded, a threshold would lose its own word
  }
  return link.href;
}

function build(view) {
  const { parts } = view;
  Object.assign(parts, { slider: makeSlider(view), cards: makeCards(view), chart: makeChart(view), answered: makeWall(view, "answered"),
    refused: makeWall(view, "refused"), reliability: makeReliability(view), numbers: makeNumbers(view), tools: makeBar(view) });
  view.root.replaceChildren(parts.slider.node,
    html("div", { class: "rv-stage rv-curves" }, parts.chart.node, parts.cards.node),
    html("div", { class: "rv-stage rv-walls" }, parts.answered.node, parts.refused.node),
    html("div", { class: "rv-stage rv-measures" }, parts.reliability.node, parts.numbers.node), parts.tools.node);
}

function makeSlider(view) {
  const rule = segmented("what the slider sets", Object.entries(RULES).map(([by, { label }]) => [by, label]), () => view.place.by, (by) => chooseRule(view, by));
  const range = html("input", { type: "range", class: "rv-scrubber", min: 0, step: 1, "aria-label": "threshold",
    oninput: () => view.slide(RULES[view.place.by].value(Number(range.value), view)) });
  const shown = html("output", { class: "rv-at" });
  const node = html("div", { class: "rv-transport" }, rule.node, range, shown);

  function paint() {
    const { by, at } = view.place;
    const steps = RULES[by].steps(view);
    const step = Math.min(steps, Math.max(0, RULES[by].step(at, view)));
    setAttributes(range, { max: steps, "aria-valuetext": `${RULES[by].label} ${percentText(at)}` });
    if (Number(range.value) !== step) range.value = step;
    range.style.setProperty("--rv-done", (100 * step) / steps + "%");
    setText(shown, percentText(at));
    rule.paint();
  }

  return { node, layout() {}, paint };
}

function start(root, payload, host) {
  return begin(makeView(root, payload, host), payload);
}

function update(view, payload) {
  findTheme(view);
  if (payload.id !== view.payload.id) renew(view, payload);
}

const rcmvizPrecision = mounting("rv-player rv-precision", start, update);
export default rcmvizPrecision;
