// The player as large as what it holds, for a picture of it: nothing is scrolled out of sight, nothing cut by a frame.

import { toggle } from "../shared/dom.js";
import { DEPTH } from "../shared/view.js";

const FRAMES = ".rv-scroll, .rv-strip-frame, .rv-heat-frame, .rv-differences-frame, .rv-detail, .rv-sum-terms";

// What `act` gives while all is in sight; then everything is as it was, before anybody has seen it.
export function whole(view, act) {
  const frames = [...view.root.querySelectorAll(FRAMES)];
  const places = frames.map((frame) => [frame.scrollLeft, frame.scrollTop]);
  const missing = Math.max(0, ...frames.map((frame) => frame.scrollWidth - frame.clientWidth));
  toggle(view.root, "rv-whole", true);
  if (missing) view.root.style.width = view.root.clientWidth + missing + "px";
  view.repaint(DEPTH.layout);
  try {
    return act();
  } finally {
    toggle(view.root, "rv-whole", false);
    view.root.style.width = "";
    view.repaint(DEPTH.layout);
    frames.forEach((frame, k) => ([frame.scrollLeft, frame.scrollTop] = places[k]));
  }
}
