// What several methods make of one input: a card each, and log Z by budget between the bounds of ARS.

const RACE = { height: 250, left: 58, right: 150, top: 16, bottom: 40 };
const RACE_KINDS = { ars: ["rv-m-other", "◆"], beam: ["rv-m-beam", "▲"], rcms: ["rv-m-rcms", "●"], exact: ["rv-m-exact", "■"] };

function makeView(root, payload, host) {
  const view = { root, host, width: 0, parts: {} };
  view.load = (next) => {
    view.payload = next;
    view.truth = truthOf(next.methods);
  };
  view.build = () => {
    view.parts = { cards: makeCards(view), chart: makeBounds(view), tools: makeRaceBar(view) };
    root.replaceChildren(view.parts.cards.node, view.parts.chart.node, view.parts.tools.node);
  };
  view.repaint = (due) => {
    paintParts(view.parts, due);
    setAttributes(root, { "data-ready": "true", "data-id": view.payload.id });
  };
  return view;
}

// What is known of the truth: the best words, the best log p, and log Z, exactly or between two bounds.
function truthOf(methods) {
  const answered = methods.filter((method) => method.words);
  const best = answered.reduce((a, b) => (b.logScore > a.logScore + 1e-4 ? b : a));
  const exact = methods.find((method) => method.kind === "exact" && method.words);
  const ars = methods.find((method) => method.kind === "ars");
  const beams = methods.filter((method) => method.kind === "beam").map((method) => method.logZ);
  const bounds = exact ? [exact.logZ, exact.logZ] : [Math.max(ars.bounds[0], ...beams), ars.bounds[1]];
  return { best, bounds, proved: ars.proved || Boolean(exact) };
}

function makeCards(view) {
  const cards = view.payload.methods.map((method) => raceCard(view, method));
  return { node: html("div", { class: "rv-stage rv-cards" }, cards), layout() {}, paint() {}, highlight() {} };
}

function raceCard(view, method) {
  const [className, mark] = RACE_KINDS[method.kind];
  const head = html("div", { class: "rv-card-head" }, html("b", { class: "rv-method" }, `${mark} ${method.name}`),
    method.words ? html("span", { class: "rv-dim" }, timeText(method.milliseconds)) : null);
  const node = html("section", { class: `rv-panel rv-card ${className}`, "aria-label": method.name, "data-kind": method.kind });
  if (!method.words) return setContent(node, head, html("p", {}, method.refused));
  const words = html("p", { class: "rv-card-words" }, method.words.map((word, i) => html("span", { class: word === view.truth.best.words[i] ? "" : "rv-wrong-letter" }, `${word} `)));
  const facts = factsOf(view, method).map(([term, value]) => html("div", {}, html("dt", {}, term), html("dd", {}, value)));
  return setContent(node, head, words, html("p", { class: "rv-dim" }, raceSentence(view, method)), html("dl", { class: "rv-card-facts" }, facts));
}

function timeText(milliseconds) {
  return milliseconds >= 1000 ? `${(milliseconds / 1000).toFixed(1)} s` : `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`;
}

function shareText(low, high) {
  const [a, b] = [massText(low), massText(Math.min(1, high))];
  return a === b ? a : `${a} – ${b}`;
}

function factsOf({ truth }, method) {
  const share = ([low, high]) => shareText(Math.exp(method.logScore - high), Math.exp(method.logScore - low));
  const behind = truth.best.logScore - method.logScore;
  const logZ = method.kind === "ars" ? `${numberText(method.bounds[0])} … ${numberText(method.bounds[1])}` : numberText(method.logZ);
  return [["log p", numberText(method.logScore)], ["behind the best", behind < 1e-4 ? "–" : `${numberText(behind)} nats`],
    ["its confidence", method.kind === "ars" ? share(method.bounds) : massText(method.own)], ["in truth", share(truth.bounds)],
    [method.kind === "rcms" ? "log Z, its own" : "log Z", logZ], [method.kind === "ars" ? "states" : "contexts", countText(method.contexts)],
    ["arcs", (method.kind === "ars" ? "about " : "") + countText(method.arcs)]];
}

function raceSentence({ truth }, method) {
  const found = truth.best.logScore - method.logScore < 1e-4;
  if (method.kind === "ars") {
    if (method.proved) return `Proved in ${countText(method.rounds)} rounds: no sequence has a higher log p.`;
    return `Not proved yet: at most ${numberText(method.gap)} nats below the best there is.`;
  }
  if (method.kind === "exact") return "Every context is kept: the whole truth, at its price.";
  const whether = found ? (truth.proved ? "Finds the best, and cannot know it." : "Finds the best that anybody found.") : "Misses the best.";
  return method.kind === "beam" ? `${whether} Its log Z is a lower bound.` : `${whether} Its log Z belongs to another model: no bound.`;
}

// log Z by budget: beam search climbs to it from below, ARS has it between two bounds.
function makeBounds(view) {
  const { node, body } = panel("log Z by budget", "rv-race-chart");
  const drawing = svg("svg", { class: "rv-drawing", role: "img" });
  const note = html("p", { class: "rv-more" }, "The mass of what beam search keeps is a lower bound of Z and grows with the budget; ARS has Z between what it found and the mass of its bound. What RCMS merges is scored as if it were forgotten: its Z is that of another model and may lie anywhere.");
  body.append(drawing, note);

  function layout() {
    const scale = raceScale(view, body.clientWidth - 16);
    setAttributes(drawing, { width: scale.width, height: RACE.height, "aria-label": spokenRace(view) });
    drawing.replaceChildren(...raceAxes(view, scale), truthBand(view, scale), ...raceLines(view, scale));
  }

  return { node, drawing, layout, paint() {}, highlight() {} };
}

function raceScale(view, width) {
  const { sweep } = view.payload;
  const right = Math.max(220, width) - (view.width < NARROW ? 24 : RACE.right);
  const bottom = RACE.height - RACE.bottom;
  const values = [...sweep.beam.map(([logZ]) => logZ), ...sweep.rcms.map(([logZ]) => logZ), ...view.truth.bounds].filter((value) => value !== null);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const reach = high - low || 1;
  const span = Math.log(sweep.budgets.at(-1) / sweep.budgets[0]) || 1;
  return { width: Math.max(220, width), right, bottom, low: low - 0.06 * reach, high: high + 0.06 * reach,
    x: (budget) => RACE.left + 12 + (Math.log(budget / sweep.budgets[0]) / span) * (right - RACE.left - 24),
    y: (logZ) => bottom - ((logZ - low + 0.06 * reach) / (1.12 * reach)) * (bottom - RACE.top) };
}

function raceAxes(view, scale) {
  const text = (label, attributes) => svg("text", { class: "rv-axis", ...attributes }, label);
  return [...ticks(scale.low, scale.high, 5).flatMap((value) => [svg("line", { class: "rv-grid", x1: RACE.left, x2: scale.right, y1: scale.y(value), y2: scale.y(value) }),
    text(numberText(value, scale.high - scale.low < 1 ? 2 : 1), { x: RACE.left - 8, y: scale.y(value) + 4, "text-anchor": "end" })]),
  ...view.payload.sweep.budgets.map((budget) => text(countText(budget), { x: scale.x(budget), y: scale.bottom + 18, "text-anchor": "middle" })),
  text("budget: contexts per position", { x: (RACE.left + scale.right) / 2, y: RACE.height - 6, "text-anchor": "middle" })];
}

function truthBand(view, scale) {
  const { bounds: [low, high] } = view.truth;
  const beside = view.width >= NARROW;
  const told = high - low < 1e-4 ? "■ exact log Z" : "◆ log Z is in here";
  return svg("g", { class: "rv-m-other" }, svg("rect", { class: "rv-truth", x: RACE.left, width: scale.right - RACE.left, y: scale.y(high), height: Math.max(2, scale.y(low) - scale.y(high)) }),
    svg("text", { class: "rv-method", x: beside ? scale.right + 8 : scale.right - 4, y: scale.y((low + high) / 2) + 4, "text-anchor": beside ? "start" : "end" }, told));
}

function raceLines(view, scale) {
  const { sweep } = view.payload;
  const ends = spread(["beam", "rcms"].map((kind) => scale.y(sweep[kind].at(-1)[0]) + 20), 15, RACE.top, scale.bottom);
  return ["beam", "rcms"].map((kind, k) => {
    const [className, mark] = RACE_KINDS[kind];
    const points = sweep[kind].map(([logZ], b) => [scale.x(sweep.budgets[b]), scale.y(logZ), sweep.budgets[b], logZ]);
    const told = kind === "beam" ? "Beam: lower bound" : "RCMS: no bound";
    const dots = points.map(([x, y, budget, logZ]) => svg("text", { class: "rv-method", x, y: y + 4.5, "text-anchor": "middle" }, mark, svg("title", {}, `${kind} ${budget}: log Z ${numberText(logZ)}`)));
    return svg("g", { class: className }, svg("path", { class: "rv-curve", d: "M" + points.map(([x, y]) => `${x} ${y}`).join("L"), "stroke-dasharray": kind === "rcms" ? "2 4" : "7 4" }), dots,
      view.width >= NARROW ? svg("text", { class: "rv-method", x: scale.right + 8, y: ends[k] }, `${mark} ${told}`) : null);
  });
}

function spokenRace({ payload: { sweep }, truth }) {
  const told = ["beam", "rcms"].map((kind) => `${kind}: ${sweep.budgets.map((budget, b) => `${budget} ${numberText(sweep[kind][b][0])}`).join(", ")}`);
  return `log Z between ${truth.bounds.map((bound) => numberText(bound)).join(" and ")}. By budget, ${told.join("; ")}`;
}

function makeRaceBar(view) {
  const file = () => `rcmviz-compare-${view.payload.title.replace(/[^\p{L}\p{N}]+/gu, "-")}`;
  const text = (kind, type, content) => save(new Blob([content], { type }), `${file()}.${kind}`);
  const node = html("div", { class: "rv-tools" }, quietButton("CSV", () => text("csv", "text/csv", csv(raceRows(view))), "a row per method"),
    quietButton("JSON", () => text("json", "application/json", JSON.stringify(view.payload)), "the data of this view"),
    quietButton("SVG", () => saveSvg(racePicture(view), `${file()}.svg`), "the chart as SVG"),
    quietButton("PNG", () => savePng(racePicture(view), `${file()}.png`), "the chart as PNG"));
  return { node, layout() {}, paint() {}, highlight() {} };
}

function raceRows(view) {
  const answered = view.payload.methods.filter((method) => method.words);
  return [["method", "words", "log p", "confidence", "log Z", "log Z at most", "contexts", "arcs", "milliseconds"], ...answered.map((method) =>
    [method.name, method.words.join(" "), method.logScore, method.own ?? "", method.logZ ?? method.bounds[0], method.bounds?.[1] ?? "", method.contexts, method.arcs, method.milliseconds])];
}

function racePicture(view) {
  const { drawing } = view.parts.chart;
  const [width, height] = ["width", "height"].map((name) => Number(drawing.getAttribute(name)));
  const background = plainColor(getComputedStyle(view.root).getPropertyValue("--rv-bg").trim() || "white");
  return svg("svg", { xmlns: SVG_SPACE, width, height: height + 30 }, svg("rect", { width: "100%", height: "100%", fill: background }),
    wordDrawing(`log Z by budget · ${view.payload.title}`, view.root, 10, 20), setAttributes(withStyles(drawing), { x: 0, y: 30, width, height }));
}

const rcmvizRace = mounting("rv-player rv-ars rv-race", (root, payload, host) => begin(makeView(root, payload, host), payload), (view, payload) => {
  findTheme(view);
  if (payload.id !== view.payload.id) renew(view, payload);
});
export default rcmvizRace;
