// The transport bar: step, play, scrub, speed; for the player also forward or posterior mass and the scale; and the
// keys.

import { html, setAttributes, setText, svg } from "./dom.js";
import { countText } from "./numbers.js";

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

function iconButton(name, label, press) {
  const path = svg("path", { d: ICONS[name] });
  const node = html(
    "button",
    { type: "button", class: "rv-icon rv-" + name, "aria-label": label, title: label, onclick: press },
    svg("svg", { width: 16, height: 16, viewBox: "0 0 16 16", "aria-hidden": "true" }, path),
  );
  return { node, path };
}

// Buttons, scrubber and speed over the steps 1 … last() of a view that can go, play and set its speed; what else can be
// chosen stands behind them. `few` leaves all but play away.
export function makeStepper(view, noun, last, { few = false, speeds = SPEEDS, choices = [] } = {}) {
  const play = iconButton("play", "play (space)", () => view.play(!view.playing));
  const buttons = [
    iconButton("first", `first ${noun} (Home)`, () => view.go(1)),
    iconButton("prev", `previous ${noun} (←)`, () => view.go(view.position - 1)),
    play,
    iconButton("next", `next ${noun} (→)`, () => view.go(view.position + 1)),
    iconButton("last", `last ${noun} (End)`, () => view.go(last())),
  ];
  const scrubber = html("input", {
    type: "range",
    class: "rv-scrubber",
    min: 1,
    max: last(),
    step: 1,
    "aria-label": noun,
    oninput: () => view.go(Number(scrubber.value)),
  });
  const place = html("output", { class: "rv-place" });
  const speed = html(
    "select",
    { class: "rv-speed", "aria-label": "speed", onchange: () => view.setSpeed(Number(speed.value)) },
    speeds.map((value) => html("option", { value, selected: value === view.speed }, value + "×")),
  );
  const node = html(
    "div",
    { class: "rv-transport", role: "toolbar", "aria-label": "player" },
    html(
      "div",
      { class: "rv-buttons" },
      (few ? [play] : buttons).map((button) => button.node),
    ),
    scrubber,
    place,
    few
      ? null
      : html(
          "div",
          { class: "rv-choices" },
          speed,
          choices.map((choice) => choice.node),
        ),
  );

  function paint() {
    const told = `${noun} ${countText(view.position)} of ${countText(last())}`;
    setAttributes(scrubber, { max: last(), "aria-valuetext": told });
    if (scrubber.value !== String(view.position)) scrubber.value = view.position;
    scrubber.style.setProperty(
      "--rv-done",
      last() > 1 ? ((view.position - 1) / (last() - 1)) * 100 + "%" : last() ? "100%" : "0%",
    );
    setText(place, told);
    const label = view.playing ? "pause (space)" : "play (space)";
    setAttributes(play.path, { d: view.playing ? ICONS.pause : ICONS.play });
    setAttributes(play.node, { "aria-label": label, title: label });
    choices.forEach((choice) => choice.paint());
  }

  return { node, layout() {}, paint, highlight() {} };
}

export function pressed(view, event, steps) {
  const step = steps[event.key];
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !view.root.isConnected) return;
  if (!step) {
    tellAnew(view, event);
    return;
  }
  if (taken(view, event)) return;
  event.preventDefault();
  step();
}

// Streamlit's shortcuts are deaf while a form element has the focus, and the bar is one.
function tellAnew(view, { isTrusted, target, key, code }) {
  if (!isTrusted || key.length > 1 || !target.matches?.("input[type=range]") || !view.root.contains(target)) return;
  view.root.dispatchEvent(new KeyboardEvent("keydown", { key, code, bubbles: true, cancelable: true }));
}

const WIDGET_ROLES =
  "[role=tab],[role=slider],[role=radio],[role=combobox],[role=menuitem],[role=grid],[role=textbox]," +
  "[role=spinbutton],[role=dialog]";

function taken(view, event) {
  const { target, key } = event;
  if (!(target instanceof Element)) return false;
  const inside = view.root.contains(target);
  if (target.matches("input[type=range]") && inside) return !["p", "f", "l", "v", " ", "?"].includes(key);
  if (target.matches("input,textarea,select") || target.isContentEditable) return true;
  if (!inside && target.closest(WIDGET_ROLES)) return true;
  return key === " " && Boolean(target.closest("button,summary,a,label"));
}
