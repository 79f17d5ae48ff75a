// Rings around the targets of a step, in a layer above the page. They follow their targets, and are cut at the edge of
// a list or the window.

import { html, pool } from "../shared/dom.js";
import { elementsOf, isDetail } from "./pointing.js";

const AROUND = 4; // pixels between a ring and its target
const HEADER = 72; // pixels of the page's own header
const LEAST = 10; // pixels: also rings a line
const FOLLOWING = 600; // milliseconds that a page may move after a change
const MOVING = ["style", "class", "transform", "height", "data-position"];
const FRAMES = ".rv-scroll, .rv-tree-frame, .rv-strip-frame, .rv-heat-frame, .rv-detail-text, .rv-sum-terms";

export function makeRings(node) {
  const rings = pool(node, () => ({ node: html("div", { class: "rv-ring" }) }));
  const state = { targets: [], sought: false, until: 0, frame: 0 };

  function paint() {
    const boxes = state.targets.flatMap(elementsOf).slice(0, 12);
    if (state.sought && boxes.length) {
      state.sought = false;
      boxes[0].scrollIntoView({ block: "nearest", inline: "nearest" });
      clear(boxes[0]);
    }
    const places = boxes.map(placeOf).filter(Boolean);
    rings(places.length).forEach((ring, k) => {
      const { left, top, width, height } = places[k];
      Object.assign(ring.node.style, {
        transform: `translate(${left}px, ${top}px)`,
        width: `${width}px`,
        height: `${height}px`,
      });
    });
  }

  // Paints each frame for a while after any change, since the targets may still move.
  function follow() {
    state.until = performance.now() + FOLLOWING;
    if (!state.frame) state.frame = requestAnimationFrame(frame);
  }

  function frame() {
    paint();
    state.frame = state.targets.length && performance.now() < state.until ? requestAnimationFrame(frame) : 0;
    if (!state.frame && state.targets.some(isDetail)) openDetails();
  }

  const watch = new MutationObserver((changes) => {
    if (state.targets.length && changes.some(({ target }) => !node.contains(target))) follow();
  });
  watch.observe(document.body, { subtree: true, childList: true, attributeFilter: MOVING });
  window.addEventListener("scroll", follow, { capture: true, passive: true });
  window.addEventListener("resize", follow);

  return {
    // `seek`: scroll to the first target, once
    show(targets, seek = false) {
      const same = targets.join("\n") === state.targets.join("\n");
      Object.assign(state, { targets, sought: seek && targets.length > 0 });
      if (!same) [...node.children].forEach((ring) => ring.replaceWith(ring)); // restarts the animation
      paint();
      follow();
    },
    stop() {
      watch.disconnect();
      window.removeEventListener("scroll", follow, { capture: true });
      window.removeEventListener("resize", follow);
      cancelAnimationFrame(state.frame);
    },
  };
}

// Opens the details of the picture if they contain a target that the picture does not have.
function openDetails() {
  document.querySelector(".rv-flow")?.dispatchEvent(new CustomEvent("rv-details"));
}

// Scrolls a target clear of the page's header, and on a phone of the sheet.
function clear(box) {
  const main = box.closest("[data-testid=stMain]");
  if (!main) return;
  const { top, bottom } = box.getBoundingClientRect();
  const sheet = document.querySelector(".rv-dock").getBoundingClientRect();
  const end = sheet.width < main.clientWidth / 2 ? window.innerHeight : sheet.top;
  if (bottom > end - 12) main.scrollTop += Math.min(bottom - end + 12, top - HEADER);
  else if (top < HEADER) main.scrollTop -= HEADER - top;
}

// The visible box of an element within its lists; null if they hide it.
function placeOf(element) {
  let { left, top, right, bottom } = element.getBoundingClientRect();
  for (let frame = element.parentElement?.closest(FRAMES); frame; frame = frame.parentElement?.closest(FRAMES)) {
    const seen = frame.getBoundingClientRect();
    if (right < seen.left || left > seen.right || bottom < seen.top || top > seen.bottom) return null;
    [left, right] = [Math.max(left, seen.left), Math.min(right, seen.right)];
    [top, bottom] = [Math.max(top, seen.top), Math.min(bottom, seen.bottom)];
  }
  const [wide, high] = [Math.max(LEAST, right - left), Math.max(LEAST, bottom - top)];
  const [x, y] = [(left + right - wide) / 2, (top + bottom - high) / 2];
  return { left: x - AROUND, top: y - AROUND, width: wide + 2 * AROUND, height: high + 2 * AROUND };
}
