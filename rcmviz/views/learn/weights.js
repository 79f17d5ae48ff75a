// The weights of a checkpoint: those of the pixels for every letter, the heaviest windows and features.

import { checkpointAt } from "./checkpoints.js";
import { html, pool, setAttributes, setText, toggle } from "../shared/dom.js";
import { panel, segmented } from "../shared/parts.js";
import { plainColor } from "../shared/theme.js";
import { telling } from "../shared/words.js";

const HELP = "pixels: how much an inked pixel speaks for a letter or against it, by the weights of this checkpoint.";

export function makeWeights(view) {
  const chosen = segmentedMethods(view);
  const made = panel("What the pixels say", "rv-weights", chosen.node);
  telling(made.heading, HELP);
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
    tiles(checkpoint ? labels.length : 0).forEach((tile, y) =>
      tile.paint(labels[y], bytes.subarray(y * size, (y + 1) * size), pixels, shades),
    );
    legend.replaceChildren(...(checkpoint ? weightLegend(checkpoint.scale) : ["no checkpoint yet"]));
  }

  return { node: made.node, layout() {}, paint };
}

function weightLegend(scale) {
  return [
    html("b", { class: "rv-for" }, "■ for"),
    " this letter, ",
    html("b", { class: "rv-against" }, "■ against"),
    ` it, next to the mean letter; the strongest weighs ${scale.toFixed(2)}`,
  ];
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

// 256 colours of the current theme: from against, over the background, to for.
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
  const found = plainColor(getComputedStyle(probe).backgroundColor)
    .match(/[\d.]+/g)
    .slice(0, 3)
    .map(Number);
  probe.remove();
  return found;
}

// A list of the heaviest weights; `entries` says what a checkpoint holds, as [name, weight].
export function makeHeaviest(view, title, entries, said) {
  const chosen = segmentedMethods(view);
  const made = panel(title, "rv-heaviest", chosen.node);
  const list = html("div", { class: "rv-weight-list" });
  made.body.append(list, html("p", { class: "rv-more" }, said));
  const rows = pool(list, () => makeHeaviestRow());

  function paint() {
    chosen.paint();
    const checkpoint = checkpointAt(view, view.methods[view.method]);
    const found = checkpoint ? entries(checkpoint) : [];
    const largest = Math.max(1e-9, ...found.map(([, weight]) => Math.abs(weight)));
    rows(found.length).forEach((row, k) => row.paint(found[k][0], found[k][1], largest));
  }

  return { node: made.node, layout() {}, paint };
}

function makeHeaviestRow() {
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

export const featuresOf = (checkpoint) =>
  checkpoint.features.map(([name, label, weight]) => [`${name} → ${label}`, weight]);

export function windowsOf(view, checkpoint) {
  return checkpoint.windows.map(([window, weight]) => [windowText(view, window), weight]);
}

// ["*", "t", "i", "o"] is written *ti→o, with spaces where labels are longer than a letter.
function windowText(view, window) {
  const gap = view.payload.labels.every((label) => label.length === 1) ? "" : " ";
  return `${window.slice(0, -1).join(gap)}${gap}→${gap}${window[window.length - 1]}`;
}

function segmentedMethods(view) {
  const choices = view.methods.map((method, m) => [m, method.name]);
  return choices.length > 1
    ? segmented(
        "method shown",
        choices,
        () => view.method,
        (m) => view.setMethod(m),
      )
    : { node: html("span"), paint() {} };
}
