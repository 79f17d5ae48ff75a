// @ts-check
// From the press on a link to another page until that page begins. Streamlit forgets the click if it
// receives anything else in between, or reruns the old page by itself. So views send nothing until then; the link is
// clicked again if all is at rest and no other page has come.
//
// Back and Forward change the address at once, and nothing says which page stands there until its run begins: views say
// nothing until all has been at rest for a while.

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

// Whether a link to another page has been pressed whose name does not stand in the address yet.
export function isFollowing() {
  return isLeaving() && Boolean(watch.leaving?.link);
}

/** @type {(event: MouseEvent) => void} */
function begin({ isTrusted, target, ctrlKey, metaKey, shiftKey }) {
  if (!isTrusted) return; // pressed again, by us
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

// A link of a menu goes when the menu closes: the menu is opened for it again.
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

// Once in a document, however many views stand on its pages; another action of the user cancels it.
/** @type {() => Watch} */
function listen() {
  document.addEventListener("click", begin, true);
  window.addEventListener("popstate", goBack);
  document.addEventListener("keydown", ({ isTrusted, key }) => isTrusted && key !== "Enter" && end(), true);
  return { leaving: null };
}

const watch = (window.rvLeaving ??= listen());
