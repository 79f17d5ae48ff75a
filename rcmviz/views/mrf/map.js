// Words as dots on a map: zoomed by the wheel, moved by dragging; the chosen word, its nearest and the frequent ones
// have their names, as far as there is room.

import { pointIn } from "../shared/chart.js";
import { html, pool, setAttributes, setText, svg } from "../shared/dom.js";
import { stretched } from "../shared/figures.js";
import { panel } from "../shared/parts.js";

const [NAME, LINE] = [6.9, 14]; // pixels of a character, of a line
const MOST_NAMES = 160;
const [NEAREST_ZOOM, STEP] = [40, 1.5];

export function makeMap(view, map, className) {
  const { words, counts } = view.payload;
  const button = (text, label, act) =>
    html("button", { type: "button", class: "rv-button", "aria-label": label, title: label, onclick: act }, text);
  const box = panel(
    map.name,
    `rv-map ${className}`,
    button("+", "zoom in", () => zoom(STEP)),
    button("−", "zoom out", () => zoom(1 / STEP)),
    button("⌂", "the whole map", () => home()),
  );
  const drawing = svg("svg", { class: "rv-drawing rv-map-drawing", role: "img" });
  const dots = svg("g");
  const labels = svg("g");
  drawing.append(dots, labels);
  box.body.append(drawing);
  const most = Math.max(...counts);
  const circles = words.map((_, w) => svg("circle", { class: "rv-map-dot", r: 2 + 5 * Math.sqrt(counts[w] / most) }));
  dots.append(...circles);
  const names = pool(labels, () => ({ node: svg("text", { class: "rv-map-name", "text-anchor": "middle" }) }));
  const byCount = words.map((_, w) => w).sort((one, other) => counts[other] - counts[one]);
  const reach = [map.x, map.y].map((values) => Math.max(...values.map(Math.abs)) || 1);
  const room = { width: 0, height: 0, scale: 1, zoom: 1, x: 0, y: 0 };

  const pointOf = (w) => [
    room.width / 2 + (map.x[w] - room.x) * room.scale * room.zoom,
    room.height / 2 - (map.y[w] - room.y) * room.scale * room.zoom,
  ];
  const isIn = ([x, y]) => x > -20 && y > -20 && x < room.width + 20 && y < room.height + 20;

  function layout() {
    room.width = Math.max(240, (box.body.clientWidth || view.width) - 16);
    room.height = stretched(drawing, Math.min(520, room.width * 0.8));
    room.scale = Math.min((0.44 * room.width) / reach[0], (0.46 * room.height) / reach[1]);
    setAttributes(drawing, { width: room.width, height: room.height });
    setAttributes(drawing, { "aria-label": `map of ${words.length} words` });
  }

  function zoom(factor, [px, py] = [room.width / 2, room.height / 2]) {
    const next = Math.min(NEAREST_ZOOM, Math.max(1, room.zoom * factor));
    const change = (1 / room.zoom - 1 / next) / room.scale;
    room.x += (px - room.width / 2) * change;
    room.y -= (py - room.height / 2) * change;
    room.zoom = next;
    if (next === 1) Object.assign(room, { x: 0, y: 0 });
    view.put({});
  }

  function home() {
    Object.assign(room, { zoom: 1, x: 0, y: 0 });
    view.put({});
  }

  function paint() {
    circles.forEach((circle, w) => {
      const place = pointOf(w);
      const shown = isIn(place);
      setAttributes(circle, { display: shown ? null : "none" });
      if (shown) setAttributes(circle, { cx: place[0].toFixed(1), cy: place[1].toFixed(1) });
    });
    highlight();
  }

  // The chosen word first, then its nearest, then the frequent ones.
  function highlight() {
    const { chosen, hovered } = view;
    const near = map.near[chosen];
    circles.forEach((circle, w) => {
      const kind = w === chosen ? "chosen" : near.includes(w) ? "near" : w === hovered ? "hovered" : null;
      setAttributes(circle, { "data-kind": kind });
    });
    const wanted = [...new Set([chosen, ...(hovered === null ? [] : [hovered]), ...near, ...byCount])];
    const taken = [];
    const placed = [];
    for (const w of wanted) {
      if (placed.length === MOST_NAMES) break;
      const [x, y] = pointOf(w);
      const half = (words[w].length * NAME) / 2 + 2;
      const frame = [x - half, y - LINE - 4, x + half, y - 4];
      const inside = x > half && x < room.width - half && y > LINE + 6 && y < room.height;
      if (!inside || taken.some((other) => overlaps(frame, other))) continue;
      taken.push(frame);
      placed.push([w, x, y]);
    }
    names(placed.length).forEach(({ node }, k) => {
      const [w, x, y] = placed[k];
      setText(node, words[w]);
      const kind = w === chosen ? "chosen" : near.includes(w) ? "near" : w === hovered ? "hovered" : null;
      const place = { x: x.toFixed(1), y: (y - 8).toFixed(1) };
      setAttributes(node, { ...place, "data-kind": kind, "data-point": `word ${words[w]}` });
    });
  }

  function wordUnder(event) {
    const [px, py] = pointIn(drawing, event);
    const distanceTo = (w) => Math.hypot(pointOf(w)[0] - px, pointOf(w)[1] - py);
    const nearest = words.reduce((best, _, w) => (distanceTo(w) < distanceTo(best) ? w : best), 0);
    return distanceTo(nearest) < 14 ? nearest : null;
  }

  drawing.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, pointIn(drawing, event));
    },
    { passive: false },
  );
  let held = null;
  drawing.addEventListener("pointerdown", (event) => {
    drawing.setPointerCapture(event.pointerId);
    held = { at: pointIn(drawing, event), x: room.x, y: room.y, moved: false };
  });
  drawing.addEventListener("pointermove", (event) => {
    if (!held) {
      view.hover(wordUnder(event));
      return;
    }
    const [px, py] = pointIn(drawing, event);
    const [dx, dy] = [px - held.at[0], py - held.at[1]];
    held.moved ||= Math.hypot(dx, dy) > 4;
    const each = room.scale * room.zoom;
    Object.assign(room, { x: held.x - dx / each, y: held.y + dy / each });
    view.put({});
  });
  drawing.addEventListener("pointerup", (event) => {
    const word = held && !held.moved ? wordUnder(event) : null;
    held = null;
    if (word !== null) view.choose(word);
  });
  drawing.addEventListener("pointerleave", () => view.hover(null));

  return { node: box.node, drawing, layout, paint, highlight, home };
}

const overlaps = ([left, top, right, bottom], other) =>
  left < other[2] && right > other[0] && top < other[3] && bottom > other[1];
