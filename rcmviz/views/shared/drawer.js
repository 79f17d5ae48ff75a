// @ts-check
// The navigation of a narrow window is a drawer over the page. It closes when a page is chosen in it, and when the page
// next to it is touched: Streamlit leaves it open, also on every later visit.

const NARROW = 768; // pixels
const OPEN = '[data-testid=stSidebar]:not([data-collapsed="true"])';
const CLOSE = "[data-testid=stSidebarCollapseButton] button";

function isDrawerOpen() {
  return window.innerWidth < NARROW && document.querySelector(OPEN) !== null;
}

// After the event, so that a link in the drawer still gets it.
function close() {
  setTimeout(() => isDrawerOpen() && /** @type {HTMLElement | null} */ (document.querySelector(CLOSE))?.click());
}

/** @type {(event: Event) => void} */
function hear({ type, target }) {
  if (!isDrawerOpen() || !(target instanceof Element)) return;
  const isInside = target.closest(OPEN) !== null;
  const isChoice = type === "click" && target.closest("[data-testid=stSidebarNavLink]") !== null;
  if (isChoice || (!isInside && type === "pointerdown")) close();
}

export function watchDrawer() {
  for (const type of ["click", "pointerdown"]) document.addEventListener(type, hear, true);
}
