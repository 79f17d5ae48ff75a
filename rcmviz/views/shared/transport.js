// @ts-check
// The bar of all views: steps, play, a scrubber, speed and further choices; and the keys for the same.

import { html, setAttributes, svg } from "./dom.js";
import { countText } from "./numbers.js";
import { changed, giveMethods } from "./view.js";
import { setWorded } from "./words.js";

const ICONS = {
  first: "M4 3v10M13 3L6 8l7 5z",
  prev: "M11 3L4 8l7 5z",
  play: "M4 2.5l9 5.5-9 5.5z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  next: "M5 3l7 5-7 5z",
  last: "M12 3v10M3 3l7 5-7 5z",
};
const SPEEDS = [0.5, 1, 2, 4];
export const BEAT = 1000; // milliseconds per step at speed 1
const SHORTEST = 50; // milliseconds between two pictures; higher speeds skip steps

// A view can go to its steps 1 … last(), and play them: pace() milliseconds each at speed 1.
/** @type {(view: View & Stepping, last: () => number, pace?: () => number) => void} */
export function giveSteps(view, last, pace = () => BEAT) {
  /** @type {(position: number) => void} */
  const go = (position) => {
    if (view.payload.error) return;
    const next = Math.min(Math.max(1, Math.round(position) || 1), last());
    if (next === view.position) return;
    view.position = next;
    changed(view);
  };
  /** @type {(on: boolean) => void} */
  const play = (on) => {
    clearInterval(view.timer);
    if (view.payload.error) return;
    if (on && view.position === last()) view.go(1);
    view.playing = on;
    const every = Math.max(SHORTEST, pace() / view.speed);
    const steps = Math.max(1, Math.round((every * view.speed) / pace()));
    const beat = () => (view.root.isConnected && view.position < last() ? view.go(view.position + steps) : play(false));
    if (on) view.timer = setInterval(beat, every);
    changed(view);
  };
  giveMethods(view, { setSpeed });
  Object.assign(view, { go, play });
}

/** @type {(view: Stepping, speed: number) => void} */
export function setSpeed(view, speed) {
  view.speed = speed;
  if (view.playing) view.play(true);
}

/** @type {(name: keyof typeof ICONS, label: string, press: () => void) => { node: HTMLElement, path: SVGElement }} */
function iconButton(name, label, press) {
  const path = svg("path", { d: ICONS[name] });
  const node = html(
    "button",
    { type: "button", class: "rv-icon rv-" + name, "aria-label": label, title: label, onclick: press },
    svg("svg", { width: 16, height: 16, viewBox: "0 0 16 16", "aria-hidden": "true" }, path),
  );
  return { node, path };
}

// A button that plays a view, and pauses it.
/** @type {(view: Stepping) => Control} */
function makePlay(view) {
  const button = iconButton("play", "play (space)", () => view.play(!view.playing));

  function paint() {
    setAttributes(button.path, { d: view.playing ? ICONS.pause : ICONS.play });
    const text = view.playing ? "pause (space)" : "play (space)";
    setAttributes(button.node, { "aria-label": text, title: text });
  }

  return { node: button.node, paint };
}

// A slider over whole numbers; `move` is called with the chosen one.
/** @type {(label: string, move: (step: number) => void) => Scrubber} */
export function makeScrubber(label, move) {
  const node = html("input", {
    type: "range",
    class: "rv-scrubber",
    step: 1,
    "aria-label": label,
    oninput: () => move(Number(node.value)),
  });

  /** @type {(scrubbed: Scrubbed) => void} */
  function paint({ at, first = 0, last, text, disabled = false }) {
    setAttributes(node, { min: first, max: Math.max(0, last), disabled, "aria-valuetext": text });
    if (node.value !== String(at)) node.value = String(at);
    const done = last > first ? (at - first) / (last - first) : last < first ? 0 : 1;
    node.style.setProperty("--rv-done", 100 * done + "%");
  }

  return { node, paint };
}

// Buttons, scrubber and speed over the steps 1 … last() of a view that can go, play and set its speed, followed by
// further choices. `place` names the step, if not by its number.
/** @type {(view: Stepping, noun: string, last: () => number, options?: StepperOptions) => Part} */
export function makeStepper(view, noun, last, { speeds = SPEEDS, choices = [], place = null } = {}) {
  const play = makePlay(view);
  const buttons = [
    iconButton("first", `first ${noun} (Home)`, () => view.go(1)),
    iconButton("prev", `previous ${noun} (←)`, () => view.go(view.position - 1)),
    play,
    iconButton("next", `next ${noun} (→)`, () => view.go(view.position + 1)),
    iconButton("last", `last ${noun} (End)`, () => view.go(last())),
  ];
  const scrubber = makeScrubber(noun, view.go);
  const said = html("output", { class: "rv-place" });
  const speed = html(
    "select",
    { class: "rv-speed", "aria-label": "speed", onchange: () => view.setSpeed(Number(speed.value)) },
    speeds.map((value) => html("option", { value, selected: value === view.speed }, value + "×")),
  );
  const chosen = choices.map((choice) => choice.node);
  const node = html(
    "div",
    { class: "rv-transport", role: "toolbar", "aria-label": "player" },
    html(
      "div",
      { class: "rv-buttons" },
      buttons.map((button) => button.node),
    ),
    scrubber.node,
    said,
    html("div", { class: "rv-choices" }, speed, chosen),
  );

  function paint() {
    const text = place ? place() : `${noun} ${countText(view.position)} of ${countText(last())}`;
    scrubber.paint({ at: view.position, first: 1, last: last(), text, disabled: !last() });
    setWorded(said, text);
    play.paint();
    choices.forEach((choice) => choice.paint());
  }

  return { node, layout() {}, paint, highlight() {} };
}

// The keys of a stepper.
/** @type {(view: Stepping, last: () => number) => Steps} */
export function stepKeys(view, last) {
  return {
    ArrowRight: () => view.go(view.position + 1),
    ArrowLeft: () => view.go(view.position - 1),
    Home: () => view.go(1),
    End: () => view.go(last()),
    " ": () => view.play(!view.playing),
  };
}

// Handles a key pressed anywhere on the page by `steps`, unless a focused widget uses it.
/** @type {(view: View, event: KeyboardEvent, steps: Steps) => void} */
export function pressed(view, event, steps) {
  const step = steps[event.key];
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !view.root.isConnected) return;
  if (!step) {
    sendAgain(view, event);
    return;
  }
  if (belongsToWidget(view, event)) return;
  event.preventDefault();
  step();
}

// Streamlit ignores its shortcuts while a form element has the focus, and the bar is one.
/** @type {(view: View, event: KeyboardEvent) => void} */
function sendAgain(view, { isTrusted, target, key, code }) {
  const isRange = target instanceof Element && target.matches("input[type=range]") && view.root.contains(target);
  if (!isTrusted || key.length > 1 || !isRange) return;
  view.root.dispatchEvent(new KeyboardEvent("keydown", { key, code, bubbles: true, cancelable: true }));
}

const WIDGET_ROLES =
  "[role=tab],[role=slider],[role=radio],[role=combobox],[role=menuitem],[role=grid],[role=textbox]," +
  "[role=spinbutton],[role=dialog]";

/** @type {(node: Element) => boolean} */
const isEditable = (node) => node instanceof HTMLElement && node.isContentEditable;

/** @type {(view: View, event: KeyboardEvent) => boolean} */
function belongsToWidget(view, event) {
  const { target, key } = event;
  if (!(target instanceof Element)) return false;
  const inside = view.root.contains(target);
  if (target.matches("input[type=range]") && inside) return key.length > 1; // arrows and other navigation keys
  if (target.matches("input,textarea,select") || isEditable(target)) return true;
  if (!inside && target.closest(WIDGET_ROLES)) return true;
  return key === " " && Boolean(target.closest("button,summary,a,label"));
}
