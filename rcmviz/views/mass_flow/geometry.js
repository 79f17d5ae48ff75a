// Places: three columns of bars with their names, and a gap above lost or forgotten mass.

import { svg } from "../shared/dom.js";

export const clamp = (value, least = 0, most = 1) => Math.min(most, Math.max(least, value));
export const lerp = (a, b, t) => a + (b - a) * t;
const easeInOut = (u) => u * u * u * (u * (6 * u - 15) + 10);
export const segment = (t, from, to) => easeInOut(clamp((t - from) / (to - from))); // 0 … 1
export const sumOf = (list, value) => list.reduce((total, one) => total + value(one), 0);

// A ribbon is the trace of a bar's left edge: both follow one curve, so a bar always stands at the end of its ribbon.
export const curve = { x: (u) => 1.5 * u - 1.5 * u * u + u * u * u, y: (u) => u * u * (3 - 2 * u) };

export function ribbon(from, to, className = "rv-flow-ribbon") {
  const middle = (from.x + to.x) / 2;
  const [a0, a1, b0, b1] = [from.y, from.y + from.h, to.y, to.y + to.h].map((y) => y.toFixed(2));
  const there = `M${from.x} ${a0}C${middle} ${a0} ${middle} ${b0} ${to.x} ${b0}`;
  return svg("path", {
    class: className,
    d: `${there}L${to.x} ${b1}C${middle} ${b1} ${middle} ${a1} ${from.x} ${a1}Z`,
  });
}

export const GLYPH = 0.605; // width of a letter of the widest monospaced faces, in its size
const ROOMY = 75; // letters in a panel that has room for longer names

/**
 * The places of a panel of this size, for type of `t` pixels. `longest` says how long names of columns from … to are.
 * @param {{width: number, height: number, t: number, longest: (from: number, to?: number) => number}} room
 */
export function geometryOf({ width, height, t, longest }) {
  const letter = GLYPH * t;
  const [narrow, cap] = [width < 33 * t, width > ROOMY * letter ? 14 : 11];
  const fit = (from, to) => clamp(longest(from, to), 5, cap);
  const letters = narrow
    ? { before: 6, candidate: 6, after: 8 }
    : { before: fit(1, -1), candidate: fit(1), after: fit(1) };
  const [number, bar] = [(narrow ? 4 : 5) * letter, narrow ? 22 : clamp(width * 0.07, 36, 72)];
  const x0 = narrow ? letters.before * letter + 20 : Math.max(letters.before + 3.6, 10) * letter;
  const x2 = width - bar - letters.after * letter - number - (narrow ? 32 : 5 * letter);
  const least = x0 + bar + letters.candidate * letter + (narrow ? 14 : number + 3.6 * letter);
  const x1 = lerp(least, x2 - bar, narrow ? 0.1 : 0.25);
  const [top, gap, pitch] = [1.9 * t, (narrow ? 1.6 : 2.4) * t, 1.3 * t];
  const H = Math.max(40, height - top - gap - 2.4 * t);
  const most = narrow ? 7 : 10;
  return {
    width,
    height,
    t,
    letter,
    narrow,
    letters,
    number,
    bar,
    x0,
    x1,
    x2,
    top,
    gap,
    H,
    floor: top + H + gap,
    pitch,
    most,
  };
}

// A column from the top; forgotten mass (the root) is at the bottom, where a beam has lost mass.
export function stack(bars, { top, floor, H }) {
  let y = top;
  return bars.map((bar) => {
    const h = bar.mass * H;
    return { bar, h, y: bar.isRoot ? floor - h : (y += h) - h };
  });
}

// Rows of text at least `pitch` apart and as near as possible to their bars; without room the lightest are
// left out. rows: {y, weight}; sets row.at, or null.
export function spreadRows(rows, pitch, top, bottom) {
  const room = Math.max(1, Math.floor((bottom - top) / pitch) + 1);
  const chosen = [...rows]
    .sort((a, b) => b.weight - a.weight)
    .slice(0, room)
    .sort((a, b) => a.y - b.y);
  const pools = []; // rows that touch each other stand around the middle of their bars
  chosen.forEach((row, k) => {
    let pool = { total: row.y - k * pitch, n: 1 };
    for (let last = pools.at(-1); last && last.total / last.n > pool.total / pool.n; last = pools.at(-1)) {
      pools.pop();
      pool = { total: pool.total + last.total, n: pool.n + last.n };
    }
    pools.push(pool);
  });
  const end = bottom - (chosen.length - 1) * pitch;
  const starts = pools.flatMap(({ total, n }) => Array(n).fill(clamp(total / n, top, end)));
  for (const row of rows) row.at = null;
  chosen.forEach((row, k) => (row.at = starts[k] + k * pitch));
  return rows;
}
