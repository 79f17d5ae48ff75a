// What the browser alone knows of a link: how the view is looked at. A file on a disk has such a link too.

import { linkWith } from "../shared/links.js";

export function readParameter(name) {
  return new URLSearchParams(window.location.search).get(name);
}

// Written at once; null takes it away. Python, which writes the rest of the link, hears of it too, or it would be lost
// at the next step. A file keeps the address that it was opened by, and so does a page whose link knows nothing of it.
export function writeParameters(view, values) {
  if (!view.host.trigger || !("editsOf" in view.payload.settings)) return;
  window.history.replaceState(window.history.state, "", linkWith(values));
  view.looks = { ...view.looks, ...values };
  view.host.trigger("looks", view.looks);
}
