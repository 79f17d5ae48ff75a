// @ts-check
// Where this tab left a view: a reload can come before the link was written, and the link would be an old one.

const KEY = "rv-left";
let asked = false;

// Remembers the place of the view that stands at the present address.
/** @type {(place: unknown) => void} */
export function keepPlace(place) {
  try {
    window.sessionStorage.setItem(KEY, JSON.stringify([window.location.href, place]));
  } catch {
    // a browser that keeps nothing: the link has to do
  }
}

// The place that the same address was left at, for the first view after a reload; else null.
/** @type {() => any} */
export function placeLeft() {
  const [navigation] = window.performance.getEntriesByType("navigation");
  if (asked || !(navigation instanceof PerformanceNavigationTiming) || navigation.type !== "reload") return null;
  asked = true;
  try {
    const [address, place] = JSON.parse(window.sessionStorage.getItem(KEY) ?? "[]");
    return address === window.location.href ? place : null;
  } catch {
    return null;
  }
}
