// The clock: it counts phases, four a position, and moves by playing, stepping or gliding.

import { clamp } from "./geometry.js";

const SECONDS = [2.8, 1.8, 1.8, 2.8]; // grow, sort, cut, settle: each moves first and rests then
const SLOW = 0.3;
export const END = 0.999; // of a phase: where it is looked at after it has moved
const BACK = 3; // phases a second, backwards
const NEAR = 8; // phases: longer ways are a cross-fade
const NAMES = ["Grow", "Sort", "Cut", "Settle"];
export const PHASES = NAMES.map((name) => name.toLowerCase());
const LAST_NAMES = ["Grow", "Sort", "Read", "Result"];

export const phaseNames = (view, i) => (i === view.payload.T ? LAST_NAMES : NAMES);
export const isStill = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

// "cut" for the end of the third phase, "cut.35" within it; what the link says.
export function phaseText(view) {
  const { phase, time } = view.where();
  const within = Math.round(100 * (time - phase));
  const name = PHASES[phase];
  return within >= 99 ? name : `${name}.${String(within).padStart(2, "0")}`;
}

// The time 0 … 4 that such a text says; of none the beginning.
export function phaseTime(text) {
  const [name, within] = String(text ?? "").split(".");
  const phase = PHASES.indexOf(name);
  if (phase < 0) return 0;
  const part = /^\d\d$/.test(within ?? "") ? Number(within) / 100 : END;
  return phase + part;
}

const POSITION = SECONDS.reduce((total, one) => total + one, 0);

// The place of a run after a number of seconds at normal speed.
export function timeAfter(seconds) {
  const before = Math.floor(seconds / POSITION);
  let [rest, phase] = [seconds - before * POSITION, 0];
  while (phase < 3 && rest >= SECONDS[phase]) rest -= SECONDS[phase++];
  return 4 * before + phase + Math.min(1, rest / SECONDS[phase]);
}

// Seconds that a number of positions play.
export const secondsOf = (T) => T * POSITION;

/** What moves the clock of a view: `view.s` is its time, `view.goal` where a glide ends, null while it plays on. */
export const clockOf = (view) => {
  const end = () => 4 * view.payload.T;

  function tick(now) {
    if (!view.playing || !view.root.isConnected) return;
    const seconds = Math.min(0.05, (now - (view.ticked ?? now)) / 1000);
    const goal = view.goal ?? end();
    view.ticked = now;
    if (goal < view.s) view.put(Math.max(goal, view.s - seconds * BACK));
    else {
      const rate = ((view.isSlow ? SLOW : 1) * view.hurry * view.pace(view.where().i)) / SECONDS[view.where().phase];
      view.put(Math.min(goal, view.s + seconds * rate));
    }
    if (view.s === goal) view.pause();
    else requestAnimationFrame(tick);
  }

  // Plays to a goal (null: to the end), or stops.
  function run(goal, isOn) {
    if (isOn && goal === null && view.s >= end()) view.s = 0;
    const begins = isOn && !view.playing;
    Object.assign(view, { goal, playing: isOn, hurry: goal === null ? 1 : Math.max(1, goal - view.s) });
    if (begins) {
      view.ticked = null;
      requestAnimationFrame(tick);
    }
    view.paintControls();
    if (!isOn) view.rested();
  }

  return {
    where() {
      const i = Math.min(view.payload.T, Math.floor(view.s / 4) + 1);
      const time = view.s - 4 * (i - 1);
      return { i, time, phase: Math.min(3, Math.floor(time)) };
    },
    put(s) {
      view.s = clamp(s, 0, end());
      view.drawNow();
    },
    play(isOn = true) {
      if (isOn && isStill()) view.stepPhase(1);
      else run(null, isOn);
    },
    pause: () => run(null, false),
    // To a place by moving there; from far away, or without motion, by a cross-fade.
    glide(s) {
      const goal = clamp(s, 0, end());
      if (!isStill() && Math.abs(goal - view.s) < NEAR) {
        run(goal, true);
        return;
      }
      view.crossFade();
      view.s = goal;
      view.drawNow();
      view.pause();
    },
    // A phase on or back: to where it has come to rest. A second press skips to there.
    stepPhase(direction) {
      if (view.playing && view.goal !== null) view.put(view.goal);
      const rest = (n) => (n > 0 ? n - 1 + END : 0);
      const s = isStill() && view.s > 0 ? Math.floor(view.s) + END : view.s;
      const n = Math.floor(s + 2 * (1 - END));
      view.glide(direction > 0 ? rest(n + 1) : rest(Math.abs(s - rest(n)) < 2 * (1 - END) ? n - 1 : n));
    },
    // To the end of the next position, or of the one before.
    stepPosition(direction) {
      if (view.playing && view.goal !== null) view.put(view.goal);
      const i = (view.s > 0 ? view.where().i : 0) + direction;
      view.glide(i > 0 ? 4 * i - 1 + END : 0);
    },
    // To the end of a phase of a position.
    go(position, phase = "settle") {
      const i = clamp(Math.round(position) || 1, 1, view.payload.T);
      view.glide(4 * (i - 1) + phaseTime(phase));
    },
  };
};
