// A scene: one run at one position, and the places of all that moves. From then on all moves by transform and opacity;
// ribbons are uncovered by a clip that is scaled.

import { svg } from "../shared/dom.js";
import { shareText } from "./bar_names.js";
import { clamp, ribbon, stack, sumOf } from "./geometry.js";
import { outlinesOf } from "./earlier_run.js";
import { addLayer, moveTo } from "./moves.js";
import { byMass, byOrigin, moversOf } from "./movers.js";
import { addNames } from "./scene_names.js";

const THIN = 2.5; // pixels: below it a bar has no outline

export function buildScene(view, run, i) {
  const step = run.steps[i - 1];
  const zoom = zoomOf(step);
  const g = { ...view.geometry, H: view.geometry.H * zoom };
  const [before, after] = [stack(run.columns[i - 1], g), stack(run.columns[i], g)];
  const parts = moversOf(step, { ...g, panels: view.runs.length });
  placeGrown(parts, before, g);
  placeSorted(parts, after, step, g);
  const root = svg("g", { class: "rv-flow-scene" });
  const scene = { run, step, i, g, zoom, isLast: step.isLast, parts, before, after, labels: [], names: {}, root };
  drawStill(view, scene);
  addNames(view, scene);
  return scene;
}

// If hardly any mass is left, a panel magnifies it, with a note.
function zoomOf(step) {
  const { left } = step;
  return left > 0.03 || left <= 0 ? 1 : 10 ** Math.floor(-Math.log10(left));
}

// Grow: from a slice of the bar that a part comes from to a group of its own, with some air between groups. What comes
// from several bars has no slice: it appears.
function placeGrown(parts, before, g) {
  const out = before.map((_, k) => sumOf(parts, (part) => (part.origin === k ? part.mass : 0)));
  const air = Math.min(g.gap / 2 / before.length, g.t / 2);
  const used = before.map(() => 0);
  const order = (part) => (part.origin < 0 ? Infinity : part.origin);
  parts.sort((a, b) => (order(a) === order(b) ? byOrigin(a, b) : order(a) - order(b)));
  let y = g.top;
  parts.forEach((part, k) => {
    if (k && part.origin !== parts[k - 1].origin) y += air;
    const { origin, mass } = part;
    Object.assign(part, { h: mass * g.H, h0: mass * g.H, y0: y, yGroup: y, appears: origin < 0 });
    if (origin >= 0) {
      part.h0 = out[origin] > 0 ? (before[origin].h * mass) / out[origin] : part.h;
      part.y0 = before[origin].y + used[origin];
      used[origin] += part.h0;
    }
    y += part.h;
  });
}

// Sort, cut, settle: by rank, below the budget's line, into a context or to lost mass.
function placeSorted(parts, after, step, g) {
  const filled = after.map(() => 0);
  let lost = g.floor - step.lostAfter * g.H;
  let y = g.top;
  parts.sort(byMass).forEach((part, place) => {
    const { into, kept, h } = part;
    Object.assign(part, { order: place / parts.length, ySort: y, yCut: y + (kept ? 0 : g.gap / 2) });
    part.yAfter = into < 0 ? lost : after[into].y + filled[into];
    if (into < 0) lost += h;
    else filled[into] += h;
    y += h;
  });
}

function drawStill(view, scene) {
  const { run, i, g, parts, before, after, root } = scene;
  const layer = (attributes) => addLayer(root, attributes);
  const makeClip = (name, x) => {
    const id = `rv-flow-${view.serial}-${run.number}-${i}-${name}`;
    const clip = svg("rect", { x: 0, width: 1, height: g.height, transform: `translate(${x} 0) scale(0 1)` });
    root.append(svg("clipPath", { id }, clip));
    return Object.assign(layer({ "clip-path": `url(#${id})` }), { clip, clipX: x });
  };
  [scene.lost, scene.spill] = [layer(), makeClip("spill", g.x1)];
  if (scene.zoom === 1) drawLost(scene);
  [scene.grow, scene.keep, scene.flow] = [makeClip("grow", g.x0), makeClip("keep", g.x1), makeClip("flow", g.x1)];
  [scene.ghosts, scene.vessels, scene.bars, scene.fused] = [layer(), layer(), layer(), layer()];
  for (const [boxes, host, x] of [
    [before, scene.ghosts, g.x0],
    [after, scene.fused, g.x2],
  ]) {
    for (const box of boxes) {
      box.piece = host.appendChild(barOf(g, box.bar.gold));
      box.piece.classList.toggle("rv-flow-thin", box.h < THIN);
      putBar(box.piece, x, box.y, box.h);
      if (box.bar.position && !box.bar.isOthers) view.makeFollowable(box.piece, run, { bar: box.bar });
    }
  }
  const earlier = view.earlier?.runs[run.number];
  if (earlier) {
    scene.earlier = scene.ghosts.appendChild(outlinesOf(earlier, i - 1, g, g.x0));
    scene.fused.append(outlinesOf(earlier, i, g, g.x2));
  }
  after.forEach((box, k) => {
    scene.vessels.append(
      svg("rect", { class: "rv-flow-vessel", x: g.x2, y: box.y, width: g.bar, height: Math.max(1, box.h) }),
    );
    box.own = sumOf(parts, (part) => (part.into === k && part.kept ? part.mass : 0));
  });
  for (const part of parts) drawPart(view, scene, part);
  if (!scene.isLast) drawBudget(scene, layer);
}

function drawPart(view, { run, step, i, g, bars, grow, keep, flow }, part) {
  part.piece = bars.appendChild(barOf(g, part.gold));
  if (part.one) view.makeFollowable(part.piece, run, { one: part.one, i, total: step.total });
  part.piece.classList.add("rv-flow-moves");
  part.piece.classList.toggle("rv-flow-thin", part.h < THIN);
  if (!part.appears) {
    const ends = [
      { x: g.x0, y: part.y0, h: part.h0 },
      { x: g.x1, y: part.yGroup, h: part.h },
    ];
    part.grown = grow.appendChild(ribbon(...ends));
  }
  if (part.into < 0) return;
  part.settled = ribbon({ x: g.x1, y: part.yCut, h: part.h }, { x: g.x2, y: part.yAfter, h: part.h });
  (part.kept ? keep : flow).append(part.settled);
  for (const path of [part.grown, part.settled]) path?.classList.toggle("rv-flow-thin", part.h < THIN);
}

// Lost mass: one band per position, the last two move.
function drawLost(scene) {
  const { run, step, i, g } = scene;
  const levels = [0, i > 1 ? run.steps[i - 2].lostBefore : 0, step.lostBefore, step.lostAfter];
  scene.bands = levels.map((lost, k) => {
    const [y, h] = [g.floor - lost * g.H, (lost - (levels[k - 1] ?? 0)) * g.H];
    const edge = h > 0.1 ? svg("line", { class: "rv-flow-edge", x2: 2 * g.width, y1: y, y2: y }) : null;
    const ground = svg("rect", { class: "rv-flow-lost", y, width: 2 * g.width, height: Math.max(0, h) });
    return (k < 3 ? scene.lost : scene.spill).appendChild(svg("g", {}, ground, edge));
  });
}

// The budget's line, and the sums on either side of it.
function drawBudget(scene, layer) {
  const { step, g, parts } = scene;
  const end = g.top + sumOf(parts, (part) => (part.kept ? part.h : 0));
  const [y, x] = [end + g.gap / 4, g.x1 + g.bar + (g.narrow ? 6 : 18)];
  const drawNote = (text, at, className) => svg("text", { class: `rv-flow-halo ${className}`, x, y: at }, text);
  const line = svg("line", { x2: g.bar + (g.narrow ? 6 : 15) });
  Object.assign(scene, { line, lineAt: `translate(${g.x1 - 3} ${y})` });
  scene.budget = layer({ class: "rv-flow-budget" });
  const above = Math.min((g.top + end) / 2, y - g.pitch);
  const [hasRoom, budget] = [above >= g.top, step.budget ? `budget ${step.budget}` : ""];
  const kept = `kept ${shareText(step.held)}`;
  const below = Math.max(y + g.pitch, end + (g.gap + step.cut * g.H) / 2);
  const notes = [
    hasRoom ? drawNote(kept, above, "rv-flow-own") : null,
    drawNote(hasRoom ? budget : [budget, kept].filter(Boolean).join(": "), y, ""),
    step.cut > 0 ? drawNote(`cut ${shareText(step.cut)}`, below, "rv-dim") : null,
  ];
  scene.budget.append(line, ...notes.filter(Boolean));
}

// A bar of height 1 that is scaled to its mass, with the share of it that is followed and the one that is right.
export function barOf(g, gold) {
  const rect = (className, width) => svg("rect", { class: className, width, height: 1 });
  const [dye, mark] = [rect("rv-flow-dye", g.bar), gold > 0 ? rect("rv-flow-mark", 7) : null];
  const piece = svg("g", {}, rect("rv-flow-fill", g.bar), dye, mark);
  return Object.assign(piece, { dye, mark, gold });
}

export function putBar(piece, x, y, h) {
  const scale = Math.max(h, 0.01);
  moveTo(piece, `translate(${x.toFixed(2)} ${y.toFixed(2)}) scale(1 ${scale.toFixed(3)})`);
  if (piece.mark) moveTo(piece.mark, `scale(1 ${clamp(Math.max(piece.gold, 3 / scale)).toFixed(4)})`);
}

// Repaints which share of each bar and ribbon is followed; null for nothing.
export function dyeScene(scene, found) {
  const { i, before, after, parts } = scene;
  const dye = (piece, share) => moveTo(piece.dye, `scale(${share.toFixed(4)} 1)`);
  for (const [boxes, at] of [
    [before, i - 1],
    [after, i],
  ]) {
    for (const box of boxes) dye(box.piece, found ? found.contexts[at][box.bar.place] : 0);
  }
  for (const part of parts) {
    const members = part.members ?? [part];
    const followed = found ? sumOf(members, (one) => found.share(i, one) * one.mass) : 0;
    const share = part.mass > 0 ? followed / part.mass : 0;
    dye(part.piece, share);
    for (const path of [part.grown, part.settled]) path?.style.setProperty("--rv-flow-share", share.toFixed(3));
  }
}
