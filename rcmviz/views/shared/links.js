// @ts-check
// The link of a page: its parameters for a view, and the browser's history.

import { isFollowing } from "./leaving.js";
import { atRest } from "./rest.js";

const AROUND = 240; // pixels of settings above and below a view
const HIGHEST = 800; // pixels of an iframe, which scrolls and has to fit into a window

// Once a view is at rest, the browser writes its place to the link. An exported file has no link, and a refused payload
// has no place.
/** @type {<V extends View>(view: V, linkTo: (view: V) => string) => void} */
export function settleLink(view, linkTo) {
  if (!view.payload.error) tellPlace(view, linkTo(view));
  const write = () => {
    if (!view.payload.error) window.history.replaceState(window.history.state, "", linkTo(view));
  };
  atRest(view, view.root, view.host.trigger && !view.playing ? write : null);
}

// Reports the place of a view at once to a lesson or class: the parameters of its link, as texts.
/** @type {(view: View, link: string) => void} */
export function tellPlace(view, link) {
  if (link === view.announced) return;
  view.announced = link;
  const detail = Object.fromEntries(new URL(link).searchParams);
  view.root.dispatchEvent(new CustomEvent("rv-place", { bubbles: true, detail }));
}

// The present address with these parameters; null removes one.
/** @type {(values: Record<string, string | number | null>) => string} */
export function linkWith(values) {
  const link = new URL(window.location.href);
  for (const [name, value] of Object.entries(values)) {
    if (value === null) link.searchParams.delete(name);
    else link.searchParams.set(name, String(value));
  }
  return link.href;
}

// HTML of an iframe with the view of a link, as high as it is now, at most as a window. The application hides its frame
// there.
/** @type {(view: View, link: string) => string} */
export function frameOf(view, link) {
  const source = new URL(link);
  if (view.host.trigger) source.searchParams.set("embed", "true");
  const height = Math.min(HIGHEST, Math.ceil(view.root.scrollHeight + AROUND));
  const title = (view.payload.title || "rcmviz").replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const src = source.href.replaceAll("&", "&amp;");
  return `<iframe src="${src}" title="${title}" width="100%" height="${height}" loading="lazy"></iframe>`;
}

const THIS_COMPUTER = /^(localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\])$/;
const THIS_NETWORK = /^(10|192\.168|172\.(1[6-9]|2\d|3[01])|169\.254)\.|^\[f[cde]|\.(local|lan|internal)$|^[^.[]+$/;

// Whether a link is to a server that only this computer reaches.
/** @type {(link: string) => boolean} */
export const isHereOnly = (link) => THIS_COMPUTER.test(new URL(link).hostname);

// A note if a link does not open everywhere: the address of a file or of this computer, or a name of a text that is
// stored on this computer (pages/shell/text_store.py).
/** @type {(link: string) => string | null} */
export function opensOnly(link) {
  const { protocol, hostname, searchParams } = new URL(link);
  if (protocol === "file:") return "on this computer only: the address is a file";
  const isKept = [...searchParams.values()].some((value) => value.startsWith("only-here."));
  if (isKept || THIS_COMPUTER.test(hostname)) return "on this computer only";
  return THIS_NETWORK.test(hostname) ? "in this network only" : null;
}

// Whether a link has no parameters of its page: the choice of details comes before them.
const isBare = (/** @type {string} */ search) => /^(\?details=[01])?$/.test(search);

// Whether a link names the view that the address names, at whatever place.
const isSameView = (/** @type {URL} */ link) => viewOf(link) === viewOf(new URL(window.location.href));

// Python, which writes a position after the view has moved there, does not know its phase.
/** @type {(link: URL) => URL} */
function keepPhase(link) {
  const here = new URLSearchParams(window.location.search);
  const phase = here.get("phase");
  if (phase && here.get("pos") === link.searchParams.get("pos") && !link.searchParams.has("phase"))
    link.searchParams.set("phase", phase);
  return link;
}

// Streamlit makes an entry in the history for a page's name and another for its parameters, in either order, so that
// one step back would open the same page again. The second entry replaces the first one.
//
// Parameters that arrive before the name of a clicked page are not written: with the name of the old page, a reload or
// Back would open that page with them. Streamlit writes them again with the name, up to a second later.
export function keepHistoryShort() {
  const { history, location } = window;
  if (isShort(history.pushState)) return;
  const push = history.pushState.bind(history);
  /** @type {string | null} */
  let pushed = null;
  /** @type {Write} */
  const short = (state, title, address) => {
    const next = new URL(address ?? "", location.href);
    const fresh = location.href === pushed;
    const here = next.pathname === location.pathname;
    if (here && isFollowing()) return;
    const begins = fresh && here && isBare(location.search); // /align, then /align?word=…
    const moves = fresh && !here && next.search && next.search === location.search; // /step?word=…, then /align?word=…
    if (isSameView(next)) {
      history.replaceState(state, title, keepPhase(next).href);
      if (fresh) pushed = location.href;
      return;
    }
    if (begins || moves) history.replaceState(state, title, address);
    else push(state, title, address);
    pushed = moves || (begins && !isBare(next.search)) ? null : next.href;
  };
  short.isShort = true;
  history.pushState = short;
}

/** @type {(write: Write) => boolean} */
const isShort = (write) => Boolean(write.isShort);

/** @type {Set<Hearer> | null} */
let hearers = null;

// Watches writes to the address: `heard()` is called, and `corrected(link)` may adapt the link if Python is behind. An
// address that differs only in order or in the place of a player is no further step of the history. Returns a function
// that ends it.
/** @type {(heard: () => void, corrected: (link: URL) => void) => () => void} */
export function hearLink(heard, corrected) {
  const all = hearers ?? new Set();
  if (!hearers) hearWrites((hearers = all));
  const hearer = { heard, corrected };
  all.add(hearer);
  return () => all.delete(hearer);
}

// The part of a link that names a view, without its place and the choice of details.
/** @type {(link: URL) => string} */
function viewOf({ pathname, searchParams }) {
  const view = new URLSearchParams(searchParams);
  for (const place of ["pos", "node", "phase", "details"]) view.delete(place);
  view.sort();
  return `${pathname}?${view}`;
}

/** @type {(all: Set<Hearer>) => void} */
function hearWrites(all) {
  const { history, location } = window;
  const [push, replace] = [history.pushState.bind(history), history.replaceState.bind(history)];
  /** @type {(write: Write) => Write} */
  const writing = (write) => (state, title, address) => {
    const link = new URL(address ?? "", location.href);
    for (const { corrected } of all) corrected(link);
    (isSameView(link) ? replace : write)(state, title, link.href);
    for (const { heard } of [...all]) heard();
  };
  const pushState = Object.assign(writing(push), { isShort: isShort(history.pushState) });
  Object.assign(history, { pushState, replaceState: writing(replace) });
}
