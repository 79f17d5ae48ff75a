// @ts-check
// A view with tabs: the `kind` of a payload chooses the tab. Shared by all tabs: steps, play, link, refusals.
//
// A tab is {open(view, before), build(view), place(view), marks(view), keys(view), pace}: `open` initializes the view
// from a payload, `build` returns its elements and parts, `place` is the place for the link, `marks` are attributes for
// tests; `keeps(payload, before)` tells whether the present elements can stay.

import { html, setAttributes } from "./dom.js";
import { linkWith, settleLink } from "./links.js";
import { withNames } from "./names.js";
import { findTheme } from "./theme.js";
import { BEAT, giveSteps, pressed, stepKeys } from "./transport.js";
import { begin, changed, giveMethods, makeMount, opensElsewhere, paintParts, renew } from "./view.js";

// The function that Streamlit or an exported file calls; `tabs` by kind.
/** @type {(className: string, tabs: Record<string, Tab>) => (call: Call) => () => void} */
export function tabbed(className, tabs) {
  return makeMount(className, (root, payload, host) => start(tabs, root, payload, host), update);
}

const NEW = { width: 0, last: 1, position: 1, speed: 1, playing: false };

/** @type {(tabs: Record<string, Tab>, root: HTMLElement, host: Host) => TabbedView} */
function makeView(tabs, root, host) {
  const view = /** @type {TabbedView} */ ({ ...NEW, tabs, root, host, parts: {} });
  giveMethods(view, { load, build, repaint, put, linkTo });
  view.results = () => view.tab?.results?.(view) ?? [];
  giveSteps(
    view,
    () => view.last,
    () => view.tab.pace ?? BEAT,
  );
  return view;
}

// A refusal in between is not a payload that a tab could continue from.
/** @type {(view: TabbedView, payload: any) => void} */
function load(view, payload) {
  view.payload = payload;
  if (payload.error) return;
  view.tab = view.tabs[payload.kind];
  view.tab.open(view, view.answered);
  view.answered = payload;
}

/** @type {(view: TabbedView, change: object, how?: Depth) => void} */
function put(view, change, how = "paint") {
  Object.assign(view, change);
  changed(view, how);
}

/** @type {(view: TabbedView) => void} */
function build(view) {
  const { payload } = view;
  if (!payload.error) {
    view.parts = view.tab.build(view);
    return;
  }
  view.parts = {};
  view.root.replaceChildren(html("p", { class: "rv-refusal", role: "alert" }, ...withNames(payload.error)));
}

/** @type {(view: TabbedView, due: number) => void} */
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

/** @type {(view: TabbedView) => string} */
const linkTo = (view) => linkWith(view.tab.place(view));

/** @type {(view: TabbedView) => (event: KeyboardEvent) => void} */
function keysOf(view) {
  const keys = () => ({
    ...(view.last > 1 ? stepKeys(view, () => view.last) : {}),
    ...view.tab.keys(view),
    "?": () => /** @type {TabParts} */ (view.parts).tools.help(),
  });
  return (event) => pressed(view, event, view.payload.error ? {} : keys());
}

/** @type {(tabs: Record<string, Tab>, root: HTMLElement, payload: any, host: Host) => TabbedView} */
function start(tabs, root, payload, host) {
  const view = makeView(tabs, root, host);
  begin(view, payload, keysOf(view));
  opensElsewhere(view, opensWith(view, payload));
  return view;
}

// The parameters of a link that the tab uses; null if there are none.
/** @type {(view: TabbedView, payload: any) => [string, unknown][] | null} */
function opensWith(view, payload) {
  const names = view.tab ? Object.keys(view.tab.place(view)) : [];
  const asked = names.filter((name) => (payload[name] ?? null) !== null);
  return asked.length ? asked.map((name) => [name, payload[name]]) : null;
}

/** @type {(view: TabbedView, payload: any) => void} */
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
