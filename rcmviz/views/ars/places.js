// The layout of the states of q: columns are positions, heights how many words a state remembers.

import { isLow } from "../shared/view.js";

export const FEW = 60; // states that are all drawn by name
const PITCH = { named: 22, low: 20, least: 3, tallest: 460 };
// most states of a column along the path: that remember one word, the same in a low window, that remember more
const MOST = { one: 5, low: 3, tall: 14 };

export function countThere(view) {
  return view.payload.states.born.reduce((count, _, s) => count + view.memory.isThere(s, view.now), 0);
}

// One band per length, the root at the bottom: the more a state remembers, the higher it stands. Along the path a band
// has few rows, and a state takes the first free one counting from its own.
export function placesOf(view) {
  const { states, T } = view.payload;
  const along = view.shows === "path";
  const longest = Math.max(0, ...states.length);
  const cells = Array.from({ length: T + 1 }, () => Array.from({ length: longest + 1 }, () => []));
  states.length.forEach((length, s) => cells[states.column[s]][length].push(s));
  const fullest = Array.from({ length: longest + 1 }, (_, length) =>
    Math.max(...cells.map((column) => column[length].length)),
  );
  const longer = Math.max(1, Math.min(3, Math.floor(MOST.tall / Math.max(1, longest - 1))));
  const rows = fullest.map((count, length) =>
    length && along ? Math.min(count, length === 1 ? (isLow() ? MOST.low : MOST.one) : longer) : count,
  );
  const total = rows.reduce((a, b) => a + b, 0);
  const named = isLow() ? PITCH.low : PITCH.named;
  const pitch = along ? named : Math.max(PITCH.least, Math.min(named, PITCH.tallest / total));
  const gap = pitch < 15 ? 14 : 8;
  const base = [];
  let y = 14 + total * pitch + gap * (rows.length - 1);
  const height = y + 30;
  rows.forEach((count, length) => {
    base[length] = y;
    y -= count * pitch + gap;
  });
  const order = new Map(cells.flat().flatMap((list) => list.map((s, k) => [s, k])));
  return {
    along,
    longest,
    rows,
    pitch,
    height,
    named: pitch >= 15,
    top: (length) => base[length] - rows[length] * pitch,
    at: (s, row = order.get(s)) => [view.columns.at(states.column[s]), base[states.length[s]] - (row + 0.5) * pitch],
    order,
  };
}

// The drawn states and their places: all, or those of the path, those that the round adds, and their neighbours.
export function shownStates(view, places) {
  const {
    memory,
    now,
    payload: { states },
  } = view;
  if (!places.along) {
    const all = states.born.map((_, s) => s).filter((s) => memory.isThere(s, now) || states.born[s] === now);
    return new Map(all.map((s) => [s, places.at(s)]));
  }
  const shown = new Map();
  const taken = new Set();
  const placeState = (s) => {
    const rows = places.rows[states.length[s]];
    for (let k = 0; k < rows && !shown.has(s); k += 1) {
      const row = (places.order.get(s) + k) % rows;
      const spot = `${states.column[s]} ${states.length[s]} ${row}`;
      if (taken.has(spot)) continue;
      taken.add(spot);
      shown.set(s, places.at(s, row));
    }
  };
  memory.walk(now).ends.flat().forEach(placeState);
  neighbours(view, shown).forEach(placeState);
  return shown;
}

// What the states on the path lead to by other words, the youngest first.
function neighbours(view, shown) {
  const {
    memory,
    now,
    payload: { states },
  } = view;
  const near = [];
  states.origin.forEach((origin, s) => {
    if (shown.has(origin) && !shown.has(s) && memory.isThere(s, now)) near.push(s);
  });
  return near.sort((a, b) => states.born[b] - states.born[a]);
}

// Pointer and click find the nearest state: shapes can be three pixels small, and names are wide.
export function nearestState(shown, places, [x, y]) {
  let best = [null, 18];
  for (const [s, at] of shown) {
    const far = Math.hypot((at[0] - x) / (places.named ? 3 : 1), at[1] - y);
    if (far < best[1]) best = [s, far];
  }
  return best[0];
}
