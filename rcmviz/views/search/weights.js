// The weights that an update changes: pixels of labels as pictures, transitions between labels as bars.

import { html, setAttributes, svg } from "../shared/dom.js";
import { panel } from "../shared/parts.js";
import { makeSigned, scoreText } from "../shared/signed.js";
import { telling } from "../shared/words.js";

const [PICTURES, BARS, PIXEL] = [10, 8, 4];

export function makeWeights(view) {
  const box = panel("What the update moves", "rv-moves-panel");
  telling(box.heading, "update: weights of the right labels rise, those of the labels found instead fall.");
  const pictures = html("div", { class: "rv-moved-pictures" });
  const bars = html("div", {});
  const note = html("p", { class: "rv-more" });
  box.body.append(pictures, bars, note);

  function paint() {
    const changes = changesOf(view);
    const labels = pixelChanges(view).slice(0, PICTURES);
    pictures.replaceChildren(...labels.map((one) => pictureOf(view, one)));
    const largest = Math.max(...changes.map(([, , change]) => Math.abs(change)), 1e-9);
    bars.replaceChildren(...changes.slice(0, BARS).map((one) => barOf(one, largest)));
    const more = changes.length - BARS;
    note.textContent = changes.length
      ? `Blue rises, orange falls.${more > 0 ? ` ${more} smaller ones are not shown.` : ""}`
      : "Both paths agree up to the cut: nothing changes.";
  }

  return { node: box.node, layout() {}, paint, highlight() {} };
}

const changesOf = (view) =>
  view.heat > 0 ? view.update().heats[view.heat].changes : view.update().steps[view.rule].changes;

// The change of each label's pixels: the images of the positions, each times the label's rise or fall there.
function pixelChanges(view) {
  const update = view.update();
  const moves = new Map();
  const move = (label, i, by) => {
    const of = moves.get(label) ?? { label, at: [], total: 0 };
    of.at.push([i, by]);
    of.total += Math.abs(by);
    moves.set(label, of);
  };
  update.gold.slice(0, view.cut()).forEach((label, i) => {
    const shares = view.heat > 0 ? update.heats[view.heat].shares[i] : [[update.steps[view.rule].guess[i], 1]];
    const given = new Map(shares.map(([other, p]) => [other, -p]));
    given.set(label, (given.get(label) ?? 0) + 1);
    given.forEach((by, other) => Math.abs(by) > 0.02 && move(other, i, by));
  });
  return [...moves.values()].sort((a, b) => b.total - a.total);
}

function pictureOf(view, { label, at }) {
  const { images } = view.update();
  const [rows, columns] = [images[0].length, images[0][0].length];
  const sums = Array.from({ length: rows }, () => new Array(columns).fill(0));
  at.forEach(([i, by]) =>
    images[i].forEach((row, v) =>
      [...row].forEach((on, u) => {
        if (on === "1") sums[v][u] += by;
      }),
    ),
  );
  const squares = sums.flatMap((row, v) =>
    row.map((value, u) =>
      Math.abs(value) < 0.01
        ? null
        : svg("rect", {
            class: value > 0 ? "rv-rises" : "rv-falls",
            x: u * PIXEL,
            y: v * PIXEL,
            width: PIXEL,
            height: PIXEL,
            opacity: Math.min(1, 0.15 + 0.85 * Math.abs(value)).toFixed(2),
          }),
    ),
  );
  const total = at.reduce((sum, [, by]) => sum + by, 0);
  const name = view.payload.labels[label];
  const size = { width: columns * PIXEL, height: rows * PIXEL };
  return html(
    "figure",
    { class: "rv-moved-picture" },
    svg(
      "svg",
      { ...size, role: "img", "aria-label": `pixels of ${name}` },
      svg("rect", { ...size, class: "rv-paper" }),
      squares,
    ),
    html(
      "figcaption",
      {},
      html("code", { class: "rv-name" }, name),
      ` ${total > 0.005 ? "+" : ""}${scoreText(total, Math.abs(total % 1) < 0.005 ? 0 : 2)}`,
    ),
  );
}

function barOf([name, before, change], largest) {
  const bar = makeSigned();
  bar.paint(change, largest);
  return html(
    "div",
    { class: "rv-move-row" },
    html("code", { class: "rv-name" }, name),
    bar.node,
    html("span", { class: "rv-message-value" }, `${scoreText(before, 2)} → ${scoreText(before + change, 2)}`),
  );
}

// The pictures as one drawing for export.
export function picturesDrawing(view) {
  const labels = pixelChanges(view).slice(0, PICTURES);
  const drawing = svg("svg", { class: "rv-drawing", height: 100 });
  labels.forEach((one, k) => {
    const figure = pictureOf(view, one);
    drawing.append(
      svg("g", { transform: `translate(${10 + k * 56} 8)` }, ...figure.querySelector("svg").children),
      svg("text", { class: "rv-name", x: 26 + k * 56, y: 92, "text-anchor": "middle" }, figure.textContent),
    );
  });
  setAttributes(drawing, { width: Math.max(60, 20 + labels.length * 56) });
  view.root.append(drawing); // its colours are those of the page
  setTimeout(() => drawing.remove());
  return drawing;
}
