// @ts-check
// A clock in a page: it reruns Python regularly, but only when that disturbs nothing: not while another
// run is active, a click leads to another page, or the browser still loads widgets, which would lose their values.

import { atRest } from "./rest.js";
import { mounting } from "./view.js";

const UNANSWERED = 25; // ticks until Python is asked once more

/** @type {(root: HTMLElement, payload: { seconds: number }, host: Host) => Clock} */
function start(root, { seconds }, host) {
  /** @type {Clock} */
  const clock = { root, host, tick: seconds * 1000, stop: () => atRest(clock, root, null) };
  wind(clock, clock.tick);
  return clock;
}

/** @type {(clock: Clock, rest: number) => void} */
function wind(clock, rest) {
  const strike = () => {
    clock.host.trigger?.("tick", true);
    wind(clock, UNANSWERED * clock.tick);
  };
  atRest(clock, clock.root, strike, rest);
}

/** @type {(clock: Clock, payload: { seconds: number }) => void} */
function goOn(clock, { seconds }) {
  clock.tick = seconds * 1000;
  wind(clock, clock.tick);
}

export default mounting("rv-clock", start, goOn);
