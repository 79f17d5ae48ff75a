// A recorded training plays by itself when it is first seen, and when it is played: its curves grow from beginning
// to end, with the reading at the checkpoint, and later parts are behind a curtain.

import { svg } from "../shared/dom.js";
import { changed } from "../shared/view.js";

const SECONDS = 6;
const BEAT = 60; // milliseconds

const isStill = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

// Plays a recording when it is first shown; with reduced motion its end is shown instead.
export function replayFirst(view) {
  const { recorded, step } = view.payload;
  if (recorded && step === null && !isStill()) replay(view);
}

export function replay(view) {
  clearInterval(view.timer);
  let [share, before] = [0, performance.now()];
  Object.assign(view, { playing: true, step: null, replayed: view.earliest });
  view.timer = setInterval(() => {
    const now = performance.now();
    share += (view.speed * (now - before)) / (1000 * SECONDS);
    before = now;
    if (share >= 1 || !view.root.isConnected) endReplay(view);
    else view.replayed = Math.max(view.earliest, Math.round(share * view.longest));
    changed(view);
  }, BEAT);
  changed(view);
}

export function endReplay(view) {
  if (view.replayed === null) return;
  clearInterval(view.timer);
  Object.assign(view, { playing: false, replayed: null });
}

// Hides a chart to the right of x.
export function hideRightOf({ plot }, x) {
  const box = { x: x + 1, y: plot.top - 6, width: Math.max(0, plot.right - x), height: plot.bottom - plot.top + 9 };
  return svg("rect", { class: "rv-curtain", ...box });
}
