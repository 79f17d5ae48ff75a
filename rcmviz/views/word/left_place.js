// The place of a player that Streamlit removed during a run of its page. A whole run of the page that is followed by a
// run of the player's fragment before its drawings were sent loses those of the fragment, but not its end: the browser
// takes the player for gone, and the fragment then draws it again, as it opened.

import { isLeaving } from "../shared/leaving.js";

const AWHILE = 5000; // milliseconds: what comes later was opened again

let left = null;

const currentPath = () => window.location.pathname;
const isThere = () => document.querySelector("[data-testid=stApp]") !== null;

// Where a player stands, for `placeLeft`; `page` is the path that it was begun on.
export function leavePlace({ host, page, payload, asked }, place) {
  const stays = !host.guest && !host.inner && isThere() && page === currentPath() && !isLeaving();
  left = stays ? { page, subject: payload.subject, asked, when: Date.now(), place } : null;
}

// The place of a player that went just now, showed the same and was opened where this one is; else nothing.
export function placeLeft({ host, page, payload, asked }) {
  const known = left && !host.inner && Date.now() - left.when < AWHILE;
  const same = known && left.page === page && left.subject === payload.subject && left.asked === asked;
  return same ? left.place : {};
}
