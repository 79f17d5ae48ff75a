// The grid of roll-outs: a column per position, a row per action, in each cell the cost of the completed output if that
// action is taken there and the policies continue. Above it the roll-in and the policy that acted.

import { actionAt, iterationOf, policyName } from "./rollouts.js";
import { html, setAttributes, svg, toggle } from "../shared/dom.js";
import { stretched } from "../shared/figures.js";
import { pixels } from "../shared/ink.js";
import { fitted } from "../shared/names.js";
import { countText } from "../shared/numbers.js";
import { panel } from "../shared/parts.js";
import { telling } from "../shared/words.js";

const GRID = { gutter: 92, least: 46, most: 84, top: 22, image: 44, word: 20, row: 23, tight: 15, gap: 8 };

const HELP = "cost: how many labels are wrong in the end, if this action is taken here and the mixture continues.";
const MEANT = {
  right: "right: the correct label of each position.",
  "roll-in": "roll-in: the actions that the mixture of policies took.",
  acted: "acted: the policy of the mixture that chose at this position.",
};

export function makeGrid(view) {
  const { words, labels, actions, gold, images, noun } = view.payload;
  const above = GRID.top + (images ? GRID.image : 0);
  const box = panel("", "rv-grid-panel", ...legend());
  telling(box.heading, HELP);
  const drawing = svg("svg", { class: "rv-drawing rv-costs", role: "img" });
  const frame = html("div", { class: "rv-strip-frame", tabindex: "0", role: "group", "aria-label": "costs" }, drawing);
  const note = html("p", { class: "rv-more" });
  box.body.append(frame, note);
  const column = svg("rect", { class: "rv-current", rx: 6 });
  const heads = words.map((_, t) => headOf(above, images?.[t]));
  const cells = words.map((_, t) => actions.map((action, a) => cellOf(view, t, a)));
  const names = actions.map((label) => {
    const attributes = { class: "rv-name rv-small", "data-point": `row ${labels[label]}`, x: GRID.gutter - 8 };
    return svg("text", { ...attributes, "text-anchor": "end" }, fitted(labels[label], 76));
  });
  drawing.append(
    column,
    ...titles(above, images ? "right" : noun),
    ...names,
    ...heads.map(({ node }) => node),
    ...cells.flat().map(({ node }) => node),
  );
  const top = above + 3 * GRID.word + GRID.gap;
  let wide = GRID.least;
  let row = GRID.row;

  function layout() {
    const room = (frame.clientWidth || view.width - 30) - GRID.gutter - 6;
    wide = Math.max(GRID.least, Math.min(GRID.most, room / words.length));
    row = Math.max(GRID.tight, stretched(drawing, GRID.row * actions.length) / actions.length);
    setAttributes(drawing, {
      width: GRID.gutter + wide * words.length + 4,
      height: top + row * actions.length + 6,
    });
    names.forEach((name, a) => setAttributes(name, { y: top + row * (a + 0.5) + 4 }));
    heads.forEach((head, t) => head.place(GRID.gutter + wide * t, wide, fitted(words[t], wide - 4)));
    cells.forEach((cellsHere, t) =>
      cellsHere.forEach((cell, a) => cell.place(GRID.gutter + wide * t, top + row * a, wide, row)),
    );
    setAttributes(column, { y: 2, width: wide, height: top + row * actions.length });
  }

  function paint() {
    const iteration = iterationOf(view);
    const t = view.position - 1;
    box.heading.textContent = `Cost of each action, ${iteration.name}`;
    setAttributes(column, { x: GRID.gutter + wide * t });
    heads.forEach((head, i) => head.paint(iteration.rollin[i], labels, gold[i]));
    note.textContent = aboutRollOuts(view.payload, iteration);
    const chosen = actionAt(view);
    cells.forEach((here, i) => {
      const least = Math.min(...iteration.costs[i].filter((cost) => cost !== null));
      here.forEach((cell, a) => cell.paint(iteration, least, i === t && a === chosen));
    });
    setAttributes(drawing, { "aria-label": spokenCosts(view, iteration, t) });
    const x = GRID.gutter + wide * t;
    if (x < frame.scrollLeft + GRID.gutter || x + wide > frame.scrollLeft + frame.clientWidth)
      frame.scrollLeft = x - 120;
  }

  return { node: box.node, drawing, layout, paint, highlight() {} };
}

function legend() {
  const entry = ([look, said]) =>
    html("span", { class: "rv-legend" }, html("i", { class: `rv-legend-cost ${look}` }), said);
  return [
    ["rv-cheapest", "cheapest"],
    ["rv-dear", "dear"],
    ["rv-framed", "taken by the roll-in"],
  ]
    .map(entry)
    .concat(html("span", { class: "rv-legend" }, "★ right"));
}

// The note: how many actions are hidden, and how many decisions roll-outs that meet save.
function aboutRollOuts({ others, noun }, { decisions, unshared }) {
  const more = others ? `${countText(others)} further ${noun}s were tried too. ` : "";
  const saved = `${countText(decisions)} decisions instead of ${countText(unshared)}`;
  return `${more}Roll-outs that meet continue as one: ${saved}.`;
}

function titles(above, first) {
  return [first, "roll-in", "acted"].map((said, k) =>
    telling(svg("text", { class: "rv-gutter", x: 4, y: above + GRID.word * k }, said), MEANT[said]),
  );
}

function headOf(above, image) {
  const [word, label, policy] = ["rv-head-word", "rv-name", "rv-axis"].map((className, k) =>
    svg("text", { class: className, "text-anchor": "middle", y: above + GRID.word * k }),
  );

  const picture = svg("g");
  let narrow = false;

  function place(x, wide, said) {
    [word, label, policy].forEach((node) => setAttributes(node, { x: x + wide / 2 }));
    word.textContent = said;
    narrow = wide < 58;
    if (image) picture.replaceChildren(pixels(image, x + wide / 2, 10, GRID.image - 8));
  }

  function paint(taken, labels, gold) {
    label.textContent = labels[taken.label];
    toggle(label, "rv-wrong-label", taken.label !== gold);
    policy.textContent = taken.policy && narrow ? `p${taken.policy}` : policyName(taken.policy);
    toggle(policy, "rv-by-oracle", taken.policy === 0);
  }

  return { node: svg("g", {}, picture, word, label, policy), place, paint };
}

function cellOf(view, t, a) {
  const { actions, gold } = view.payload;
  const ground = svg("rect", { class: "rv-cost", rx: 3 });
  const text = svg("text", { class: "rv-cost-text", "text-anchor": "middle" });
  const node = svg("g", { class: "rv-cost-cell", onclick: () => view.look(t + 1, a) }, ground, text);
  const isGold = actions[a] === gold[t];

  function place(x, y, wide, row) {
    setAttributes(ground, { x: x + 1.5, y: y + 1.5, width: wide - 3, height: row - 3 });
    setAttributes(text, { x: x + wide / 2, y: y + row / 2 + 4 });
  }

  function paint({ costs, rollin, most }, least, on) {
    const cost = costs[t][a];
    node.style.display = cost === null ? "none" : "";
    if (cost === null) return;
    const regret = cost - least;
    setAttributes(node, { "data-best": regret < 1e-9 ? "true" : null });
    ground.style.setProperty("--rv-share", `${(18 + 62 * Math.min(1, regret / (most || 1))).toFixed(0)}%`);
    text.textContent = (isGold ? "★ " : "") + String(Number(cost.toFixed(2)));
    toggle(node, "rv-taken", rollin[t].label === actions[a]);
    toggle(node, "rv-on", on);
  }

  return { node, place, paint };
}

function spokenCosts({ payload: { words, labels, actions } }, { costs }, t) {
  const said = actions.flatMap((label, a) => (costs[t][a] === null ? [] : `${labels[label]} ${costs[t][a]}`));
  return `costs at ${words[t]}: ${said.join(", ")}`;
}
