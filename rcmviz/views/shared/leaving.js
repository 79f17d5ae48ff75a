// @ts-check
// From the click on a link to another page until that page begins. Streamlit forgets the click if a view reports a
// value before, or if the old page reruns by itself. So views are silent during that time, and the link is clicked
// again if everything is at rest and the page has not changed.
//
// Back and Forward change the address at once, and nothing tells which page is shown until its run begins: views are
// silent until everything has been at rest for a while.

import { watchDrawer } from "./drawer.js";

const LOOK = 200; // milliseconds
const LOST = 1500; // milliseconds of rest on the old page
const TRIES = 3;
const RUNNING = '[data-testid="stApp"]:not([data-test-script-state="notRunning"])';
const LOADING = "[data-testid=stSkeleton]";
const IN_MENU = "[data-testid=stTopNavDropdownLink]";
const LINKS = `[data-testid=stSidebarNavLink], ${IN_MENU}, [data-testid=stPageLink-NavLink]`;

const here = () => window.location.pathname;

export function isRunning() {
  return document.querySelector(RUNNING) !== null;
}

export function isLoading() {
  return document.querySelector(LOADING) !== null;
}

export function isLeaving() {
  const { leaving } = watch;
  return leaving !== null && (leaving.link === null || here() === leaving.from);
}

// Whether a clicked link leads to another page whose name is not in the address yet.
export function isFollowing() {
  return isLeaving() && Boolean(watch.leaving?.link);
}

/** @type {(event: MouseEvent) => void} */
function begin({ isTrusted, target, ctrlKey, metaKey, shiftKey }) {
  if (!isTrusted) return; // clicked by this module
  end();
  /** @type {HTMLAnchorElement | null} */
  const link = target instanceof Element ? target.closest(LINKS) : null;
  if (!link || ctrlKey || metaKey || shiftKey || new URL(link.href).pathname === here()) return;
  leave(link, TRIES);
}

/** @type {(link: HTMLAnchorElement | null, tries: number) => void} */
function leave(link, tries) {
  const menu = document.getElementById(link?.closest("[role=menu]")?.getAttribute("aria-labelledby") ?? "");
  watch.leaving = { link, menu, from: here(), rest: 0, tries, timer: setInterval(look, LOOK) };
}

// A link of a menu disappears with it: the menu is opened again for the click.
/** @type {(link: HTMLAnchorElement, menu: HTMLElement | null) => void} */
function pressAgain(link, menu) {
  if (link.isConnected) {
    link.click();
    return;
  }
  menu?.click();
  const again = `${IN_MENU}[href="${link.getAttribute("href")}"]`;
  requestAnimationFrame(() => /** @type {HTMLElement | null} */ (document.querySelector(again))?.click());
}

function goBack() {
  end();
  leave(null, 0);
}

function look() {
  const { leaving } = watch;
  if (!leaving || !isLeaving()) return end();
  leaving.rest = isRunning() ? 0 : leaving.rest + LOOK;
  if (leaving.rest < LOST) return;
  const { link, menu, tries } = leaving;
  if (tries === 0 || !link || !(link.isConnected || menu?.isConnected)) return end();
  Object.assign(leaving, { rest: 0, tries: tries - 1 });
  pressAgain(link, menu);
}

function end() {
  clearInterval(watch.leaving?.timer);
  watch.leaving = null;
}

// Watches once per document, for all views; another action of the user cancels the repeated click.
/** @type {() => Watch} */
function listen() {
  document.addEventListener("click", begin, true);
  window.addEventListener("popstate", goBack);
  watchDrawer();
  document.addEventListener("keydown", ({ isTrusted, key }) => isTrusted && key !== "Enter" && end(), true);
  return { leaving: null };
}

const watch = (window.rvLeaving ??= listen());
