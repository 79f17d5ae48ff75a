// The river: many positions at once, small below the panels, where it scrubs, and large as the last picture.

import { svg } from "../shared/dom.js";
import { briefName } from "./bar_names.js";
import { outlineInRiver } from "./earlier_run.js";
import { GLYPH, clamp, ribbon, stack, sumOf } from "./geometry.js";
import { byOrigin } from "./movers.js";

const LEAST = 0.4; // pixels: thinner parts are not drawn

/**
 * The positions from + 1 … to of a run as one drawing.
 * @param {any} view
 * @param {any} run
 * @param {{x: (i: number) => number, y: number, H: number, gap: number, thick: number, least: number, until: number,
 *   from: number, to: number, hasEvents?: boolean,
 *   wordsEnd?: number}} room `thick` bars, `least` height of the right beginning, `until`
 *   where the lost ground ends
 */
export function drawRiver(view, run, room) {
  const g = { top: room.y, H: room.H, gap: room.gap, floor: room.y + room.H + room.gap };
  const columns = new Map();
  for (let i = room.from; i <= room.to; i += 1) columns.set(i, stack(run.columns[i], g));
  const river = { view, run, room, g, columns, flows: svg("g"), bars: svg("g"), golds: svg("g"), said: -Infinity };
  for (let k = room.from; k < room.to; k += 1) {
    drawFlows(river, k);
    drawGold(river, k);
  }
  drawGround(river);
  for (const [i, column] of columns) {
    if (i === view.payload.T) continue;
    for (const { bar, y, h } of column) drawBar(river, bar, i, y, h);
  }
  const earlier = view.earlier?.runs[run.number];
  const outline = earlier ? outlineInRiver(earlier, room, g) : null;
  return svg("g", { class: "rv-flow-river" }, river.flows, river.bars, outline, river.golds);
}

const level = (g, lost) => g.floor - lost * g.H;

// One ribbon per pair of bars, and one per bar for its lost mass.
function linksOf(run, { parts }, i) {
  const links = new Map();
  for (const part of parts) {
    if (part.origin < 0 || !(part.mass > 0)) continue;
    const key = `${part.origin},${part.into}`;
    const link = links.get(key) ?? { origin: part.origin, into: part.into, rank: 0, mass: 0, followed: 0 };
    link.mass += part.mass;
    link.followed += run.followed ? run.followed.share(i, part) * part.mass : 0;
    links.set(key, link);
  }
  return [...links.values()].sort(byOrigin);
}

function drawFlows({ run, room, g, columns, flows }, k) {
  const step = run.steps[k];
  const [xa, xb] = [room.x(k) + room.thick / 2, room.x(k + 1) - room.thick / 2];
  const [before, after] = [columns.get(k), columns.get(k + 1)];
  const links = linksOf(run, step, k + 1);
  const out = before.map((_, place) => sumOf(links, (link) => (link.origin === place ? link.mass : 0)));
  const [used, filled] = [before.map(() => 0), after.map(() => 0)];
  let sunk = level(g, step.lostAfter);
  for (const { origin, into, mass, followed } of links) {
    const [h0, h] = [(before[origin].h * mass) / out[origin], mass * g.H];
    const from = before[origin].y + used[origin];
    const to = into < 0 ? sunk : after[into].y + filled[into];
    used[origin] += h0;
    if (into < 0) sunk += h;
    else filled[into] += h;
    if (!(Math.max(h, h0) >= LEAST)) continue;
    const className = into < 0 ? "rv-flow-ribbon rv-flow-sinks" : "rv-flow-ribbon";
    const path = flows.appendChild(ribbon({ x: xa, y: from, h: h0 }, { x: xb, y: to, h }, className));
    if (run.followed) path.style.setProperty("--rv-flow-share", (followed / mass).toFixed(3));
  }
}

function drawGround({ run, room, g, flows }) {
  const lost = 1 - run.left[room.to];
  if (lost * g.H < 0.05) return;
  let d = "";
  for (let k = room.from; k < room.to; k += 1) {
    const [x, xa, xb] = [room.x(k), room.x(k) + room.thick / 2, room.x(k + 1) - room.thick / 2];
    const [y0, y1] = [level(g, 1 - run.left[k]), level(g, 1 - run.left[k + 1])].map((y) => y.toFixed(2));
    const m = (xa + xb) / 2;
    d += `${d ? "L" : "M"}${x} ${y0}L${xa} ${y0}C${m} ${y0} ${m} ${y1} ${xb} ${y1}`;
  }
  const end = `L${room.until} ${level(g, lost).toFixed(2)}V${g.floor}H${room.x(room.from)}Z`;
  flows.prepend(svg("path", { class: "rv-flow-lost", d: d + end }));
}

function drawBar({ run, room, bars }, bar, i, y, h) {
  const x = room.x(i) - room.thick / 2;
  const piece = svg("rect", {
    class: "rv-flow-fill",
    x,
    y: y.toFixed(2),
    width: room.thick,
    height: Math.max(h, 0.5).toFixed(2),
  });
  if (run.followed) piece.style.opacity = 0.25 + 0.75 * run.followed.contexts[i][bar.place];
  bars.append(piece);
}

// The bar of a column with most of the right mass.
function rightOf(column) {
  const weight = ({ bar }) => bar.gold * bar.mass;
  const right = column.filter(({ bar }) => bar.gold > 0);
  return right.reduce((best, one) => (!best || weight(one) > weight(best) ? one : best), null);
}

// The right beginning: a green line as thick as its mass, until it is dropped.
function drawGold(river, k) {
  const { run, room, g, columns, golds } = river;
  const { fate, lostAfter } = run.steps[k];
  if (!fate) return;
  const goldThickness = ({ h, bar }) => Math.max(room.least, h * bar.gold);
  const [from, to] = [rightOf(columns.get(k)), fate.into < 0 ? null : rightOf(columns.get(k + 1))];
  if (!from || (fate.into >= 0 && !to)) return;
  const end = to ? { y: to.y, h: goldThickness(to) } : { y: level(g, lostAfter), h: 0.5 };
  const start = { x: room.x(k), y: from.y, h: k ? goldThickness(from) : 0 };
  golds.append(ribbon(start, { x: room.x(k + 1), ...end }, "rv-flow-river-gold"));
  if (room.hasEvents && !fate.kept) drawFateNote(river, k, to, end.y);
}

function drawFateNote(river, k, to, end) {
  const { view, run, room, g, golds } = river;
  const { fate } = run.steps[k];
  const { t } = view.geometry;
  const name = fate.one ? briefName(view, fate.one, k + 1, 12) : "it";
  const words = to ? `${name} → ${briefName(view, to.bar, k + 1, 12)}` : `✕ ${name} dropped`;
  const [x, width] = [room.x(k + 1), words.length * GLYPH * t];
  const left = x - width < room.x(room.from) ? x : x - width;
  if (left < river.said || left + width > room.wordsEnd) return; // no room for one more
  river.said = left + width;
  const y = clamp(to ? end - 0.8 * t : end + t, g.top + t, g.floor - t);
  golds.append(
    svg("text", { class: "rv-flow-halo rv-flow-gold", x, y, "text-anchor": left < x ? "end" : "start" }, words),
  );
}
