// Present mode, for a wall that a room looks at: the player over the whole window, its type larger, and nothing but the
// word, the stage, the transport and a sentence. The key P, a button and `present=1` in the link begin it; it listens
// to a clicker (PageUp, PageDown), B blanks the wall, E shows the sum of the step, Esc ends it.

import { html, setAttributes, svg } from "../shared/dom.js";
import { methodMark } from "../shared/methods.js";
import { FATES, spell, withNames } from "../shared/names.js";
import { countText, massText } from "../shared/numbers.js";
import { changed } from "../shared/view.js";
import { asked, say } from "./asked.js";
import { makeEquation, toggleEquation } from "./equation.js";
import { ROW } from "./list.js";
import { remembered } from "./rows.js";

const PARAMETER = "present";
const LEAST = 1.6; // times as large as on a desk: 11.5 px become 18
const ROOM = { width: 1066, height: 600 }; // pixels of a desk that a wall shows, where it is large
const GAP = 10; // between panels
const SMALL = 1000; // pixels: no wall is so narrow

export function isAskedFor() {
  return asked(PARAMETER) === "1";
}

// A part of the player like the others; `nodes` stand below them.
export function makePresenter(view) {
  const screen = svg("path", { d: "M1.5 2.5h13v8.5h-13zM8 11v2.5M5 13.5h6M6.5 4.5v4.5l3.5-2.25z" });
  const picture = svg("svg", { width: 16, height: 16, viewBox: "0 0 16 16", "aria-hidden": "true" }, screen);
  const button = html("button", { type: "button", class: "rv-button rv-present", onclick: () => present(view) });
  const caption = html("p", { class: "rv-caption", "aria-live": "polite" });
  const equation = makeEquation(view);
  const blank = html("div", { class: "rv-blank", hidden: true, onclick: () => setBlank(false) });

  function setBlank(on) {
    blank.hidden = !on;
  }

  function layout() {
    equation.layout();
    if (view.presenting) cover(view);
    else setBlank(false);
    button.replaceChildren(view.presenting ? "leave" : picture);
    const title = view.presenting ? "back (Esc)" : "present mode, for a beamer (P)";
    setAttributes(button, { title, "aria-label": title });
  }

  function highlight() {
    equation.highlight();
    if (view.presenting) caption.replaceChildren(...sentences(view));
  }

  const isBlank = () => !blank.hidden;
  const choice = { node: button, paint() {} };
  return { choice, nodes: [equation.node, caption, blank], layout, paint: highlight, highlight, isBlank, setBlank };
}

// Begin present mode, or end it. What a run did further right is not given away meanwhile.
export function present(view, on = !view.presenting) {
  if (Boolean(view.presenting) === on) return;
  view.presenting = on;
  if (on) view.revealedBefore = view.reveal;
  view.setReveal?.(on || Boolean(view.quiz) || view.revealedBefore);
  toggleCover(view, on);
  document.activeElement?.blur?.();
  view.memory = remembered(view);
  say(view, { [PARAMETER]: on ? 1 : null });
  changed(view, "layout");
}

// In the browser's top layer nothing of the page stands above the player or shuts it in.
function toggleCover(view, on) {
  document.documentElement.toggleAttribute("data-rv-presenting", on);
  setAttributes(view.root, { "data-presenting": on, popover: on ? "manual" : null });
  view.resized ??= () => changed(view, "layout");
  if (on) window.addEventListener("resize", view.resized);
  else window.removeEventListener("resize", view.resized);
  if (!on) view.root.style.zoom = "";
}

function cover(view) {
  if (!view.root.matches(":popover-open")) view.root.showPopover?.();
}

// What outlives the player's element, once that has gone.
export function endPresenting(view) {
  if (view.presenting) toggleCover(view, false);
}

// How large the type is, and so how many rows of the stage fit below the strip: known before they are laid out.
export function rowsThatFit(view) {
  const { innerWidth, innerHeight } = window;
  const large = Math.min(innerWidth / ROOM.width, innerHeight / ROOM.height);
  view.root.style.zoom = Math.max(innerWidth < SMALL ? 1 : LEAST, large).toFixed(3);
  view.panels.strip.layout();
  const stage = [...view.root.querySelectorAll(":scope > .rv-stage")].find((node) => node.clientHeight);
  if (!stage) return 1;
  const frames = [...stage.querySelectorAll(".rv-scroll")].filter((frame) => frame.offsetHeight);
  const around = frames.map((frame) => frame.closest(".rv-panel").offsetHeight - frame.offsetHeight);
  const { left } = frames[0]?.getBoundingClientRect() ?? {};
  const below = frames.filter((frame) => frame.getBoundingClientRect().left === left).length || 1; // each other
  const height = (stage.clientHeight + GAP) / below - GAP - Math.max(0, ...around) - 8;
  const rows = Math.max(1, Math.floor(height / ROW));
  if (rows !== view.frameRows) view.memory = remembered(Object.assign(view, { frameRows: rows }));
  return rows;
}

// What is highlighted in the words of the trace, else what became of the candidates of each run.
function sentences(view) {
  const focus = view.focus();
  const candidate = focus && focus.position === view.position ? focus.candidates[focus.run] : null;
  if (candidate) return withNames(candidate.why + ".");
  return view.payload.runs.flatMap((run, r) => [r ? " · " : "", ...summary(view, run)]);
}

// One line has room for all that became of one run's candidates, or for what several lost or moved.
function summary(view, run) {
  const compared = view.payload.runs.length > 1;
  const head = compared ? `${methodMark(run)} ${run.name} ` : "";
  const { candidates } = run.columns[view.position];
  if (view.position === view.payload.T) {
    const word = html("code", { class: "rv-name" }, spell(view, run.path.labels));
    return [head, word, compared ? ` ${massText(run.path.p)}` : `, with probability ${massText(run.path.p)}`];
  }
  const fates = (candidates?.groups ?? []).map(([count, mass], f) => {
    if (!count || (compared && !f)) return null;
    return compared ? `${FATES[f]} ${massText(mass)}` : `${countText(count)} ${FATES[f]}, mass ${massText(mass)}`;
  });
  return [head, fates.filter(Boolean).join("; ") || "keeps all"];
}

// Keys that mean something else, or nothing, on a desk; whether the event was one of them.
export function pressedPresenting(view, event) {
  if (!view.presenting || event.ctrlKey || event.metaKey || event.altKey || !view.root.isConnected) return false;
  const { presenter } = view.panels;
  const steps = {
    PageDown: () => view.go(view.position + 1),
    PageUp: () => view.go(view.position - 1),
    Escape: () => present(view, false),
    b: () => presenter.setBlank(true),
    ".": () => presenter.setBlank(true),
    e: () => toggleEquation(view),
  };
  const wakes = presenter.isBlank() && event.key !== "Escape";
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const step = wakes ? () => presenter.setBlank(false) : steps[key];
  if (!step) return false;
  event.preventDefault();
  step();
  return true;
}
