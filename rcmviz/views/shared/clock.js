// @ts-check
// A clock in a page, which reruns Python now and then. It does not tick while another run is active, another page is
// being opened, or widgets are loading, since they would lose their first value.

import { atRest } from "./rest.js";
import { makeMount } from "./view.js";

const UNANSWERED = 25; // ticks before another tick without an answer

/** @type {(root: HTMLElement, payload: { seconds: number }, host: Host) => Clock} */
function start(root, { seconds }, host) {
  /** @type {Clock} */
  const clock = { root, host, tick: seconds * 1000, stop: () => atRest(clock, root, null) };
  startTimer(clock, clock.tick);
  return clock;
}

/** @type {(clock: Clock, rest: number) => void} */
function startTimer(clock, rest) {
  const onTick = () => {
    clock.host.trigger?.("tick", true);
    startTimer(clock, UNANSWERED * clock.tick);
  };
  atRest(clock, clock.root, onTick, rest);
}

/** @type {(clock: Clock, payload: { seconds: number }) => void} */
function goOn(clock, { seconds }) {
  clock.tick = seconds * 1000;
  startTimer(clock, clock.tick);
}

export default makeMount("rv-clock", start, goOn);
