// The panels: one run each, with its scenes, its large river, what it reads and what it has lost.

import { html, setAttributes, setText, svg } from "../shared/dom.js";
import { methodClass, methodMark } from "../shared/methods.js";
import { countText } from "../shared/numbers.js";
import { briefLabels, lostText } from "./bar_names.js";
import { clamp, geometryOf, lerp, segment } from "./geometry.js";
import { beginningOf, fullName } from "./model.js";
import { drawRiver } from "./river.js";
import { buildScene, dyeScene } from "./scene.js";
import { drawScene } from "./scene_motion.js";

const MOST = 60; // positions of the large river
const SCENES = 4; // that a panel keeps: of the present position, those next to it, and the one that leaves
const FADE = 450; // milliseconds of a cross-fade

function doesText(run) {
  if (run.method === "exact") return "keeps all";
  if (run.merges) return "merges what is cut";
  return run.draws ? "drops what is not drawn" : "drops what is cut";
}

export function makeStage(view) {
  const node = html("div", { class: "rv-flow-stage" });
  const panels = view.runs.map((run) => makePanel(run));
  node.append(...panels.map((panel) => panel.node));
  let around = 0; // the position whose neighbours are ready

  function layout() {
    const { clientWidth: width, clientHeight: height } = panels[0].frame;
    const t = view.fontSize();
    const longest = (from, to) => longestName(view, from, to);
    view.geometry = geometryOf({ width, height, t, longest });
    panels.forEach((panel, r) => panel.layout(view, view.runs[r]));
    around = 0;
  }

  function paint() {
    panels.forEach((panel, r) => panel.paint(view, view.runs[r]));
    prepareNeighbours(view.where().i);
  }

  // The followed context changes shares, no places.
  function dye() {
    panels.forEach((panel, r) => panel.dye(view, view.runs[r]));
  }

  // The scenes before and after are made ready while nothing happens, one at a time, so that a step need not wait.
  function prepareNeighbours(i) {
    if (around === i) return;
    around = i;
    const missing = [i + 1, i - 1].filter((at) => at >= 1 && at <= view.payload.T);
    const tasks = missing.flatMap((at) => panels.map((panel, r) => () => sceneAt(view, view.runs[r], panel, at)));
    const next = () => {
      if (around !== i || !tasks.length || !node.isConnected) return;
      tasks.shift()();
      whenIdle(next);
    };
    whenIdle(next);
  }

  const crossFade = () => panels.forEach(fade);
  return { node, layout, paint, dye, crossFade, frames: panels.map((panel) => panel.frame) };
}

const whenIdle = (act) => (window.requestIdleCallback ?? setTimeout)(act);

function longestName(view, from, to) {
  let longest = 0;
  for (const run of view.runs) {
    for (const bar of run.columns
      .slice(from, to)
      .flat()
      .filter((one) => !one.isOthers)) {
      longest = Math.max(longest, fullName(view, bar, bar.position).length);
    }
  }
  return longest;
}

// A picture of what was there, which goes pale.
function fade({ frame, root }) {
  const old = html("div", { class: "rv-flow-snapshot", "aria-hidden": "true" }, root.cloneNode(true));
  for (const named of old.querySelectorAll("[tabindex]")) named.removeAttribute("tabindex");
  frame.append(old);
  setTimeout(() => (old.style.opacity = 0), 20);
  setTimeout(() => old.remove(), FADE);
}

function makePanel(run) {
  const root = svg("svg", { role: "group", "aria-label": run.name, class: "rv-drawing" });
  const frame = html("div", { class: "rv-flow-frame" }, root);
  const reads = html("b", { class: "rv-flow-name" });
  const output = html("output", {}, "reads", reads);
  const does = html("small", {}, `${methodMark(run)} ${doesText(run)}`);
  const head = html("h2", { class: "rv-flow-panel-title" }, run.name, does, output);
  const node = html("section", { class: `rv-flow-panel ${methodClass(run)}` }, head, frame);
  const panel = { node, frame, root, reads, output, scenes: new Map() };
  return Object.assign(panel, {
    layout: (view, own) => layoutPanel(view, own, panel),
    paint: (view, own) => paintPanel(view, own, panel),
    dye: (view, own) => dyePanel(view, own, panel),
  });
}

function layoutPanel(view, run, panel) {
  const g = view.geometry;
  setAttributes(panel.root, { width: g.width, height: g.height, viewBox: `0 0 ${g.width} ${g.height}` });
  panel.scenes = new Map();
  panel.captions = [g.x0, g.x1, g.x2].map((x) =>
    svg("text", { class: "rv-dim", x: x + g.bar / 2, y: g.t, "text-anchor": "middle" }),
  );
  panel.host = svg("g");
  panel.lost = svg("tspan", { class: "rv-flow-big" });
  const when = run.isEnd ? " lost in the end" : " lost so far";
  panel.foot = svg("text", { x: 10, y: g.floor + 1.3 * g.t }, panel.lost, when);
  const zoomY = g.narrow ? g.floor : g.floor + 1.3 * g.t;
  panel.zoom = svg("text", { class: "rv-dim", x: g.width - 10, y: zoomY, "text-anchor": "end" });
  panel.river = riverOf(view, run, panel);
  panel.root.replaceChildren(panel.river, panel.host, ...panel.captions, panel.foot, panel.zoom);
  panel.root.classList.toggle("rv-flow-following", Boolean(run.followed));
}

function riverOf(view, run, panel) {
  const g = view.geometry;
  const { T } = view.payload;
  const from = Math.max(0, T - MOST);
  const x = (i) => lerp(14, g.x2 + 3, (i - from) / (T - from));
  const room = {
    x,
    y: g.top,
    H: g.H,
    gap: g.gap,
    thick: clamp(g.x2 / (T - from) / 4, 1, 6),
    least: 3,
    until: g.width,
    wordsEnd: g.x2,
    from,
    to: T,
  };
  const river = drawRiver(view, run, { ...room, hasEvents: true });
  const lost = 1 - run.left.at(-1);
  panel.large = lost * g.H > 5 * g.t; // in the last picture, if there is room
  const y = g.floor - 2 * g.t;
  if (panel.large) {
    river.append(
      svg(
        "text",
        { class: "rv-flow-large", x: g.width - g.t, y, "text-anchor": "end" },
        `${lostText(run.left.at(-1))} lost`,
      ),
    );
  }
  return river;
}

function dyePanel(view, run, panel) {
  panel.root.classList.toggle("rv-flow-following", Boolean(run.followed));
  for (const scene of panel.scenes.values()) dyeScene(scene, run.followed);
  const river = riverOf(view, run, panel);
  panel.river.replaceWith(river);
  panel.river = river;
}

const farthest = (scenes, i) => [...scenes.keys()].sort((a, b) => Math.abs(b - i) - Math.abs(a - i))[0];

function sceneAt(view, run, panel, i) {
  const known = panel.scenes.get(i);
  if (known) return known;
  if (panel.scenes.size >= SCENES) panel.scenes.delete(farthest(panel.scenes, i)); // they are large
  const scene = buildScene(view, run, i);
  panel.scenes.set(i, scene);
  if (run.followed) dyeScene(scene, run.followed);
  drawScene(scene, i > view.where().i ? 0 : 4);
  return scene;
}

// One or two scenes; elements already in the document stay, as their style and layout are known.
function showScenes({ host }, scenes) {
  const roots = scenes.map(({ root }) => root);
  for (const root of [...host.children]) if (!roots.includes(root)) root.remove();
  roots.forEach((root, k) => {
    if (host.children[k] !== root) host.insertBefore(root, host.children[k] ?? null);
  });
}

function paintPanel(view, run, panel) {
  const { i, phase } = view.where();
  const time = view.timeShown();
  const { isLast, left, leftAfter } = run.steps[i - 1];
  const pan = i > 1 ? segment(time, 0, 0.32) : 1;
  const scenes = (pan < 1 ? [i - 1, i] : [i]).map((at) => sceneAt(view, run, panel, at));
  if (pan < 1) drawScene(scenes[0], 4, Math.max(pan, 1e-6));
  drawScene(scenes.at(-1), time);
  showScenes(panel, scenes);
  const [result, river] = isLast ? [segment(time, 3, 3.4), segment(time, 3.1, 3.9)] : [0, 0];
  const now = isLast && left === leftAfter ? left : lerp(left, leftAfter, segment(time, 3.25, 3.85));
  setText(panel.lost, lostText(now));
  panel.foot.style.opacity = panel.large ? 1 - result : 1;
  const { zoom } = scenes.at(-1);
  setText(panel.zoom, zoom > 1 ? `magnified ${zoomText(zoom)} ×` : "");
  panel.zoom.style.opacity = 1 - result;
  const read = beginningOf(run, phase === 3 || isLast ? i : i - 1);
  setText(panel.reads, read.length ? briefLabels(view, read, read.length, view.geometry.narrow ? 12 : 24) : "–");
  panel.output.style.opacity = 1 - result;
  paintCaptions(view, panel, { time, isLast, result });
  paintRiver(view, panel, river);
}

const zoomText = (zoom) => (zoom < 1e7 ? countText(zoom) : zoom.toExponential(0).replace("e+", "e"));

function paintCaptions(view, panel, { time, isLast, result }) {
  const g = view.geometry;
  const isTight = g.x2 - g.x1 < 5.5 * g.t; // two captions do not fit next to each other
  panel.captions.forEach((caption, k) => {
    setText(caption, ["before", "candidates", isLast ? "outputs" : "after"][k]);
    const seen = segment(time, isLast ? 2 : 3, isLast ? 2.3 : 3.3); // of what comes after
    const gives = k === 1 && isTight ? 1 - seen : 1;
    caption.style.opacity = k === 2 ? seen : (1 - result) * gives;
  });
}

function paintRiver(view, panel, river) {
  const { x2 } = view.geometry;
  const wide = lerp(Math.min(MOST, view.payload.T) * 0.8, 1, river);
  Object.assign(panel.river.style, { opacity: segment(river, 0, 0.5), display: river ? "" : "none" });
  setAttributes(panel.river, { transform: `translate(${x2} 0) scale(${wide.toFixed(3)} 1) translate(${-x2} 0)` });
}
