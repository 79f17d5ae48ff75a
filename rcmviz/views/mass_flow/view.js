// Where does the mass go? One to three methods on one scale: each position is four phases (grow, sort, cut, settle).
// A beam's dropped mass becomes lost mass; RCMS lets it flow into contexts that remember less.

import { makeControls, keyboard } from "./controls.js";
import { earlierPayload, makeChange } from "./earlier_run.js";
import { linkTo, makeTools } from "./export.js";
import { lineage } from "./lineage.js";
import { followOf, makeMenu } from "./menu.js";
import { fullName, hasEnds, prepareRuns } from "./model.js";
import { makeNumbers } from "./numbers_table.js";
import { END, PHASES, clockOf, isStill, phaseTime } from "./phases.js";
import { makePoster } from "./poster.js";
import { inkOf, makeReading } from "./reading.js";
import { shareText } from "./bar_names.js";
import { GLYPH, segment } from "./geometry.js";
import { makeStage } from "./stage.js";
import { makeTimeline } from "./timeline.js";
import { setBlack } from "../shared/black_wall.js";
import { html, setAttributes, svg } from "../shared/dom.js";
import { linkWith, settleLink, tellPlace } from "../shared/links.js";
import { dressRuns } from "../shared/methods.js";
import { figureAsked, tellPresenting } from "../shared/presenting.js";
import { atRest } from "../shared/rest.js";
import { findTheme } from "../shared/theme.js";
import { begin, changed, makeMount, renew } from "../shared/view.js";
import { leavePlace, placeLeft } from "../word/left_place.js";

let views = 0;

function makeView(root, payload, host, parts) {
  const view = {
    ...{ root, host, payload, serial: (views += 1), width: 0, parts: {}, runs: [], geometry: null },
    ...{ s: 0, goal: null, playing: false, isSlow: false, hurry: 1, followed: null, saidPhase: "" },
    ...{ isEnd: asksForEnd(host), chosen: [], inEnd: null }, // whether bars are shares in the end; runs of both kinds
    ...{ presents: false, presenting: false }, // it has a present mode of its own
    earlier: null, // the runs before the last what-if edit, with their payload
    ...{ held: {}, reported: {} }, // the mode of the details, the place last sent to Python
    pace: () => 1, // how many times as fast as usual a position plays
  };
  Object.assign(view, clockOf(view), drawing(view), following(view), showing(view));
  view.load = (next) => load(view, next);
  view.build = () => build(view, parts);
  view.repaint = () => repaint(view);
  return view;
}

function load(view, payload) {
  const earlier = earlierPayload(view.payload, payload, view.earlier?.payload ?? null);
  view.earlier = earlier && { payload: earlier };
  view.payload = payload;
  dressRuns(payload.runs);
  view.isGlued = payload.labels.every((label) => [...label].length === 1);
  Object.assign(view, { chosen: prepareRuns(payload), inEnd: null });
  takeRuns(view);
  view.followed = null;
  view.saidPhase = "";
  view.s = Math.min(view.s, 4 * payload.T);
}

// The runs with the masses that are shown.
function takeRuns(view) {
  const { payload, chosen } = view;
  const isEnd = view.isEnd && hasEnds(payload);
  if (isEnd) view.inEnd ??= prepareRuns(payload, true);
  const runs = isEnd ? view.inEnd : chosen;
  view.runs = runs.map((run, number) => Object.assign(run, { number, followed: null }));
  dressRuns(view.runs);
  const { earlier } = view;
  if (earlier) earlier.runs = prepareRuns(earlier.payload, isEnd && hasEnds(earlier.payload));
}

export const PARTS = {
  reading: makeReading,
  poster: makePoster,
  change: makeChange,
  stage: makeStage,
  timeline: makeTimeline,
  controls: makeControls,
  numbers: makeNumbers,
  tools: makeTools,
  menu: makeMenu,
};

function build(view, makers) {
  view.parts = Object.fromEntries(Object.entries(makers).map(([name, make]) => [name, make(view)]));
  const { reading, poster, change, ...below } = view.parts;
  view.root.replaceChildren(
    hatching(view),
    html("section", { class: "rv-flow-reading" }, reading.node, poster.node, change?.node),
    ...Object.values(below).map((part) => part.node),
  );
  setAttributes(view.root, { "data-mode": "full", "data-runs": view.runs.length });
}

// Lost mass is hatched; on its way down it fades.
function hatching({ serial, root }) {
  const pattern = svg(
    "pattern",
    {
      id: `rv-flow-hatch-${serial}`,
      width: 6,
      height: 6,
      patternUnits: "userSpaceOnUse",
      patternTransform: "rotate(45)",
    },
    svg("path", { class: "rv-flow-hatch-ground", d: "M0 0h6v6H0z" }),
    svg("path", { class: "rv-flow-hatch-line", d: "M0 0v6" }),
  );
  root.style.setProperty("--rv-flow-hatch", `url(#rv-flow-hatch-${serial})`);
  return svg("svg", { class: "rv-flow-defs", "aria-hidden": "true", width: 0, height: 0 }, pattern);
}

// Lay out all again: the size, the type or the runs have changed.
function repaint(view) {
  if (view.presenting && !view.root.matches(":popover-open")) view.root.showPopover?.();
  if (!view.root.clientWidth) return;
  const { stage, poster, change, ...others } = view.parts;
  poster.layout(); // the height of the frames is what all others leave
  change?.layout();
  fitHeight(view);
  stage.layout();
  for (const part of Object.values(others)) part.layout();
  view.drawNow();
  setAttributes(view.root, { "data-ready": "true", "data-id": view.payload.id });
  view.rested();
}

const [LEAST, MOST] = [206, 560]; // pixels of a frame
const PHONE = 236;
const BELOW = 6; // pixels between the buttons and the end of the window

// The frames take what the window has left: all from the form of the page to the buttons is seen without scrolling.
function fitHeight(view) {
  const isNarrow = view.width < 720;
  setAttributes(view.root, { "data-narrow": isNarrow || null });
  const height = isNarrow ? PHONE : Math.round(Math.min(MOST, Math.max(LEAST, window.innerHeight - around(view))));
  view.root.style.setProperty("--rv-flow-height", view.presenting ? "auto" : `${height}px`);
}

function around({ root, parts: { stage, controls } }) {
  const scrolled = root.closest("[data-testid=stMain]")?.scrollTop ?? window.scrollY;
  const frame = stage.frames[0].getBoundingClientRect();
  return frame.top + scrolled + controls.node.getBoundingClientRect().bottom - frame.bottom + BELOW;
}

function drawing(view) {
  return {
    fontSize: () => parseFloat(getComputedStyle(view.root).fontSize),
    fitText: (text, width) => {
      const most = Math.max(1, Math.floor(width / (GLYPH * view.fontSize())));
      const points = [...text];
      return points.length <= most ? text : `${points.slice(0, Math.max(1, most - 1)).join("")}…`;
    },
    ink: inkOf,
    // Without motion a phase is shown as it ends.
    timeShown() {
      const { time, phase } = view.where();
      return isStill() && view.s > 0 ? phase + END : time;
    },
    drawNow() {
      if (!view.geometry) return;
      const { i, phase } = view.where();
      if (isStill() && view.saidPhase && view.saidPhase !== `${i} ${phase}`) view.crossFade();
      const isNew = view.saidPhase !== `${i} ${phase}`;
      view.saidPhase = `${i} ${phase}`;
      const { stage, timeline, reading, poster, numbers } = view.parts;
      stage.paint();
      timeline?.paint();
      const result = i === view.payload.T ? segment(view.timeShown(), 3, 3.4) : 0;
      show(reading.node, 1 - result);
      show(poster.node, result);
      if (!isNew) return;
      reading.paint();
      numbers?.paint();
      const shares = view.isEnd ? "end" : "chosen";
      const place = { "data-position": i, "data-phase": PHASES[phase], "data-shares": shares };
      setAttributes(view.root, { ...place, "data-moves": isMoving(view) });
      if (view.playing) tellPlace(view, linkTo(view, PHASES[phase])); // who follows plays along
    },
    paintControls: () => view.parts.controls?.paint(),
    crossFade: () => view.geometry && view.parts.stage.crossFade(),
    // The link says where a view stands, once it does.
    rested() {
      if (!view.geometry) return;
      const { node = null } = view.held;
      if (view.root.hasAttribute("data-moves")) view.announced = null; // announced on the way, not yet at rest
      const place = { "data-time": view.s.toFixed(3), "data-moves": isMoving(view), "data-node": node ?? "" };
      setAttributes(view.root, place);
      settleLink(view, linkTo);
      if (view.host.setState && !view.playing) atRest(view.parts, view.root, () => sendPlace(view));
    },
  };
}

const isMoving = (view) => (view.playing && view.goal !== null) || null;

// The link is written first (settleLink): what Python hears comes with the address of that moment. A notebook's model
// knows itself what has changed.
function sendPlace(view) {
  for (const [name, value] of Object.entries({ position: view.where().i, node: view.held.node ?? null })) {
    if (!view.host.guest && view.reported[name] === value) continue;
    view.reported = { ...view.reported, [name]: value };
    view.host.setState(name, value);
  }
}

function show(element, opacity) {
  Object.assign(element.style, { opacity, visibility: opacity < 0.02 ? "hidden" : "" });
}

function following(view) {
  return {
    follow(followed) {
      view.followed = followed;
      for (const run of view.runs) run.followed = followed && lineage(run, followed);
      const ends = view.runs.map((run) => run.followed?.end.toFixed(9)).join(" ");
      setAttributes(view.root, { "data-followed": followed ? ends : null });
      view.parts.stage.dye();
      view.parts.timeline?.layout();
      view.parts.reading.layout();
      view.parts.reading.paint();
      view.drawNow();
      view.rested();
    },
    // A bar or a name that can be pressed: `bar`, or the candidate `one` of position i.
    makeFollowable(piece, run, { bar, one, i, total, isButton }) {
      const at = bar ? bar.position : i;
      const name = fullName(view, bar ?? one, at);
      const note = bar ? shareText(bar.mass) : `${shareText(one.mass)}, ${one.rank} of ${total}`;
      const spot = { bar, one, i };
      const { menu } = view.payload.whatIf ? view.parts : {};
      const act = (box) => (menu ? menu.open(spot, run, piece, box) : view.follow(followOf(run, spot)));
      piece.append(svg("title", {}, `${name}: ${note}`));
      if (view.payload.kind === "ctc" && (bar ?? one).isOutput) return; // its mass comes from many contexts
      piece.classList.add("rv-flow-hit");
      piece.addEventListener("click", ({ clientX: x, clientY: y }) => act(new DOMRect(x, y, 0, 0)));
      if (!isButton) return;
      const label = menu ? `${name}: follow or change` : `follow ${name}`;
      setAttributes(piece, { tabindex: 0, role: "button", "aria-label": label, "data-at": at });
      piece.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        act(piece.getBoundingClientRect());
      });
    },
    forgetEarlier() {
      view.earlier = null;
      changed(view, "layout");
    },
  };
}

function cover({ root }, on) {
  setBlack(false);
  document.documentElement.toggleAttribute("data-rv-presenting", on);
  setAttributes(root, { "data-presenting": on || null, popover: on ? "manual" : null });
}

function showing(view) {
  return {
    toggle: () => (view.playing && view.goal === null ? view.pause() : view.play()),
    setSlow() {
      view.isSlow = !view.isSlow;
      view.paintControls();
    },
    showNumbers: () => view.parts.numbers.toggle(),
    // Bars as mass when it was chosen, or as share in the end.
    setEnd(isEnd = !view.isEnd) {
      if (!hasEnds(view.payload) || isEnd === view.isEnd) return;
      view.crossFade();
      view.isEnd = isEnd;
      takeRuns(view);
      if (view.followed) for (const run of view.runs) run.followed = lineage(run, view.followed);
      sendLooks(view, { share: isEnd ? "end" : null });
      for (const name of ["stage", "timeline", "reading", "numbers", "controls"]) view.parts[name]?.layout();
      view.saidPhase = "";
      view.drawNow();
      view.rested();
    },
    present(on = !view.presenting) {
      if (on === view.presenting) return;
      view.presenting = on;
      cover(view, on);
      if (on) view.root.showPopover?.();
      sendLooks(view, { present: on ? 1 : null });
      tellPresenting(on);
      view.paintControls();
      changed(view, "layout");
    },
  };
}

// Python, which writes the rest of the link, hears of it too, or it would be lost with the next view.
function sendLooks({ host }, looks) {
  if (!host.trigger) return;
  window.history.replaceState(window.history.state, "", linkWith(looks));
  host.trigger("looks", looks);
}

const asksForEnd = (host) => queryOf({ host }).get("share") === "end";
const queryOf = ({ host }) => new URLSearchParams(host.guest || host.inner ? "" : window.location.search);

// Where the page says that the view shall open, or a file's link; or where it stood when Streamlit took it down.
function openingOf(view, payload) {
  const link = view.host.trigger ? new URLSearchParams() : queryOf(view);
  const [position, phase] = [Number(link.get("pos")) || payload.position, link.get("phase") ?? payload.phase];
  view.s = timeOf(position, phase, payload);
  heard(view, payload, position);
  view.held = payload.node ? { node: payload.node } : {};
  view.page = window.location.pathname;
  Object.assign(view, placeLeft(view));
}

// Python knows the place that it asks for.
function heard(view, payload, position = payload.position) {
  view.asked = askedOf(payload);
  view.reported = { position, node: payload.node ?? null };
}

const askedOf = ({ position, phase, node }) => JSON.stringify([position, phase, node]);

function timeOf(position, phase, { T }) {
  return 4 * (Math.min(Math.max(1, Math.round(position)), T) - 1) + phaseTime(phase);
}

// `parts` make the parts of the picture, from top to bottom; `keys(view)` hears keys.
export function start(root, payload, host, parts, keys) {
  const view = makeView(root, payload, host, parts);
  openingOf(view, payload);
  begin(view, payload, keys(view));
  root.addEventListener("rv-go", ({ detail }) => {
    if (detail.share !== undefined) view.setEnd(detail.share === "end");
    if (detail.position === undefined && detail.phase !== undefined) view.go(view.where().i, detail.phase);
  });
  root.addEventListener("rv-held", ({ detail }) => {
    view.held = detail;
    view.rested();
  });
  if (!host.guest && !host.inner && figureAsked() >= 1) view.present(true);
  const resized = () => changed(view, "layout");
  window.addEventListener("resize", resized);
  const { stop } = view;
  view.stop = () => {
    window.removeEventListener("resize", resized);
    const { s, held, reported } = view;
    leavePlace(view, { s, held, reported });
    view.playing = false;
    if (view.presenting) cover(view, false);
    stop();
  };
  return view;
}

export function update(view, payload) {
  findTheme(view);
  const moved = askedOf(payload) !== view.asked;
  if (moved) heard(view, payload);
  if (payload.id === view.payload.id) {
    if (moved) view.go(payload.position, payload.phase ?? "settle");
    else if (view.geometry) view.drawNow();
    return;
  }
  if (moved || payload.subject !== view.payload.subject) view.s = timeOf(payload.position, payload.phase, payload);
  view.pause();
  renew(view, payload);
}

export const drawPicture = makeMount("rv-player rv-flow", (...given) => start(...given, PARTS, keyboard), update);
