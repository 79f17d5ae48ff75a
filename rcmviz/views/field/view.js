// Field: a Markov field over a whole text, one tab at a time. A tab is a module that says what it draws of its payload
// and which keys it has; what all of them share is here: steps, play, the link, refusals.

import { blank } from "./blank.js";
import { learning } from "./learning.js";
import { lifting } from "./lifting.js";
import { neighbours } from "./neighbours.js";
import { tagging } from "./tagging.js";
import { html, setAttributes } from "../shared/dom.js";
import { linkWith, settleLink } from "../shared/links.js";
import { withNames } from "../shared/names.js";
import { findTheme } from "../shared/theme.js";
import { BEAT, pressed, stepKeys } from "../shared/transport.js";
import { begin, changed, giveMethods, mounting, paintParts, renew } from "../shared/view.js";

// A tab is {open(view, before), build(view), place(view), marks(view), keys(view), pace}: `open` sets what the view
// needs of a payload, `build` gives its elements and parts, `place` is what the link says, `marks` what tests read;
// `keeps(payload, before)` whether the elements of the payload before will do.
const TABS = { blank, learning, lifting, neighbours, tagging };

function makeView(root, payload, host) {
  const view = { root, host, width: 0, parts: {}, last: 1, position: 1, speed: 1, playing: false };
  giveMethods(view, { load, build, repaint, go, play, setSpeed, put });
  return view;
}

function load(view, payload) {
  const before = view.payload;
  view.payload = payload;
  if (payload.error) return;
  view.tab = TABS[payload.kind];
  view.tab.open(view, before);
}

function go(view, position) {
  if (view.payload.error) return;
  const next = Math.min(Math.max(1, Math.round(position) || 1), view.last);
  if (next === view.position) return;
  view.position = next;
  changed(view);
}

function play(view, on) {
  clearInterval(view.timer);
  if (view.payload.error) return;
  if (on && view.position === view.last) view.go(1);
  view.playing = on;
  const step = () =>
    view.root.isConnected && view.position < view.last ? view.go(view.position + 1) : view.play(false);
  if (on) view.timer = setInterval(step, (view.tab.pace ?? BEAT) / view.speed);
  changed(view);
}

function setSpeed(view, speed) {
  view.speed = speed;
  if (view.playing) view.play(true);
}

function put(view, change, how = "paint") {
  Object.assign(view, change);
  changed(view, how);
}

function build(view) {
  const { payload } = view;
  if (!payload.error) {
    view.parts = view.tab.build(view);
    return;
  }
  view.parts = {};
  view.root.replaceChildren(html("p", { class: "rv-refusal", role: "alert" }, ...withNames(payload.error)));
}

function repaint(view, due) {
  const { payload } = view;
  setAttributes(view.root, { "data-id": payload.id, "data-error": payload.error ?? null, "data-kind": payload.kind });
  if (!view.width) return;
  setAttributes(view.root, { "data-ready": "true" });
  if (payload.error) return;
  paintParts(view.parts, due);
  setAttributes(view.root, { "data-position": view.position, "data-steps": view.last, ...view.tab.marks(view) });
  settleLink(view, () => linkWith(view.tab.place(view)));
}

function keysOf(view) {
  const keys = () => ({
    ...(view.last > 1 ? stepKeys(view, () => view.last) : {}),
    ...view.tab.keys(view),
    "?": () => view.parts.tools.help(),
  });
  return (event) => pressed(view, event, view.payload.error ? {} : keys());
}

function start(root, payload, host) {
  const view = makeView(root, payload, host);
  return begin(view, payload, keysOf(view));
}

function update(view, payload) {
  findTheme(view);
  const before = view.payload;
  if (payload.id === before.id) return;
  if (!payload.error && before.kind === payload.kind && !before.error && view.tab.keeps?.(payload, before)) {
    load(view, payload);
    changed(view, "layout");
    return;
  }
  view.play(false);
  renew(view, payload);
}

export default mounting("rv-player rv-learning rv-field", start, update);
