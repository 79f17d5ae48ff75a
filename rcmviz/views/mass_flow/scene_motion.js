// A scene at its time 0 … 4, a unit per phase: every pixel is a function of the time, so scrubbing and stepping back
// cost no more than playing.

import { shareText } from "./bar_names.js";
import { clamp, curve, lerp, segment } from "./geometry.js";
import { fadeTo, moveTo, showIf } from "./moves.js";
import { putBar } from "./scene.js";
import { setLeader } from "./scene_names.js";

const [PALE, CUT_PALE] = [0.72, 0.4];

// `away` says how far the next scene has pushed this one out.
export function drawScene(scene, time, away = 0) {
  const now = timesOf(scene, time);
  const { g, root } = scene;
  moveTo(root, `translate(${((g.x0 - g.x2) * away).toFixed(2)} 0)`);
  fadeTo(root, 1 - away);
  drawLayers(scene, now, away);
  for (const box of scene.before) fadeTo(box.piece, (1 - PALE * segment(now.grow, 0, 0.15)) * now.here);
  if (scene.earlier) fadeTo(scene.earlier, now.here);
  for (const part of scene.parts) drawPart(scene, part, now);
  if (scene.budget) {
    fadeTo(scene.budget, segment(time, 2, 2.2) * (1 - segment(time, 3, 3.15)));
    moveTo(scene.line, `${scene.lineAt} scale(${segment(time, 2, 2.4).toFixed(3)} 1)`);
  }
  for (const label of scene.labels) drawLabel(scene, label, now, away);
}

function timesOf({ i, isLast }, time) {
  const start = isLast ? 2 : 3; // of settling: nothing is cut after the last position
  const [keep, flow, fuse] = [
    [0, 0.45],
    [0.25, 0.85],
    [0.88, 0.98],
  ].map(([from, to]) => segment(time, start + from, start + to));
  return {
    ...{ time, start, keep, flow, fuse },
    pan: i > 1 ? segment(time, 0, 0.32) : 1,
    grow: i > 1 ? segment(time, 0.34, 0.88) : segment(time, 0.1, 0.8),
    cut: isLast ? 0 : segment(time, 2, 2.5),
    here: 1 - (isLast ? segment(time, 3, 3.3) : 0), // in the end all but the outputs makes room for the river
    sorted: (order) => segment(time, 1 + 0.3 * order, 1.5 + 0.3 * order), // the heaviest go first
  };
}

function drawLayers(scene, now, away) {
  const { g, i } = scene;
  const { time, grow, keep, flow, fuse, here, pan, start } = now;
  showLayers(scene, now, away);
  for (const layer of [scene.bars, scene.keep, scene.flow, scene.lost, scene.spill]) fadeTo(layer, here);
  uncover(scene.grow, grow > 0 ? (g.x1 - g.x0) * curve.x(grow) : 0);
  uncover(scene.keep, keep > 0 ? (g.x2 - g.x1) * curve.x(keep) : 0);
  uncover(scene.flow, flow > 0 ? (g.x2 - g.x1) * curve.x(flow) : 0);
  uncover(scene.spill, g.width * segment(time, 3.25, 3.85));
  fadeTo(scene.grow, 1 - segment(time, 1, 1.5));
  fadeTo(scene.vessels, segment(time, start, start + 0.2) * (1 - fuse));
  fadeTo(scene.fused, fuse);
  moveTo(scene.ghosts, `translate(${((g.x2 - g.x0) * (1 - pan)).toFixed(2)} 0)`);
  if (scene.bands) {
    const x = i > 1 ? lerp(g.x1, Math.min(0, g.x1 - g.x2 + g.x0), pan) : 0;
    moveTo(scene.bands[2], `translate(${x.toFixed(2)} 0)`);
  }
}

// Layers without visible marks are not drawn at all: the browser then styles and paints few elements in a frame.
function showLayers(scene, { time, start, pan, grow, keep, flow, fuse }, away) {
  const [stands, settles] = [away === 0, time > start];
  for (const layer of [scene.lost, scene.spill]) showIf(layer, stands);
  showIf(scene.bars, stands && grow > 0);
  showIf(scene.grow, grow > 0 && time < 1.5);
  showIf(scene.keep, keep > 0);
  showIf(scene.flow, flow > 0);
  showIf(scene.vessels, settles && fuse < 1);
  showIf(scene.fused, stands && fuse > 0);
  showIf(scene.names.before, pan > 0.4);
  showIf(scene.names.candidate, grow > 0.8 && time < start + 0.5);
  showIf(scene.names.after, settles);
}

function uncover(layer, width) {
  moveTo(layer.clip, `translate(${layer.clipX} 0) scale(${Math.max(0, width).toFixed(2)} 1)`);
}

function drawPart({ g }, part, { time, grow, keep, flow, cut, sorted }) {
  const go = part.kept ? keep : flow;
  let [x, y, h, opacity] = [g.x1, lerp(part.yGroup, part.ySort, sorted(part.order)), part.h, 1];
  if (grow < 1 && part.appears) opacity = grow;
  else if (grow < 1) {
    x = lerp(g.x0, g.x1, curve.x(grow));
    y = lerp(part.y0, part.yGroup, curve.y(grow));
    h = lerp(part.h0, part.h, curve.y(grow));
  }
  y += cut * (part.yCut - part.ySort);
  if (!part.kept) opacity -= CUT_PALE * cut;
  if (part.into < 0) {
    const fall = clamp((time - 3 - 0.15 * part.order) / 0.4); // faster and faster
    y = lerp(y, part.yAfter, fall * fall);
    opacity *= 1 - segment(time, 3.35, 3.75);
  } else if (go > 0) {
    x = lerp(g.x1, g.x2, curve.x(go));
    y = lerp(part.yCut, part.yAfter, curve.y(go));
    opacity = lerp(opacity, part.kept ? 1 : 0.8, go);
  }
  putBar(part.piece, x, y, h);
  fadeTo(part.piece, opacity);
}

function drawLabel(scene, label, now, away) {
  const place = PLACES[label.kind](scene, label, now, away);
  const { x = 0, y = label.y, opacity, isSteady = true, lead = label.leader } = place;
  moveTo(label.group, `translate(${x.toFixed(2)} ${y.toFixed(2)})`);
  fadeTo(label.group, opacity);
  fadeTo(label.line, isSteady ? 0.6 : 0);
  setLeader(label, lead);
}

function placeBefore({ g }, label, { time, pan, here }) {
  const opacity = segment(pan, 0.4, 1) * (1 - 0.45 * segment(time, 1, 1.5)) * here;
  return { x: (g.x2 - g.x0) * (1 - pan), opacity, isSteady: pan === 1 };
}

// The number counts up while mass flows in.
function placeAfter(_, label, { time, start, flow }, away) {
  const number = shareText(lerp(label.own ?? label.mass, label.mass, flow));
  if (label.number && label.shown !== number) label.number.textContent = label.shown = number;
  return { opacity: segment(time, start + 0.25, start + 0.5) * (1 - segment(away, 0, 0.6)) };
}

function placeCandidate({ g }, label, { time, start, grow, cut, sorted }) {
  const [moved, [group, sort, below]] = [sorted(label.order), label.ys];
  const leaves = start + (label.kept ? 0 : 0.2);
  const isPassing = Math.abs(sort - group) > g.pitch; // names that pass others go pale
  const born = group === null ? moved : segment(grow, 0.8, 1) * (isPassing ? 1 - 3.2 * moved * (1 - moved) : 1);
  const pale = label.kept || label.isGold ? 1 : 1 - 0.3 * cut;
  return {
    y: lerp(lerp(group ?? sort, sort, moved), below, cut),
    opacity: born * pale * (1 - segment(time, leaves, leaves + 0.25)),
    isSteady: moved % 1 === 0 && cut % 1 === 0,
    lead: label.leads[cut > 0 ? 2 : moved > 0.5 ? 1 : 0],
  };
}

const PLACES = { before: placeBefore, after: placeAfter, candidate: placeCandidate };
