// The ring that folds into a star. Token i takes its edges to i+1 … i+K along as a star of its own: first the leaves
// come loose from their tokens, then all N stars, which are alike, glide on top of each other.

import { html, setAttributes, svg } from "../shared/dom.js";
import { stretched } from "../shared/figures.js";
import { panel } from "../shared/parts.js";
import { makeScrubber } from "../shared/transport.js";

const SECONDS = 2.4; // of the whole fold
const HEIGHT = 430;
const [REACH, OPENING] = [0.38, 0.42]; // of a loose star: share of the radius, angle from leaf to leaf
const LABELS_GONE = 0.75; // of the fold: words on top of each other cannot be read
const smooth = (t) => t * t * (3 - 2 * t);
const fractionOf = (t, from, to) => smooth(Math.min(1, Math.max(0, (t - from) / (to - from))));
const interpolate = (a, b, t) => a + (b - a) * t;

export function makeFold(view) {
  const { ring, words, order } = view.payload;
  const n = ring.length;
  const button = html("button", { type: "button", class: "rv-button", onclick: flip }, "");
  const scrubber = makeScrubber("from the ring to the star", (value) => {
    stop();
    view.put({ fold: value / 100 });
  });
  const box = panel("", "rv-fold-panel", button);
  const drawing = svg("svg", { class: "rv-drawing rv-fold", role: "img" });
  const [ringEnd, starEnd] = ["ring", "star"].map((name) => html("span", {}, name));
  const ends = html("div", { class: "rv-fold-slider" }, ringEnd, scrubber.node, starEnd);
  box.body.append(drawing, ends);
  const edges = svg("g", { class: "rv-fold-edges" });
  const nodes = svg("g");
  const names = svg("g");
  drawing.append(edges, nodes, names);
  const stars = ring.map((word, i) => starOf(view, i, { edges, nodes, names }));
  const caption = (className, text) => svg("text", { class: className, "text-anchor": "middle" }, text);
  const captions = Array.from({ length: order + 1 }, (_, l) =>
    caption("rv-fold-caption", l ? `leaf ${l}: ${l} ${l > 1 ? "tokens" : "token"} later` : "centre: any token"),
  );
  const count = caption("rv-fold-count", `×${n}`);
  names.append(...captions, count);
  let running = null;
  let room = { width: 0, radius: 0 };

  function stop() {
    cancelAnimationFrame(running);
    running = null;
  }

  // From where it is to the farther end, at an even pace.
  function flip() {
    stop();
    const goal = view.fold < 0.5 ? 1 : 0;
    if (window.matchMedia("(prefers-reduced-motion: reduce)").matches) {
      view.put({ fold: goal });
      return;
    }
    let before = null;
    const frame = (now) => {
      if (!drawing.isConnected) return;
      const moved = before === null ? 0 : (now - before) / (1000 * SECONDS);
      before = now;
      const fold = goal ? Math.min(1, view.fold + moved) : Math.max(0, view.fold - moved);
      view.put({ fold });
      running = fold === goal ? null : requestAnimationFrame(frame);
    };
    running = requestAnimationFrame(frame);
  }

  function layout() {
    const width = Math.max(260, box.body.clientWidth - 16 || Math.min(view.width, 640) - 32);
    const height = stretched(drawing, Math.min(HEIGHT, width * 0.86));
    room = { width, height, radius: Math.min(width, height) / 2 - 46, x: width / 2, y: height / 2 };
    setAttributes(drawing, { width, height });
  }

  function paint() {
    const { fold } = view;
    scrubber.paint({ at: Math.round(100 * fold), last: 100, text: `${Math.round(100 * fold)} per cent folded` });
    box.heading.textContent = fold > 0.98 ? `A star of ${order + 1} nodes` : `A ring of ${n} tokens, K = ${order}`;
    button.textContent = fold < 0.5 ? "fold into the star" : "unfold into the ring";
    const text = ring.map((word) => words[word]).join(" ");
    setAttributes(drawing, { "aria-label": fold > 0.98 ? `one star of ${order + 1} nodes` : `${text}, as a ring` });
    const shift = { loose: fractionOf(fold, 0, 0.4), gather: fractionOf(fold, 0.5, 1) };
    const home = ring.map((_, i) => placeOnRing(i, n, room));
    const final = starPlaces(order, room);
    stars.forEach((star) => star.move(home, final, room, shift));
    const opacity = fractionOf(fold, 0.86, 1).toFixed(2);
    captions.forEach((node, l) => {
      const lift = l % 2 ? 38 : 56; // neighbours would overlap
      setAttributes(node, { x: final[l][0], y: final[l][1] + (l ? lift : -36), opacity });
    });
    setAttributes(count, { x: final[0][0], y: final[0][1] + 5, opacity });
  }

  return { node: box.node, drawing, layout, paint, highlight() {}, flip };
}

function placeOnRing(i, n, { x, y, radius }) {
  const angle = (2 * Math.PI * i) / n - Math.PI / 2;
  return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
}

// The star that is left: its centre above, its leaves below.
function starPlaces(order, { x, y, radius }) {
  const spread = radius * 0.85;
  const leaves = Array.from({ length: order }, (_, l) => [
    x + (order === 1 ? 0 : interpolate(-spread, spread, l / (order - 1))),
    y + radius * 0.6,
  ]);
  return [[x, y - radius * 0.55], ...leaves];
}

const at = (x, y) => ({ cx: x.toFixed(1), cy: y.toFixed(1) });

// Token i, its leaves and edges.
function starOf(view, i, { edges, nodes, names }) {
  const { ring, words, order } = view.payload;
  const n = ring.length;
  const word = words[ring[i]];
  const kind = `rv-fold-node${ring[i] === 0 ? " rv-fold-separator" : ""}`;
  const leaves = Array.from({ length: order }, (_, l) => {
    const leaf = svg("circle", { class: `${kind} rv-fold-leaf`, r: 6 });
    const edge = svg("path", { class: `rv-fold-edge rv-fold-back-${l + 1}`, "data-point": `arc ${i + 1}` });
    edges.append(edge);
    nodes.append(leaf);
    return { leaf, edge };
  });
  const centre = svg("circle", { class: kind, r: 9 });
  const name = svg("text", { class: "rv-name rv-fold-word" }, word);
  nodes.append(centre);
  names.append(name);

  // Loose, a leaf stands between its own token and the one that it was; gathered, where all the others are.
  function move(home, final, middle, { loose, gather }) {
    const [hx, hy] = home[i];
    const [cx, cy] = [interpolate(hx, final[0][0], gather), interpolate(hy, final[0][1], gather)];
    setAttributes(centre, { ...at(cx, cy), r: interpolate(9, 22, gather).toFixed(1) });
    leaves.forEach(({ leaf, edge }, l) => {
      const [tx, ty] = home[(i + l + 1) % n];
      const turn = Math.atan2(middle.y - hy, middle.x - hx) + OPENING * ((order - 1) / 2 - l);
      const [fx, fy] = [
        interpolate(tx, hx + REACH * middle.radius * Math.cos(turn), loose),
        interpolate(ty, hy + REACH * middle.radius * Math.sin(turn), loose),
      ];
      const [lx, ly] = [interpolate(fx, final[l + 1][0], gather), interpolate(fy, final[l + 1][1], gather)];
      setAttributes(leaf, { ...at(lx, ly), r: interpolate(6, 16, gather).toFixed(1), opacity: loose > 0.02 ? 1 : 0 });
      const bend = (1 - loose) * 0.28 * l;
      const [bx, by] = [interpolate((cx + lx) / 2, middle.x, bend), interpolate((cy + ly) / 2, middle.y, bend)];
      const d = [cx, cy, bx, by, lx, ly].map((value) => value.toFixed(1));
      setAttributes(edge, { d: `M${d[0]} ${d[1]}Q${d[2]} ${d[3]} ${d[4]} ${d[5]}` });
    });
    label(cx, cy, (hx - middle.x) / middle.radius, (hy - middle.y) / middle.radius);
  }

  // Outside the ring; gone before the stars lie on top of each other.
  function label(cx, cy, right, down) {
    setAttributes(name, {
      x: (cx + 17 * right).toFixed(1),
      y: (cy + 17 * down + 4).toFixed(1),
      "text-anchor": Math.abs(right) < 0.25 ? "middle" : right > 0 ? "start" : "end",
      opacity: (1 - fractionOf(view.fold, 0.5, LABELS_GONE)).toFixed(2),
    });
  }

  return { move };
}
