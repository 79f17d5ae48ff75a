// The candidates of the position by rank, the budget as a line between those that are kept and those that are not.

import { html, pool, setAttributes, setText, svg, toggle } from "../shared/dom.js";
import { editedMark, isParted } from "./compared.js";
import { ROW, listKeys, massScale, showRow } from "./list.js";
import { rowsInSight } from "./in_sight.js";
import { verdictOn } from "./quiz.js";
import { methodClass, methodMark } from "../shared/methods.js";
import { FATES, FATE_MARKS, GLYPH, fateText } from "../shared/names.js";
import { shortContexts } from "../shared/short_names.js";
import { countText, massText } from "../shared/numbers.js";
import { panel } from "../shared/parts.js";
import { setWorded, worded } from "../shared/words.js";

const KEY = 60; // pixels of what candidates are ranked by

// The list opens at rank 1 at every position.
export function makeCandidates(view, r) {
  const run = view.payload.runs[r];
  const compared = view.payload.runs.length > 1;
  const box = panel("Candidates", "rv-candidates " + methodClass(run));
  const frame = html("div", { class: "rv-scroll" });
  const drawing = svg("svg", {
    class: "rv-drawing rv-list",
    role: "listbox",
    tabindex: "0",
    "aria-label": "candidates, " + run.name,
  });
  const lines = svg("g", {});
  const empty = html("p", { class: "rv-empty" });
  frame.append(drawing, empty);
  drawing.append(lines);
  box.body.append(frame);
  const parts = pool(drawing, () => candidateRow(view, r));
  const rules = pool(lines, candidateRule);
  let measures = null; // of the rows; others after each layout
  const inSight = rowsInSight(frame);
  let placed = [];
  let shownAt = null; // the position that is listed
  listKeys(view, drawing, () => placed);

  function layout() {
    const width = frame.clientWidth || 320;
    const longest = Math.max(
      4,
      ...view.positions.flatMap((i) => (view.memory.candidates(r, i) || []).map((c) => c.name.length)),
    );
    const key = ranksByMore(run) ? KEY : 0;
    const names = Math.min(longest * GLYPH + 18, width * (longest > 40 ? 0.42 : 0.36)) + key; // with a star
    measures = { width, names, key };
    view.barRooms.push(width - 56 - names - 52);
    frame.style.height = view.frameRows * ROW + 8 + "px";
    inSight.all();
  }

  function paint() {
    const all = view.memory.candidates(r, view.position);
    drawing.style.display = all ? "" : "none";
    setText(empty, all ? "" : whyNone(view, run));
    const by = ranksByMore(run) ? `${rankingOf(run)} (≈)` : "rank";
    const title = all ? `${countText(run.columns[view.position].candidates.total)} candidates, by ${by}` : "Candidates";
    if (compared) {
      const mark = html("span", { class: "rv-method" }, worded(`${methodMark(run)} ${run.name}`));
      box.heading.replaceChildren(mark, ...editedMark(run), html("span", { class: "rv-count" }, worded(title)));
    } else setWorded(box.heading, title);
    const arranged = arrange(run, view.position, all || []);
    placed = arranged.rows;
    const scale = massScale(view);
    const names = shortContexts(view, placed, view.position, measures.names - measures.key - 16);
    const drawn = parts(placed.length);
    drawn.forEach((part, k) => part.paint(placed[k], names[k], measures, scale));
    inSight.step(drawn.map(({ node }, k) => ({ node, slot: placed[k].slot })));
    rules(arranged.rules.length).forEach((part, k) => part.paint(arranged.rules[k], measures));
    setAttributes(drawing, { width: measures.width, height: Math.max(arranged.height, view.frameRows) * ROW + 4 });
    if (shownAt !== view.position) inSight.scrollTo(0);
    shownAt = view.position;
    highlight();
  }

  function highlight() {
    const focus = view.focus();
    parts(placed.length).forEach((part) => part.highlight(focus));
    const at = placed.find((candidate) => focus && candidate.name === focus.name);
    if (at && view.hovered === null) showRow(frame, at.slot);
  }

  return { node: box.node, measure: inSight.measure, layout, paint, highlight, drawing };
}

// Whether candidates are ranked by mass × the message of the pass before, which then stands behind their names.
export const ranksByMore = (run) => run.sums.by === "pass" || run.sums.by === "rule";

// The name of what candidates are ranked by, where that is more than their mass.
export const rankingOf = (run) => (run.sums.by === "rule" ? run.sums.rule : "estimated posterior");

export function whyNone(view, run) {
  if (view.position === view.payload.T) return "Nothing is selected at the last position: every arc leads to the end.";
  return `${run.name} keeps every context, so there is nothing to select.`;
}

// Slots from the top: the kept, what else is kept, the budget line, the others, what else there is.
function arrange(run, position, all) {
  const rows = [];
  const rules = [];
  let slot = 0;
  const groups = all.length ? run.columns[position].candidates.groups : [];
  const [kept, others] = [all.filter((c) => c.fate === 0), all.filter((c) => c.fate !== 0)];
  const seat = (candidate) => rows.push(Object.assign(candidate, { slot: slot++ }));
  const rest = (fates) => {
    const hidden = fates.map((f) => hiddenText(run, f, groups[f])).filter(Boolean);
    if (hidden.length) rules.push({ slot: slot++, text: "… " + hidden.join("; ") });
  };
  kept.forEach(seat);
  if (all.length) {
    rest([0]);
    rules.push({ slot: slot++, line: true, text: budgetText(run, position, groups) });
    others.forEach(seat);
    rest([1, 2, 3]);
  }
  return { rows, rules, height: slot };
}

// Candidates that were not sent.
function hiddenText(run, fate, [, , count, mass]) {
  return count ? `${countText(count)} more ${fateText(run, fate)}, mass ${massText(mass)}` : null;
}

function budgetText(run, position, groups) {
  const budget = run.columns[position].candidates.budget;
  const below = [1, 2, 3].filter((f) => groups[f][0]).map((f) => FATES[f]);
  if (run.draws) return `${budget} draws · drawn above, the others below`;
  const head = budget ? `budget ${budget}` : "no budget";
  return below.length ? `${head} · kept above, ${below.join(" or ")} below` : `${head} · all are kept`;
}

function candidateRule() {
  const line = svg("line", { class: "rv-budget-line" });
  const text = svg("text", { class: "rv-rule-text" });
  const node = svg("g", {}, line, text);
  function paint(rule, measures) {
    setAttributes(node, { transform: `translate(0 ${rule.slot * ROW})` });
    setAttributes(line, { x1: 0, x2: measures.width, y1: ROW - 4, y2: ROW - 4 });
    line.style.display = rule.line ? "" : "none";
    setAttributes(text, {
      x: rule.line ? measures.width - 4 : 34,
      y: ROW - 8,
      "text-anchor": rule.line ? "end" : "start",
    });
    toggle(text, "rv-strong", rule.line);
    setAttributes(text, { "data-explains": rule.line ? "budget" : null });
    setText(text, rule.text);
  }
  return { node, paint };
}

function candidateRow(view, r) {
  const hit = svg("rect", { class: "rv-hit", height: ROW, rx: 4 });
  const rank = svg("text", { class: "rv-rank", x: 28, y: ROW / 2 + 4, "text-anchor": "end" });
  const mark = svg("text", { class: "rv-fate", x: 42, y: ROW / 2 + 4.5, "text-anchor": "middle" });
  const name = svg("text", { class: "rv-name", x: 54, y: ROW / 2 + 4.5 });
  const bar = svg("rect", { class: "rv-own", height: 10, rx: 2 });
  const value = svg("text", { class: "rv-value" });
  const key = svg("text", { class: "rv-value rv-key", "text-anchor": "end" });
  const star = svg("text", { class: "rv-gold-mark" }, "★");
  const node = svg(
    "g",
    { class: "rv-row rv-candidate", role: "option" },
    hit,
    rank,
    mark,
    name,
    key,
    star,
    bar,
    value,
  );
  let candidate = null;
  let drawnTo = null;
  setAttributes(node, { "data-run": r });
  node.addEventListener("pointerenter", () =>
    view.hover({ name: candidate.name, run: r, position: view.position, candidate: candidate.index }),
  );
  node.addEventListener("pointerleave", () => view.hover(null));
  node.addEventListener("click", () => view.select(candidate.name, r, candidate.twin));

  // What depends on the width alone.
  function draw(measures, left) {
    setAttributes(hit, { width: measures.width });
    setAttributes(star, { x: left - measures.key - 14, y: ROW / 2 + 4 });
    setAttributes(key, { x: left - 6, y: ROW / 2 + 4 });
    setAttributes(bar, { x: left, y: (ROW - 10) / 2 });
    setAttributes(value, { y: ROW / 2 + 4 });
    drawnTo = measures;
  }

  function paint(next, shown, measures, scale) {
    candidate = next;
    const fate = FATES[candidate.fate];
    const left = 54 + measures.names;
    if (drawnTo !== measures) draw(measures, left);
    const width = scale(candidate.mass);
    const ranked = rankText(view.payload.runs[r], candidate);
    setAttributes(node, {
      transform: `translate(0 ${candidate.slot * ROW})`,
      "data-fate": fate,
      "data-name": candidate.name,
      "data-verdict": verdictOn(view, r, candidate.name),
      "aria-label": `${candidate.name}, ${ranked}, mass ${massText(candidate.mass)}, ${fate}`,
    });
    setText(rank, String(candidate.rank));
    setText(key, candidate.key === null ? "" : "≈" + massText(candidate.key));
    setText(mark, FATE_MARKS[candidate.fate]);
    setText(name, shown);
    star.style.display = candidate.gold ? "" : "none";
    bar.style.width = width.toFixed(1) + "px";
    setAttributes(value, { x: left + width + 5 });
    setText(value, massText(candidate.mass));
    toggle(node, "rv-parted", isParted(view, r, candidate, view.position));
  }

  function highlight(focus) {
    const on = focus && focus.name === candidate.name;
    toggle(node, "rv-on", on);
    toggle(node, "rv-feeds", focus && !on && focus.rows[r] && candidate.carrier === focus.name);
    const held = view.node === candidate.name && (view.twin === undefined || view.twin === candidate.twin);
    setAttributes(node, { "aria-selected": held });
  }

  return { node, paint, highlight };
}

const rankText = (run, { rank, key }) =>
  `rank ${rank}` + (key === null ? "" : ` by ${rankingOf(run)} ${massText(key)}`);
