// Pairs of chosen words, data less model, a map for each distance: the part not explained yet.

import { axisText } from "../shared/chart.js";
import { html, setAttributes, setText, svg } from "../shared/dom.js";
import { panel } from "../shared/parts.js";
import { telling } from "../shared/words.js";

const LABEL = 62; // pixels next to and above the cells
const [LEAST, MOST] = [14, 44]; // pixels of a cell
const SIGNED = 0.16; // of the largest difference, from which on a cell has its sign

export function makePairs(view) {
  const { words, data } = view.payload;
  const box = panel("Pairs of words: text − model", "rv-pairs");
  telling(box.heading, "pairs: how often two words occur at this distance, in the text minus in the model.");
  const hint = html("p", { class: "rv-more rv-heat-hint" });
  const maps = data.map((_, l) => mapOf(view, l, hint));
  box.body.append(html("div", { class: "rv-pair-maps" }, maps.map((one) => one.node)), hint);
  let largest = 1e-9;

  function layout() {
    const { frames } = view.payload;
    // The scale of colours is that of the first state, which has learnt the frequencies of words.
    largest = Math.max(1e-9, ...frames[0].model.flatMap((rows, l) => differences(view, rows, l).map(Math.abs)));
    const room = (box.body.clientWidth || view.width / 2) - 24;
    const columns = room / data.length - LABEL >= LEAST * words.length ? data.length : 1;
    const cell = Math.max(LEAST, Math.min(MOST, Math.floor((room / columns - LABEL - 12) / words.length)));
    maps.forEach((one) => one.layout(cell));
  }

  function paint() {
    const { model, step } = view.payload.frames[view.position - 1];
    const left = model.flatMap((rows, l) => differences(view, rows, l)).reduce((sum, d) => sum + Math.abs(d), 0);
    maps.forEach((one, l) => one.paint(model[l], largest));
    setText(hint, `after ${step} steps, sum of all differences ${left.toFixed(4)}`);
  }

  return { node: box.node, drawings: maps.map((one) => one.drawing), layout, paint, highlight() {} };
}

const differences = (view, rows, l) => rows.flatMap((row, u) => row.map((p, v) => view.payload.data[l][u][v] - p));

function mapOf(view, l, hint) {
  const { words } = view.payload;
  const drawing = svg("svg", { class: "rv-drawing rv-pair-map", role: "img" });
  const title = axisText(l ? `${l + 1} places apart` : "next to each other", { x: LABEL, y: 12 });
  const cells = words.map((left, u) =>
    words.map((right, v) => {
      const rect = svg("rect", { class: "rv-pair-cell" });
      const sign = svg("text", { class: "rv-pair-sign", "text-anchor": "middle" });
      rect.addEventListener("pointerenter", () => announcePair(u, v));
      return { rect, sign };
    }),
  );
  const rowNames = words.map((word) => axisText(word, { "text-anchor": "end" }));
  const columnNames = words.map((word) => axisText(word, {}));
  drawing.append(title, ...rowNames, ...columnNames, ...cells.flat().flatMap(({ rect, sign }) => [rect, sign]));

  function announcePair(u, v) {
    const model = view.payload.frames[view.position - 1].model[l][u][v];
    const data = view.payload.data[l][u][v];
    const between = l ? `${words[u]} … ${words[v]}` : `${words[u]} ${words[v]}`;
    setText(hint, `${between}: text ${data.toFixed(5)}, model ${model.toFixed(5)}`);
  }

  function layout(size) {
    const top = LABEL + 10;
    setAttributes(drawing, { width: LABEL + size * words.length + 2, height: top + size * words.length + 2 });
    rowNames.forEach((name, u) => setAttributes(name, { x: LABEL - 5, y: top + u * size + size / 2 + 4 }));
    columnNames.forEach((name, v) => {
      const [x, y] = [LABEL + v * size + size / 2 + 4, top - 5];
      setAttributes(name, { x, y, transform: `rotate(-60 ${x} ${y})` });
    });
    cells.forEach((row, u) =>
      row.forEach(({ rect, sign }, v) => {
        const [x, y] = [LABEL + v * size, top + u * size];
        setAttributes(rect, { x: x + 0.5, y: y + 0.5, width: size - 1, height: size - 1 });
        setAttributes(sign, { x: x + size / 2, y: y + size / 2 + 4 });
      }),
    );
    setAttributes(drawing, { "aria-label": `pairs of words ${l ? `${l + 1} places apart` : "next to each other"}` });
  }

  function paint(model, largest) {
    cells.forEach((row, u) =>
      row.forEach(({ rect, sign }, v) => {
        const difference = (view.payload.data[l][u][v] - model[u][v]) / largest;
        const strength = Math.sqrt(Math.min(1, Math.abs(difference)));
        setAttributes(rect, {
          "data-sign": difference < 0 ? "less" : "more",
          "fill-opacity": (strength < 0.04 ? 0 : strength).toFixed(3),
        });
        setText(sign, Math.abs(difference) < SIGNED ? "" : difference < 0 ? "−" : "+");
      }),
    );
  }

  return { node: drawing, drawing, layout, paint };
}
