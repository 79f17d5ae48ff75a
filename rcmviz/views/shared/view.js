// @ts-check
// The life cycle of all views: a view has a root, a host and a width, and three methods: load(payload), build() its
// elements, repaint(due).

import { showDetails } from "./details.js";
import { html, setAttributes } from "./dom.js";
import { keepHistoryShort } from "./links.js";
import { fitFigure, presenting } from "./presenting.js";
import { atRest } from "./rest.js";
import { findTheme } from "./theme.js";
import { explainTitles, explaining } from "./words.js";

export const NARROW = 640;

/** @type {(width: number) => 'narrow' | 'medium' | 'wide'} */
export function sizeClass(width) {
  return width < NARROW ? "narrow" : width < 1000 ? "medium" : "wide";
}

// Whether a window is too low for pictures of full height; the style sheets use the same limit.
export const isLow = () => window.matchMedia("(max-height: 860px)").matches;

/** @type {Record<Depth, number>} */
export const DEPTH = { highlight: 0, paint: 1, layout: 2 }; // how much a change repaints
const NOTHING = -1;

// Functions whose first argument is the view, as methods of the view.
/** @type {<V extends object>(view: V, functions: Record<string, (view: V, ...given: any[]) => unknown>) => void} */
export function giveMethods(view, functions) {
  for (const [name, act] of Object.entries(functions)) {
    Object.assign(view, { [name]: (/** @type {any[]} */ ...given) => act(view, ...given) });
  }
}

// Paints all changes of a frame once, at the deepest level; tests read from rv-step the time until a step is on the
// screen.
/** @type {(view: View, how?: Depth) => void} */
export function changed(view, how = "paint") {
  view.due = Math.max(view.due ?? NOTHING, DEPTH[how]);
  if (view.waiting) return;
  view.waiting = true;
  const start = performance.now();
  requestAnimationFrame(() => {
    view.waiting = false;
    if (paintDue(view) > DEPTH.highlight)
      requestAnimationFrame(() => performance.measure("rv-step", { start, end: performance.now() }));
  });
}

// Paints the pending changes, if any, and returns their depth.
/** @type {(view: View) => number} */
function paintDue(view) {
  const asked = view.root.isConnected ? (view.due ?? NOTHING) : NOTHING;
  view.due = NOTHING;
  if (asked === NOTHING) return asked;
  const due = view.width ? asked : DEPTH.layout; // a hidden view has had no layout, which parts need to paint
  keepingFocus(view, () => view.repaint(due));
  if (due === DEPTH.layout) {
    fitFigure(view);
    explainTitles(view.root);
  }
  return due;
}

// Keeps the focus in the view if the focused element is drawn again; otherwise a page of another site would get the
// next key.
/** @type {(view: View, repaint: () => void) => void} */
function keepingFocus(view, repaint) {
  const { root, host } = view;
  const isInside = () => root.contains(/** @type {Document | ShadowRoot} */ (root.getRootNode()).activeElement);
  const inside = host.guest && isInside();
  repaint();
  if (inside && !isInside()) root.focus({ preventScroll: true });
}

// Parts read their layout before any of them writes, since mixing both would force layouts in between.
/** @type {(parts: Record<string, Part>, due: number) => void} */
export function paintParts(parts, due) {
  if (due === DEPTH.paint) for (const part of Object.values(parts)) part.measure?.();
  if (due === DEPTH.layout) for (const part of Object.values(parts)) part.layout();
  for (const part of Object.values(parts)) {
    if (due === DEPTH.highlight) part.highlight();
    else part.paint();
  }
}

// A new payload is painted at once, since a frame without texts would be visible.
/** @type {(view: View, payload: any) => void} */
export function renew(view, payload) {
  view.announced = null;
  view.load(payload);
  view.build();
  view.due = DEPTH.layout;
  if (view.width) paintDue(view);
  else changed(view, "layout");
}

/** @type {(view: View) => boolean} */
function takeWidth(view) {
  const width = view.root.clientWidth;
  if (!width || width === view.width) return false;
  view.width = width;
  setAttributes(view.root, { "data-size": sizeClass(width) });
  return true;
}

/** @type {(view: View) => void} */
function fit(view) {
  if (takeWidth(view)) changed(view, "layout");
}

// Whether a link leads to another place of the same view, compared with the last one; `opens` is null without
// parameters.
/** @type {(view: View, opens: unknown) => boolean} */
export function opensElsewhere(view, opens) {
  const said = JSON.stringify(opens ?? null);
  const before = view.opened ?? said;
  view.opened = said;
  return said !== before && said !== "null";
}

// Moves a view for a lesson or a class (word/steered.js has further options of the player).
/** @type {(view: View, place: { position?: number, phase?: string }) => void} */
function moveTo(view, { position, phase }) {
  if (position !== undefined) view.go?.(position, phase);
}

// Starts a view; the first drawing waits for a width. `keys` gets every key of the page, on a page of another site only
// those within the view; `stop` ends everything that outlives an element.
/** @type {<V extends View>(view: V, payload: any, keys?: (event: KeyboardEvent) => void) => V} */
export function begin(view, payload, keys = () => {}) {
  view.due = NOTHING;
  view.fitWidth = () => takeWidth(view);
  if (view.host.trigger) keepHistoryShort();
  view.load(payload);
  view.build();
  findTheme(view);
  const watch = new ResizeObserver(() => fit(view));
  watch.observe(view.root);
  fit(view);
  const { guest, inner } = view.host;
  /** @type {HTMLElement | Document} */
  const heard = guest || inner ? setAttributes(view.root, { tabindex: "0" }) : document;
  const hear = /** @type {EventListener} */ (keys);
  heard.addEventListener("keydown", hear);
  view.root.addEventListener("rv-go", (event) => moveTo(view, /** @type {CustomEvent} */ (event).detail));
  view.root.addEventListener("rv-layout", () => changed(view, "layout")); // hidden elements had no width before
  const silence = explaining(view.root);
  const uncover = presenting(view);
  view.stop = () => {
    silence();
    uncover();
    watch.disconnect();
    clearInterval(view.timer);
    atRest(view, view.root, null);
    heard.removeEventListener("keydown", hear);
  };
  return view;
}

// A page of the application sends its payload as bytes of JSON, which Python can reuse in each run.
/** @type {(data: any) => any} */
export const read = (data) => (data instanceof Uint8Array ? JSON.parse(new TextDecoder().decode(data)) : data);

// The function that Streamlit, an exported file or a notebook calls with each new payload: one view per element.
// `start(root, payload, host)` creates the view, `update(view, payload)` changes it. A guest is in a page of another
// site: it has no link, and gets only keys within it. If a payload comes before this script is loaded, Streamlit calls
// twice and ends the first call after the second one: only the end of the last call ends the view.
/**
 * @type {<V extends Mounted>(className: string, start: (root: HTMLElement, payload: any, host: Host) => V, update:
 *   (view: V, payload: any) => void) => (call: Call) => () => void}
 */
export function makeMount(className, start, update) {
  const views = new WeakMap();
  const lastCalls = new WeakMap();
  return ({ parentElement, data, setStateValue, setTriggerValue, guest = false, inner = false }) => {
    const host = { setState: setStateValue, trigger: setTriggerValue, guest, inner };
    /** @type {HTMLElement | null} */
    const found = parentElement.querySelector(`:scope > .${className.replaceAll(" ", ".")}`);
    const root = found ?? parentElement.appendChild(html("div", { class: className }));
    const view = views.get(root);
    const payload = read(data);
    showDetails(root, payload?.details ?? null, Boolean(view && host.trigger && !guest));
    if (view) {
      Object.assign(view.host, host);
      update(view, payload);
    } else {
      views.set(root, start(root, payload, host));
    }
    const call = Symbol("call");
    lastCalls.set(root, call);
    return () => {
      if (lastCalls.get(root) !== call) return;
      views.get(root)?.stop?.();
      views.delete(root);
      root.remove();
    };
  };
}
