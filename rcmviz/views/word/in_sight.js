// Rows of a frame that scrolls: while the user steps, only those in sight, of the frame and of the window, are laid
// out. Two thirds of a long word's are not, and the layout of texts takes most of a step. At rest all are there, for
// whoever searches the page, prints it or has it read.

import { toggle } from "../shared/dom.js";
import { enlargementOf } from "../shared/presenting.js";
import { ROW } from "./list.js";

const REST = 300; // milliseconds after a step
const MARGIN = 4 * ROW; // pixels: what stands above the frame may grow by a line or two with the step

export function rowsInSight(frame) {
  let rows = []; // { node, slot } of each
  let from = -Infinity; // pixels of the frame's content
  let to = Infinity;
  let resting = 0;
  let scrolled = null; // where the frame was before a step was written

  function show() {
    for (const { node, slot } of rows) {
      const top = slot * ROW;
      toggle(node, "rv-out-of-sight", top + ROW < from || top > to);
    }
  }

  // Before anything of a step is written, so that nothing need be laid out for it.
  function measure() {
    const box = frame.getBoundingClientRect();
    const zoom = enlargementOf(frame);
    scrolled = frame.scrollTop;
    from = scrolled + Math.max(0, -box.top) / zoom - MARGIN;
    to = scrolled + (Math.min(window.innerHeight, box.bottom) - box.top) / zoom + MARGIN;
  }

  function showAll() {
    clearTimeout(resting);
    resting = 0;
    scrolled = null;
    from = -Infinity;
    to = Infinity;
    show();
  }

  function step(painted) {
    rows = painted;
    show();
    if (to === Infinity) return;
    clearTimeout(resting);
    resting = setTimeout(showAll, REST);
  }

  // Where the frame has been scrolled.
  function follow() {
    if (!resting) return;
    measure();
    show();
  }

  // Nothing is done if the frame is in place already: measuring would lay out all of it.
  function scrollTo(top) {
    if (top === scrolled) return;
    frame.scrollTop = top;
    follow();
  }

  frame.addEventListener("scroll", follow);
  return { measure, all: showAll, step, scrollTo };
}
