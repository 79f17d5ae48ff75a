// The run before the last what-if edit: which payload has it, how it is drawn as an outline, and what the edit changed.

import { html, setAttributes, svg } from "../shared/dom.js";
import { briefLabels, lostText, probabilityText } from "./bar_names.js";
import { stack } from "./geometry.js";
import { undo } from "./menu.js";
import { methodWord, name, writePieces } from "./pieces.js";

// The payload of the earlier run: the one before, once a new one has come; in a page that is opened with an edit, the
// one that Python has sent. Null where nothing was edited, or the edit was taken back.
export function earlierPayload(old, next, known) {
  if (old === next) return next.earlier && next.whatIf ? { ...next, runs: next.earlier } : null;
  const [before, after] = [old.whatIf?.edits, next.whatIf?.edits];
  const methods = ({ runs }) => runs.map((run) => run.method).join();
  if (!before || !after || old.subject !== next.subject || methods(old) !== methods(next)) return null;
  if (String(before) === String(after)) return known;
  return after.length >= before.length && after.length ? old : null;
}

// The bars of a column as outlines at x.
export function outlinesOf(run, i, g, x) {
  const boxes = stack(run.columns[i], g).filter(({ h }) => h > 0.5);
  const across = (y) => `M${x - 3} ${y.toFixed(1)}h${g.bar + 6}`;
  const sides = ({ y, h }) => [x - 3, x + g.bar + 3].map((at) => `M${at} ${y.toFixed(1)}v${h.toFixed(1)}`).join("");
  // A line between two boxes is drawn once: dashes over dashes would make it whole.
  const isLast = ({ y, h }, k) => k + 1 === boxes.length || boxes[k + 1].y > y + h + 0.5;
  const d = boxes.map((box, k) => across(box.y) + sides(box) + (isLast(box, k) ? across(box.y + box.h) : "")).join("");
  return svg("g", { class: "rv-flow-earlier" }, svg("path", { d }));
}

// How much of all mass the run had in contexts that remember something, as a line through a river.
export function outlineInRiver(run, room, g) {
  const level = (i) => {
    const kept = run.columns[i].filter(({ isRoot }) => !isRoot).reduce((sum, { mass }) => sum + mass, 0);
    return (g.top + kept * g.H).toFixed(2);
  };
  let d = "";
  for (let i = room.from; i <= room.to; i += 1) d += `${d ? "L" : "M"}${room.x(i).toFixed(1)} ${level(i)}`;
  return svg("g", { class: "rv-flow-earlier" }, svg("path", { d }));
}

// A line that says what the last edit has changed, with the way back.
export function makeChange(view) {
  const text = html("span", { "aria-live": "polite" });
  const button = (label, title, onclick) =>
    html("button", { type: "button", class: "rv-button", title, onclick }, label);
  const buttons = [
    button("undo", "undo the last change", () => undo(view)),
    button("hide", "hide the outline of the earlier run", () => view.forgetEarlier()),
  ];
  const node = html("div", { class: "rv-flow-change", hidden: true }, text, buttons);

  function layout() {
    node.hidden = !view.earlier;
    setAttributes(view.root, { "data-earlier": view.earlier ? "true" : null });
    if (view.earlier) writePieces(text, changePieces(view));
  }

  return { node, layout, paint() {} };
}

function changePieces({ payload, runs, earlier, ...view }) {
  const stories = runs.map((run, r) => storyOf({ payload, ...view }, earlier.runs[r], run));
  const edit = payload.whatIf.edits.at(-1);
  const all = stories.flatMap((story, r) => [r ? "; " : "", methodWord(runs[r]), ...story]);
  return [`${edit[0].toUpperCase()}${edit.slice(1)}: `, ...all, "."];
}

function storyOf(view, before, after) {
  const [old, now] = [before.result, after.result];
  if (!old || !now) return [now ? " reads something again" : " has no output left"];
  const word = ({ labels }) => name(briefLabels(view, labels, labels.length));
  const isSame = String(old.labels) === String(now.labels);
  const [sure, lost] = [
    [old, now].map(({ p }) => probabilityText(p)),
    [before, after].map(({ left }) => lostText(left.at(-1))),
  ];
  const changes = [
    sure[0] === sure[1] ? null : `${sure.join(" → ")} sure`,
    lost[0] === lost[1] ? null : `${lost.join(" → ")} lost`,
  ].filter(Boolean);
  if (isSame && !changes.length) return [" is as it was"];
  const reads = isSame ? [" still reads ", word(now)] : [" reads ", word(now), " instead of ", word(old)];
  return [...reads, ...changes.map((text) => `, ${text}`)];
}
