// What the browser alone knows of a link: how the view is looked at. A file on a disk has such a link too.

import { linkWith } from "../shared/links.js";

export function asked(name) {
  return new URLSearchParams(window.location.search).get(name);
}

// Written at once; null takes it away. A file keeps the address that it was opened by.
export function say(view, values) {
  if (view.host.trigger) window.history.replaceState(window.history.state, "", linkWith(values));
}
