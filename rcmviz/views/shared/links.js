// @ts-check
// The link of a page: what it says of a view, and the browser's history.

import { isFollowing } from "./leaving.js";
import { atRest } from "./rest.js";

const AROUND = 240; // pixels of settings above and below a view
const HIGHEST = 800; // pixels of an iframe, which scrolls: more does not fit into a window

// Once a view is at rest, its link says where: the browser's own business. An exported file has no link to speak of,
// and what was refused in the meantime has no place in it.
/** @type {<V extends View>(view: V, linkTo: (view: V) => string) => void} */
export function settleLink(view, linkTo) {
  if (!view.payload.error) tellPlace(view, linkTo(view));
  const write = () => {
    if (!view.payload.error) window.history.replaceState(window.history.state, "", linkTo(view));
  };
  atRest(view, view.root, view.host.trigger && !view.playing ? write : null);
}

// What stands around a view, a lesson or a class, hears at once where it stands: the parameters of its link, as texts.
/** @type {(view: View, link: string) => void} */
export function tellPlace(view, link) {
  if (link === view.announced) return;
  view.announced = link;
  const detail = Object.fromEntries(new URL(link).searchParams);
  view.root.dispatchEvent(new CustomEvent("rv-place", { bubbles: true, detail }));
}

// The present address with these parameters; null takes one away.
/** @type {(values: Record<string, string | number | null>) => string} */
export function linkWith(values) {
  const link = new URL(window.location.href);
  for (const [name, value] of Object.entries(values)) {
    if (value === null) link.searchParams.delete(name);
    else link.searchParams.set(name, String(value));
  }
  return link.href;
}

// A web page's lines that show what a link shows, as high as it is now or as a window. The application leaves its frame
// away there.
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

// Where a link opens, if not everywhere: the address of a file or of this computer leads nowhere else, and a name that
// only this computer keeps (pages/shell/text_store.py) says nothing elsewhere.
/** @type {(link: string) => string | null} */
export function opensOnly(link) {
  const { protocol, hostname, searchParams } = new URL(link);
  if (protocol === "file:") return "on this computer only: it names a file";
  const isKept = [...searchParams.values()].some((value) => value.startsWith("only-here."));
  if (isKept || THIS_COMPUTER.test(hostname)) return "on this computer only";
  return THIS_NETWORK.test(hostname) ? "in this network only" : null;
}

// Streamlit gives a page's name and its parameters an entry of the history each, in either order, so that one step back
// would lead to the same page again. The second of the two takes the place of the first instead.
//
// Where a link was pressed, parameters that come first are not written: behind the name of the page that is left a
// reload, or Back, would open that page with them. Streamlit writes them again with the name, once React has drawn the
// page (.1 to 1 s later at a load of 19).
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
    const begins = fresh && here && !location.search; // /align, then /align?word=…
    const moves = fresh && !here && next.search && next.search === location.search; // /step?word=…, then /align?word=…
    if (begins || moves) history.replaceState(state, title, address);
    else push(state, title, address);
    pushed = begins || moves ? null : next.href;
  };
  short.isShort = true;
  history.pushState = short;
}

/** @type {(write: Write) => boolean} */
const isShort = (write) => Boolean(write.isShort);

/** @type {Set<Hearer> | null} */
let hearers = null;

// When Streamlit or we write the address of the page: `heard()` is called, and `corrected(link)` may add what Python
// cannot know yet; an address equal to the present one, except for its order or a player's place, is no further step of
// the history. Returns what ends that.
/** @type {(heard: () => void, corrected: (link: URL) => void) => () => void} */
export function hearLink(heard, corrected) {
  const all = hearers ?? new Set();
  if (!hearers) hearWrites((hearers = all));
  const hearer = { heard, corrected };
  all.add(hearer);
  return () => all.delete(hearer);
}

// What a link shows, wherever in it.
/** @type {(link: URL) => string} */
function viewOf({ pathname, searchParams }) {
  const view = new URLSearchParams(searchParams);
  for (const place of ["pos", "node"]) view.delete(place);
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
    (viewOf(link) === viewOf(new URL(location.href)) ? replace : write)(state, title, link.href);
    for (const { heard } of [...all]) heard();
  };
  const pushState = Object.assign(writing(push), { isShort: isShort(history.pushState) });
  Object.assign(history, { pushState, replaceState: writing(replace) });
}
