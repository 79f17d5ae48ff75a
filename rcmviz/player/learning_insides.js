// What a checkpoint is like: the word that is looked at, the pixel weights of every letter, the heaviest windows.

const BEAM_NOTE = "Beam search weighs gold, even where it fell off, against what was kept: its log-likelihood can rise above 0.";
const CHARTS = [
  { curve: "log_likelihood", title: "log-likelihood", unit: "nats per example", text: (v) => numberText(v) },
  { curve: "accuracy", title: "held-out accuracy", unit: "all labels right", text: percent, low: 0, least: 0.1 },
  { curve: "recall_99", title: "recall at 99 % precision", unit: "held out", text: percent, low: 0, least: 0.1 },
  { curve: "mean_length", title: "labels remembered", unit: "mean over the mass", text: (v) => numberText(v), low: 0, least: 1 },
  { curve: "lost", title: "gold fell off", unit: "share of examples", text: percent, low: 0, least: 0.02 },
  { curve: "gradient_norm", title: "gradient norm", unit: "mean per example", text: (v) => numberText(v), low: 0, least: 0.5 },
];

function noteOf(view) {
  return view.methods.some((method) => method.kind === "beam") ? BEAM_NOTE : null;
}

function makeInsides(view) {
  const inside = view.payload.pixels ? makeWeights(view)
    : makeHeaviest(view, "Heaviest features", featuresOf, "feature → label: what an input says for a label");
  const windows = makeHeaviest(view, "Heaviest windows", (checkpoint) => windowsOf(view, checkpoint),
    "what was there → what comes next; * is forgotten, ^ before the start");
  return { inside, windows };
}

function machineRows(view) {
  const rows = [inputRow(view), ...view.methods.map((method, m) => readingRow(view, method, m))];
  const width = cellWidth(view);
  for (const row of rows) row.style.setProperty("--rv-cell", width);
  return rows;
}

function cellWidth(view) {
  const shown = [...view.payload.labels, ...(view.payload.sequence.tokens || [])];
  return `${Math.max(26, 10.5 * Math.min(14, Math.max(...shown.map((name) => [...name].length))) + 8)}px`;
}

function inputRow(view) {
  const { gold, images, tokens } = view.payload.sequence;
  const cells = gold.map((y, i) => html("span", { class: "rv-cell-letter" }, images ? inkOf(images[i]) : html("span", { class: "rv-token", title: tokens[i] }, tokens[i]),
    html("span", { class: "rv-gold-name" }, y < 0 ? "?" : view.payload.labels[y])));
  return html("div", { class: "rv-reading-row rv-input" }, html("span", { class: "rv-reading-name" }, "input and gold"), html("span", { class: "rv-letters" }, cells),
    html("span", { class: "rv-reading-head" }, "confidence, P(gold)"), html("span", { class: "rv-reading-head" }, "checkpoint by checkpoint"));
}

function inkOf(rows) {
  const d = rows.map((row, v) => [...row].map((on, u) => (on === "1" ? `M${u} ${v}h1v1h-1z` : "")).join("")).join("");
  return svg("svg", { viewBox: `0 0 ${rows[0].length} ${rows.length}`, width: rows[0].length * 2.5, height: rows.length * 2.5, "aria-hidden": "true" },
    svg("path", { class: "rv-ink", d, "shape-rendering": "crispEdges" }));
}

function readingRow(view, method, m) {
  const name = html("span", { class: `rv-reading-name rv-method ${method.className}` }, `${method.mark} ${method.name}`);
  const checkpoint = checkpointAt(view, method);
  if (!checkpoint || !checkpoint.decoded) return html("div", { class: "rv-reading-row" }, name, html("span", { class: "rv-dim" }, "no checkpoint yet"));
  const { gold } = view.payload.sequence;
  const letters = checkpoint.decoded.map((y, i) =>
    html("span", { class: "rv-cell-letter rv-name" + (gold[i] === y ? "" : " rv-wrong-letter") }, view.payload.labels[y]));
  const numbers = html("span", { class: "rv-reading-numbers" }, bar(checkpoint.confidence, isRight(view, checkpoint)), html("b", {}, percent(checkpoint.confidence)),
    html("span", { class: "rv-dim" }, checkpoint.gold === null ? "" : `gold ${massText(checkpoint.gold)}`));
  const open = view.payload.opens && view.host.trigger ? html("button", { type: "button", class: "rv-button", title: "open the Step page with this word at this checkpoint",
    onclick: () => view.host.trigger("open", { method: m, step: checkpoint.step }) }, "step through") : null;
  return html("div", { class: "rv-reading-row " + method.className }, name, html("span", { class: "rv-letters" }, letters), numbers, history(view, method), open);
}

function bar(share, right) {
  const inner = html("span", { class: "rv-share" + (right ? "" : " rv-wrong") });
  inner.style.width = Math.max(1, 100 * share) + "%";
  return html("span", { class: "rv-share-track" }, inner);
}

function isRight(view, checkpoint) {
  return checkpoint.decoded.every((y, i) => y === view.payload.sequence.gold[i]);
}

// One bar per checkpoint, as high as the confidence; an outline where the word was read wrong.
function history(view, method) {
  const pitch = 5;
  const said = ({ step, decoded, confidence }) =>
    `after ${countText(step)}: ${spell(view, decoded)}, ${percent(confidence)}`;
  const bars = method.checkpoints.map((checkpoint, k) => {
    const height = Math.max(2.5, 22 * checkpoint.confidence);
    const node = svg("rect", { class: "rv-past" + (isRight(view, checkpoint) ? "" : " rv-wrong") + (checkpoint === checkpointAt(view, method) ? " rv-now" : ""),
      x: k * pitch, y: 24 - height, width: pitch - 1.5, height }, svg("title", {}, said(checkpoint)));
    node.addEventListener("click", () => view.choose(checkpoint.step));
    return node;
  });
  return svg("svg", { class: "rv-history", width: 34 * pitch, height: 26, role: "img", "aria-label": `${method.name}: confidence at each checkpoint` }, bars);
}

function checkpointAt(view, method) {
  const step = view.shown();
  const kept = method.checkpoints.filter((checkpoint) => checkpoint.step <= step);
  return kept[kept.length - 1] || method.checkpoints[0] || null;
}

function makeWeights(view) {
  const chosen = segmentedMethods(view);
  const made = panel("What the pixels say", "rv-weights", chosen.node);
  const legend = html("p", { class: "rv-more" });
  const grid = html("div", { class: "rv-weight-grid" });
  made.body.append(grid, legend);
  const tiles = pool(grid, () => weightTile());

  function paint() {
    chosen.paint();
    const checkpoint = checkpointAt(view, view.methods[view.method]);
    const { pixels, labels } = view.payload;
    const shades = checkpoint ? shadesOf(view.root) : null;
    const bytes = checkpoint ? Uint8Array.from(atob(checkpoint.weights), (letter) => letter.charCodeAt(0)) : null;
    const size = pixels.rows * pixels.columns;
    tiles(checkpoint ? labels.length : 0).forEach((tile, y) => tile.paint(labels[y], bytes.subarray(y * size, (y + 1) * size), pixels, shades));
    legend.replaceChildren(...(checkpoint ? weightLegend(checkpoint.scale) : ["no checkpoint yet"]));
  }

  return { node: made.node, layout() {}, paint };
}

function weightLegend(scale) {
  return [html("b", { class: "rv-for" }, "■ for"), " this letter, ", html("b", { class: "rv-against" }, "■ against"),
    ` it, beside the mean letter; the strongest weighs ${scale.toFixed(2)}`];
}

function weightTile() {
  const canvas = html("canvas", { role: "img" });
  const name = html("span", { class: "rv-name" });
  const node = html("figure", { class: "rv-weight" }, canvas, name);
  function paint(label, bytes, pixels, shades) {
    setText(name, label);
    setAttributes(canvas, { "aria-label": `pixel weights of ${label}` });
    if (canvas.width !== pixels.columns) Object.assign(canvas, { width: pixels.columns, height: pixels.rows });
    const pen = canvas.getContext("2d");
    const image = pen.createImageData(pixels.columns, pixels.rows);
    bytes.forEach((level, k) => image.data.set([...shades[level], 255], 4 * k));
    pen.putImageData(image, 0, 0);
  }
  return { node, paint };
}

// 256 colours from against over the ground to for, of the present theme.
function shadesOf(root) {
  const [against, ground, support] = ["--rv-against", "--rv-bg", "--rv-for"].map((name) => channels(root, name));
  return Array.from({ length: 256 }, (_, level) => {
    const share = (level - 128) / 127;
    const end = share < 0 ? against : support;
    const weight = Math.min(1, Math.abs(share)) ** 0.7; // small weights stay visible
    return ground.map((value, k) => Math.round(value + (end[k] - value) * weight));
  });
}

function channels(root, name) {
  const probe = html("span", { class: "rv-probe" });
  root.append(probe);
  probe.style.backgroundColor = `var(${name})`;
  const found = plainColor(getComputedStyle(probe).backgroundColor).match(/[\d.]+/g).slice(0, 3).map(Number);
  probe.remove();
  return found;
}

// A list of the heaviest weights; `entries` says what a checkpoint holds, as [name, weight].
function makeHeaviest(view, title, entries, said) {
  const chosen = segmentedMethods(view);
  const made = panel(title, "rv-heaviest", chosen.node);
  const list = html("div", { class: "rv-weight-list" });
  made.body.append(list, html("p", { class: "rv-more" }, said));
  const rows = pool(list, () => heavyRow());

  function paint() {
    chosen.paint();
    const checkpoint = checkpointAt(view, view.methods[view.method]);
    const found = checkpoint ? entries(checkpoint) : [];
    const largest = Math.max(1e-9, ...found.map(([, weight]) => Math.abs(weight)));
    rows(found.length).forEach((row, k) => row.paint(found[k][0], found[k][1], largest));
  }

  return { node: made.node, layout() {}, paint };
}

function heavyRow() {
  const name = html("span", { class: "rv-name" });
  const fill = html("span", { class: "rv-heavy-bar" });
  const value = html("span", { class: "rv-bar-value" });
  const node = html("div", { class: "rv-heavy" }, name, html("span", { class: "rv-heavy-track" }, fill), value);
  function paint(text, weight, largest) {
    setText(name, text);
    setAttributes(name, { title: text });
    setText(value, (weight > 0 ? "+" : "−") + Math.abs(weight).toFixed(2));
    toggle(node, "rv-negative", weight < 0);
    fill.style.width = (50 * Math.abs(weight)) / largest + "%";
  }
  return { node, paint };
}

const featuresOf = (checkpoint) => checkpoint.features.map(([name, label, weight]) => [`${name} → ${label}`, weight]);

function windowsOf(view, checkpoint) {
  return checkpoint.windows.map(([window, weight]) => [windowText(view, window), weight]);
}

// ["*", "t", "i", "o"] is written *ti→o, with spaces where labels are longer than a letter.
function windowText(view, window) {
  const gap = view.payload.labels.every((label) => label.length === 1) ? "" : " ";
  return `${window.slice(0, -1).join(gap)}${gap}→${gap}${window[window.length - 1]}`;
}

function segmentedMethods(view) {
  const choices = view.methods.map((method, m) => [m, method.name]);
  return choices.length > 1 ? segmented("method shown", choices, () => view.method, (m) => view.setMethod(m)) : { node: html("span"), paint() {} };
}
