// The picture on Home: it plays once by itself when it comes into sight, and rests on what each method reads. Without
// motion it shows that at once. Few controls, and a link that opens Compare at the same moment.

import { keyboardOfMoves, makeButton, makePlay } from "./controls.js";
import { isStill, phaseText } from "./phases.js";
import { PARTS, start, update } from "./view.js";
import { html, setAttributes } from "../shared/dom.js";
import { makeMount } from "../shared/view.js";

const QUICK = 3; // times as fast as usual, but for the position that the page speaks of
const SEEN = 0.6; // share of the panels, or of the window, that is in sight when it begins
const opens = new WeakMap(); // root → tells Python which moment to open

let hasPlayed = false; // in this tab, since it was loaded

function makeHeroControls(view) {
  const play = makePlay(view);
  const closer = html("a", { class: "rv-flow-closer" }, "Look closer");
  closer.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || !opens.get(view.root)) return;
    event.preventDefault();
    opens.get(view.root)("closer", place());
  });
  const place = () => ({ pos: String(view.where().i), phase: phaseText(view) });
  // Before a click or the pointer needs it.
  const aim = () => setAttributes(closer, { href: linkTo(view.payload.link, place()) });
  for (const name of ["pointerenter", "pointerdown", "focus"]) closer.addEventListener(name, aim);
  const node = html(
    "div",
    { class: "rv-flow-controls" },
    makeButton("back", "one phase back (←)", () => view.stepPhase(-1)),
    play.node,
    makeButton("on", "one phase on (→)", () => view.stepPhase(1)),
    closer,
  );

  function paint() {
    play.paint();
    aim();
    setAttributes(view.root, { "aria-busy": view.playing && view.goal === null ? "true" : null });
  }

  return { node, layout: paint, paint };
}

function linkTo({ page, query }, place) {
  return `${page}?${new URLSearchParams({ ...query, ...place })}`;
}

const { reading, poster, stage } = PARTS;
const HERO_PARTS = { reading, poster, stage, controls: makeHeroControls };

function startHero(root, payload, host) {
  root.addEventListener("rv-place", (event) => event.stopPropagation()); // a class does not follow it
  const view = start(root, payload, host, HERO_PARTS, keyboardOfMoves);
  view.pace = (i) => (i === payload.moment ? 1 : QUICK);
  if (isStill() || hasPlayed) view.put(4 * payload.T);
  else playInSight(view);
  return view;
}

function playInSight(view) {
  const [frame] = view.parts.stage.frames;
  const watch = new IntersectionObserver(
    ([{ isIntersecting }]) => {
      if (!isIntersecting) return;
      watch.disconnect();
      if (view.s > 0) return; // the user was quicker
      hasPlayed = true;
      view.play();
    },
    { threshold: SEEN },
  );
  watch.observe(frame);
  const { stop } = view;
  view.stop = () => {
    watch.disconnect();
    stop();
  };
}

const draw = makeMount("rv-player rv-flow rv-flow-hero", startHero, update);

// The link of the page is not the picture's.
export default function drawHero({ parentElement, data, setTriggerValue }) {
  const end = draw({ parentElement, data, inner: true });
  opens.set(parentElement.querySelector(":scope > .rv-flow-hero"), setTriggerValue);
  return end;
}
