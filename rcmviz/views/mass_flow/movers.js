// What moves in a scene: few candidates have a name and a bar of their own, the others travel in blocks.

import { clamp } from "./geometry.js";

const MOVING = 300; // elements that move at once, in all panels
const NAMES = 36; // of a panel's elements are names and what stands still

const sortKey = (into) => (into < 0 ? Infinity : into);
export const byOrigin = (a, b) => a.origin - b.origin || a.rank - b.rank || sortKey(a.into) - sortKey(b.into);
export const byMass = (a, b) =>
  b.kept - a.kept || a.rank - b.rank || sortKey(a.into) - sortKey(b.into) || a.origin - b.origin;

// The parts of a step as they move: one for each candidate with a name, one for each block. H is the height of all
// mass.
export function moversOf(step, { H, pitch, most, panels }) {
  const named = namedOf(step, { H, pitch, most });
  const blocks = new Map();
  const own = new Map();
  for (const part of step.parts.filter(({ mass }) => mass > 0)) {
    if (named.has(part.one)) addPart(own, [part.rank, part.origin, part.into].join(), part, part.one);
    else addPart(blocks, [part.origin, part.into, part.kept].join(), part);
  }
  const room = Math.max(12, Math.floor(MOVING / panels) - NAMES - own.size);
  return [...own.values(), ...joinLightest([...blocks.values()], room)];
}

function namedOf(step, { H, pitch, most }) {
  const living = 1 - step.lostBefore;
  const names = clamp(Math.round((living * H) / pitch), 6, most);
  const weighing = step.candidates.filter(({ mass }) => mass > 0);
  const kept = weighing.filter((one) => one.kept).length;
  const above = step.isLast ? names : kept < names - 1 ? kept : names - 3;
  const count = { true: 0, false: 0 };
  const chosen = weighing.filter((one) => {
    const place = count[one.kept]++;
    const fits = place < (one.kept ? above : names - above) && (place < 2 || one.mass * H > 2);
    return fits || one === step.fate?.one;
  });
  return new Set(chosen);
}

// Adds a part to the block of a key, or to what moves of the candidate `one`.
function addPart(blocks, key, part, one = null) {
  const block = blocks.get(key);
  const rank = one?.rank ?? Infinity;
  if (!block) blocks.set(key, { ...part, one, rank, goldMass: part.gold * part.mass, members: [part] });
  else {
    block.count += part.count;
    block.mass += part.mass;
    block.goldMass += part.gold * part.mass;
    block.members.push(part);
    if (block.origin !== part.origin) block.origin = -1;
  }
  const found = blocks.get(key);
  found.gold = found.mass > 0 ? found.goldMass / found.mass : 0;
}

// Of too many, the lightest are joined whatever their origin.
function joinLightest(blocks, room) {
  if (blocks.length <= room) return blocks;
  blocks.sort((a, b) => b.mass - a.mass);
  const mixed = new Map();
  for (const block of blocks.slice(room)) {
    for (const part of block.members) addPart(mixed, [part.into, part.kept].join(), part);
  }
  return [...blocks.slice(0, room), ...mixed.values()];
}
