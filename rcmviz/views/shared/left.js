// @ts-check
// The last place of a view in this tab: after an early reload the link may still be an old one.

const KEY = "rv-left";
let asked = false;

// Stores the place of the view at the present address.
/** @type {(place: unknown) => void} */
export function keepPlace(place) {
  try {
    window.sessionStorage.setItem(KEY, JSON.stringify([window.location.href, place]));
  } catch {
 // without storage, the link has to do
  }
}

// The stored place of this address, for the first view after a reload; else null.
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
