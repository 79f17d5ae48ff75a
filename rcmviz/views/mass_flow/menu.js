// What can be done with a name or a bar of the picture: follow it and, on a page that takes what-if edits, pin it,
// forbid it, and change the budget of its position.

import { shareText } from "./bar_names.js";
import { followOfBar, followOfCandidate, fullName } from "./model.js";
import { html, setAttributes } from "../shared/dom.js";
import { methodMark } from "../shared/methods.js";
import { segmented } from "../shared/parts.js";
import { budgetEdits, contextEdits, labelEdits } from "../word/edit_choices.js";

const APART = 6; // pixels between what was pressed and the menu
const EDGE = 8; // pixels between the menu and the end of the window

export function makeMenu(view) {
  const node = html("div", { class: "rv-flow-menu", role: "group", hidden: true });
  let opener = null;

  // `spot` is a bar, or the candidate `one` of position i, of a run; `box` where it stands on the screen.
  function open(spot, run, from, box) {
    opener = from;
    const { name, share } = describe(view, spot);
    const number = html("span", { class: "rv-dim" }, ` ${share}`);
    const head = html("p", {}, html("b", { class: "rv-flow-name" }, name), number);
    const buttons = [buttonOf("follow", "show where its mass goes", () => view.follow(followOf(run, spot)))];
    for (const [text, edit, title] of editsOf(view, run, spot)) {
      const words = edit.op === "budget" ? `budget ${edit.what} here` : text;
      buttons.push(buttonOf(words, title, () => change(view, { position: positionOf(spot), ...edit })));
    }
    const [follow, ...edits] = buttons;
    setAttributes(node, { "aria-label": `what to do with ${name}` });
    node.replaceChildren(head, follow, html("p", { class: "rv-dim" }, "What if"), ...targetOfChange(view), ...edits);
    node.hidden = false;
    place(box);
    follow.focus({ preventScroll: true });
  }

  function buttonOf(text, title, act) {
    const pressed = () => {
      close();
      act();
    };
    return html("button", { type: "button", title, onclick: pressed }, text);
  }

  function place(box) {
    const base = view.root.getBoundingClientRect();
    const { width, height } = node.getBoundingClientRect();
    const x = Math.min(box.left, window.innerWidth - width - EDGE);
    const [below, above, last] = [box.bottom + APART, box.top - APART - height, window.innerHeight - EDGE - height];
    const y = below <= last ? below : above >= EDGE ? above : Math.max(EDGE, last);
    Object.assign(node.style, { left: `${Math.max(EDGE, x) - base.left}px`, top: `${y - base.top}px` });
  }

  // Where the focus was in it, it goes back to what was pressed.
  function close() {
    if (node.hidden) return false;
    const wasInside = node.contains(document.activeElement);
    node.hidden = true;
    if (wasInside && opener?.isConnected) opener.focus?.({ preventScroll: true });
    return true;
  }

  function pressed(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key !== "Escape" && !step) {
      if (event.key === "Enter" || event.key === " ") event.stopPropagation();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    if (!step) return close();
    const buttons = [...node.querySelectorAll("button")];
    const k = buttons.indexOf(document.activeElement);
    buttons[(k + step + buttons.length) % buttons.length].focus();
  }

  node.addEventListener("keydown", pressed);
  node.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget && !node.contains(relatedTarget)) node.hidden = true;
  });
  view.root.addEventListener("pointerdown", ({ target }) => {
    if (!node.contains(target)) node.hidden = true;
  });
  return { node, open, close, layout: close, paint() {} };
}

const positionOf = ({ bar, i }) => (bar ? bar.position : i);

function describe(view, { bar, one, i }) {
  return bar
    ? { name: fullName(view, bar, bar.position), share: shareText(bar.mass) }
    : { name: fullName(view, one, i), share: shareText(one.mass) };
}

export const followOf = (run, { bar, one, i }) => (bar ? followOfBar(run, bar) : followOfCandidate(run, one, i));

function editsOf(view, run, spot) {
  const { labels: names, T, noun } = view.payload;
  const position = positionOf(spot);
  const known = followOf(run, spot).labels.map((y) => names[y]);
  const ofContext = known.length > 0 && position < T && run.method !== "exact"; // which keeps every context
  return [
    ...(ofContext ? contextEdits(describe(view, spot).name, known) : []),
    ...(known.length ? labelEdits(noun, known.at(-1), position) : []),
    ...budgetEdits(run.steps[position - 1].budget),
  ];
}

// The target of a change: a method by its number from 1, or all; by default that of the last change.
function targetOfChange(view) {
  const { whatIf } = view.payload;
  const { runs } = view;
  if (runs.length < 2) return [];
  view.editsOf ??= { of: whatIf.of };
  if (view.editsOf.of > runs.length) view.editsOf.of = null;
  const choices = [[null, "for all"], ...runs.map((run, r) => [r + 1, `${methodMark(run)} only`])];
  const choice = segmented(
    "for which method",
    choices,
    () => view.editsOf.of,
    (of) => {
      view.editsOf.of = of;
      choice.paint();
    },
  );
  return [choice.node];
}

// Asks Python for another run.
export function change(view, edit) {
  const of = view.runs.length > 1 ? (view.editsOf?.of ?? view.payload.whatIf.of) : null;
  view.host.trigger("what_if", { ...edit, ...(of && edit.op !== "undo" ? { of } : {}) });
}

export const undo = (view) => change(view, { position: view.where().i, op: "undo", what: null });
