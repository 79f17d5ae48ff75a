// Budgets from 1 on, as one strip: which give the gold, which lose it and where, which find what the model prefers.

import { axisText } from "../shared/chart.js";
import { html, setAttributes, svg } from "../shared/dom.js";

const HEIGHT = { mark: 12, block: 16, ticks: 16 };
const LINEAR = 40; // up to this number of budgets all are equally wide, beyond it the small ones are wider
const ROOM = 9; // pixels per character of a tick

export function makeBudgets(view, run, r) {
  const canRun = Boolean(view.host.trigger);
  const drawing = svg("svg", { class: "rv-drawing rv-budgets", role: canRun ? "group" : "img" });
  const node = html("div", { class: "rv-budget-strip" }, drawing);

  // `longest` is the last budget that was tried for any method: all strips have one scale.
  function layout(strip, longest) {
    const shown = strip && !strip.searching;
    node.hidden = !strip;
    node.classList.toggle("rv-searching", Boolean(strip?.searching));
    node.classList.toggle("rv-by-luck", run.blame.verdict === "model error");
    const width = Math.min(760, Math.max(160, view.width - 44));
    const height = HEIGHT.mark + HEIGHT.block + HEIGHT.ticks;
    setAttributes(drawing, { width, height, "aria-label": shown ? stripText(strip) : "budgets are being tried" });
    const act = canRun ? showAgain : null;
    drawing.replaceChildren(...(shown ? blocks(strip, width, longest, act) : [waitingShape(width)]));
  }

  // The method once more with another budget: the one below the pointer, by the keyboard the first of a stretch.
  function showAgain(budget) {
    view.host.trigger("what_if", { op: "run", position: view.position, what: budget, of: r + 1 });
  }

  return { node, layout, r };
}

// The same place and size, so that nothing moves when the strip comes.
function waitingShape(width) {
  return svg("rect", { class: "rv-waiting", x: 0, y: HEIGHT.mark, width, height: HEIGHT.block, rx: 3 });
}

function stripText(strip) {
  return strip.stretches.map(([first, last, ...what]) => `${range(first, last)}: ${verdictText(...what)}`).join("; ");
}

const range = (first, last) => (first === last ? `budget ${first}` : `budgets ${first} to ${last}`);
const verdictText = (verdict, position) => verdict + (position ? ` at position ${position}` : "");

function blocks(strip, width, longest, again) {
  const shape = (budget) => (longest > LINEAR ? Math.sqrt(budget) : budget);
  const x = (budget) => (width * shape(budget)) / shape(longest);
  const drawn = strip.stretches.map(([first, last, verdict, position]) => {
    const [left, right] = [x(first - 1), x(last)];
    const text = { right: "★", "model error": "≠", "search error": `✕ ${position ?? ""}` }[verdict];
    const description = `${range(first, last)}: ${verdictText(verdict, position)}`;
    const budgetBelow = (event) => {
      const box = event.currentTarget.ownerSVGElement.getBoundingClientRect();
      const at = ((event.clientX - box.left) * width) / box.width;
      for (let budget = first; budget < last; budget += 1) if (at <= x(budget)) return budget;
      return last;
    };
    const act = again && {
      role: "button",
      tabindex: "0",
      "aria-label": `${description}; run budget ${first}`,
      onclick: (event) => again(budgetBelow(event)),
      onkeydown: (event) => event.key === "Enter" && again(first),
    };
    return svg(
      "g",
      { class: "rv-budget", "data-verdict": verdict, "data-first": first, ...act },
      svg("title", {}, description + (again ? "; click to run it" : "")),
      svg("rect", { x: left, y: HEIGHT.mark, width: Math.max(1, right - left - 1), height: HEIGHT.block, rx: 2 }),
      right - left > ROOM * text.length
        ? svg("text", { x: (left + right) / 2, y: HEIGHT.mark + 12, "text-anchor": "middle" }, text)
        : null,
    );
  });
  return [...drawn, ...ticks(strip, x, width), now(strip, x, width)].filter(Boolean);
}

// Below: 1, the smallest that gives the gold, the last that was tried; where two would touch, the smallest stays.
function ticks(strip, x, width) {
  const wanted = [[strip.smallest, "rv-smallest"], [1, ""], [strip.tried, ""]];
  const placed = [];
  for (const [budget, className] of wanted) {
    if (!budget) continue;
    const text = budget === strip.tried && strip.complete ? `${budget} and more` : String(budget);
    const half = (text.length * ROOM) / 2;
    const at = Math.min(width - half, Math.max(half, (x(budget - 1) + x(budget)) / 2));
    if (placed.some((other) => Math.abs(other.at - at) < other.half + half)) continue;
    placed.push({ at, half, text, className });
  }
  const y = HEIGHT.mark + HEIGHT.block + 13;
  return placed.map(({ at, text, className }) =>
    axisText(text, { class: "rv-axis " + className, x: at, y, "text-anchor": "middle" }),
  );
}

// Above: where the run stands, at the end where it is beyond.
function now(strip, x, width) {
  if (strip.now > strip.tried)
    return axisText(`now ${strip.now} ▶`, { x: width, y: 9, "text-anchor": "end" });
  const at = (x(strip.now - 1) + x(strip.now)) / 2;
  return svg("path", { class: "rv-now", d: `M${at - 5} 2h10l-5 8z` }, svg("title", {}, `now ${strip.now}`));
}
