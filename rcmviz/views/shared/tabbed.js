// A view with tabs, of which a payload has one: its `kind` says which. What all tabs share is here: steps, play, the
// link, refusals.
//
// A tab is {open(view, before), build(view), place(view), marks(view), keys(view), pace}: `open` sets what the view
// needs of a payload, `build` gives its elements and parts, `place` is what the link says, `marks` what tests read;
// `keeps(payload, before)` whether the elements of the payload before will do.

import { html, setAttributes } from "./dom.js";
import { linkWith, settleLink } from "./links.js";
import { withNames } from "./names.js";
import { findTheme } from "./theme.js";
import { BEAT, giveSteps, pressed, stepKeys } from "./transport.js";
import { begin, changed, giveMethods, mounting, opensElsewhere, paintParts, renew } from "./view.js";

// What Streamlit or an exported file calls; `tabs` by kind.
export function tabbed(className, tabs) {
  return mounting(className, (root, payload, host) => start(tabs, root, payload, host), update);
}

function makeView(tabs, root, host) {
  const view = { tabs, root, host, width: 0, parts: {}, last: 1, position: 1, speed: 1, playing: false };
  giveMethods(view, { load, build, repaint, put, linkTo });
  giveSteps(
    view,
    () => view.last,
    () => view.tab.pace ?? BEAT,
  );
  return view;
}

// What was refused in between is no payload that a tab could go on from.
function load(view, payload) {
  view.payload = payload;
  if (payload.error) return;
  view.tab = view.tabs[payload.kind];
  view.tab.open(view, view.answered);
  view.answered = payload;
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
  settleLink(view, linkTo);
}

const linkTo = (view) => linkWith(view.tab.place(view));

function keysOf(view) {
  const keys = () => ({
    ...(view.last > 1 ? stepKeys(view, () => view.last) : {}),
    ...view.tab.keys(view),
    "?": () => view.parts.tools.help(),
  });
  return (event) => pressed(view, event, view.payload.error ? {} : keys());
}

function start(tabs, root, payload, host) {
  const view = makeView(tabs, root, host);
  begin(view, payload, keysOf(view));
  opensElsewhere(view, opensWith(view, payload));
  return view;
}

// What a link asks for of all that a tab's link can say; null where it asks for nothing.
function opensWith(view, payload) {
  const names = view.tab ? Object.keys(view.tab.place(view)) : [];
  const asked = names.filter((name) => (payload[name] ?? null) !== null).map((name) => [name, payload[name]]);
  return asked.length ? asked : null;
}

function update(view, payload) {
  findTheme(view);
  const before = view.payload;
  const elsewhere = !before.error && opensElsewhere(view, opensWith(view, payload));
  if (payload.id === before.id && !elsewhere) return;
  if (!payload.error && before.kind === payload.kind && !before.error && view.tab.keeps?.(payload, before)) {
    load(view, payload);
    changed(view, "layout");
    return;
  }
  view.play(false);
  renew(view, payload);
  if (before.error && !payload.error) opensElsewhere(view, opensWith(view, payload)); // a refusal has no place
}
