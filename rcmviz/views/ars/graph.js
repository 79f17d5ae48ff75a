// The states of q at the round: columns are positions, heights how many words a state remembers. A state keeps one
// place in all rounds, even before it exists, so that only the path moves.

import { FEW, countThere, nearestState, placesOf, shownStates } from "./places.js";
import { remembering } from "./rounds.js";
import { roundWord, wordsText } from "./sentences.js";
import { columnsOf, makeStrip } from "./strip.js";
import { axisText, pointIn } from "../shared/chart.js";
import { html, setAttributes, setContent, setText, svg, toggle } from "../shared/dom.js";
import { fitted, withNames } from "../shared/names.js";
import { countText, natsText } from "../shared/numbers.js";
import { panel, segmented } from "../shared/parts.js";
import { NARROW } from "../shared/view.js";
import { telling } from "../shared/words.js";

export function makeGraph(view) {
  const choice = segmented(
    "states shown",
    [
      ["path", "along the path"],
      ["all", "all states"],
    ],
    () => view.shows,
    (kind) => view.choose(kind),
  );
  const { node, body, heading } = panel("", "rv-graph", choice.node);
  telling(heading, "q: a bound that is quick to search; its states are the histories that it distinguishes.");
  const drawing = svg("svg", { class: "rv-drawing", role: "img" });
  const strip = makeStrip(view);
  const frame = html(
    "div",
    { class: "rv-strip-frame", tabindex: "0", role: "group", "aria-label": "path and states, scrolls sideways" },
    strip.node,
    drawing,
  );
  const caption = html("p", { class: "rv-more rv-caption", "aria-live": "polite" });
  body.append(frame, caption);
  let places = null;
  let shapes = null;
  let shown = new Map();
  let said = null;
  pointing(view, drawing, (point) => nearestState(shown, places, point));

  function layout() {
    view.columns = columnsOf(view, body.clientWidth - 16);
    places = placesOf(view);
    shapes = remembering((key) => stateShape(view, places, key >> 1, key & 1));
    strip.layout();
    choice.paint();
    choice.node.style.display = view.payload.states.born.length > FEW ? "" : "none";
    setAttributes(drawing, { width: view.columns.width, height: places.height });
  }

  function paint() {
    strip.paint();
    const { payload, now } = view;
    setText(
      heading,
      `q in ${roundWord(view).toLowerCase()} ${countText(now + 1)}: ${countText(countThere(view))} states`,
    );
    shown = shownStates(view, places);
    drawing.replaceChildren(...graphParts(view, places, shapes, shown));
    if (!view.playing) keepInSight(view, frame);
    setAttributes(drawing, {
      "aria-label": `${heading.textContent}; afterwards ${countText(payload.rounds.states[now])}`,
    });
    highlight();
  }

  // A link that is replaced between press and release loses the click.
  function sayMore() {
    const about = [view.payload.id, view.now, view.focus()].join("|");
    if (about !== said) caption.replaceChildren(...captionOf(view));
    said = about;
  }

  function highlight() {
    sayMore();
    for (const shape of drawing.querySelectorAll("[data-state]"))
      toggle(shape, "rv-on", Number(shape.dataset.state) === view.focus());
  }

  return { node, drawing, strip, layout, paint, highlight };
}

// Scrolls the word that q overestimates most into view.
function keepInSight({ columns, memory, now }, frame) {
  const slacks = memory.slacks(now);
  const worst = slacks.indexOf(Math.max(...slacks));
  if (slacks[worst] === 0) return;
  const [first, end] = [columns.at(worst) - columns.gutter, columns.at(worst + 1) + 20];
  if (first < frame.scrollLeft) frame.scrollLeft = first;
  // row names are visible whole or not at all
  else if (end > frame.scrollLeft + frame.clientWidth)
    frame.scrollLeft = Math.max(columns.gutter, end - frame.clientWidth);
}

function graphParts(view, places, shapes, shown) {
  const { path } = view.memory.walk(view.now);
  return [
    ...bandTitles(view, places),
    ...columnFeet(view, places),
    ...thinEdges(view, shown),
    ...pathEdges(view, shown, path),
    ...[...shown].map(([s, at]) => stateAttributes(view, places, shapes, s, at, path)),
    ...slackLabel(view, shown, path),
  ];
}

function bandTitles(view, places) {
  const x = view.columns.width - 6;
  return places.rows
    .flatMap((_, length) => {
      const y = places.top(length);
      const text = length ? `${length} ${view.payload.term}${length > 1 ? "s" : ""}` : "nothing";
      return [
        length < places.longest ? svg("line", { class: "rv-grid", x1: 4, x2: x, y1: y - 4, y2: y - 4 }) : null,
        svg(
          "text",
          { class: "rv-gutter", x: 4, y: y + Math.min(13, (places.rows[length] * places.pitch) / 2 + 4) },
          length === places.longest && view.width >= NARROW ? `remembers ${text}` : text,
        ),
      ];
    })
    .filter(Boolean);
}

function columnFeet(view, places) {
  const {
    memory,
    now,
    columns,
    payload: { states, T },
  } = view;
  const counts = Array(T + 1).fill(0);
  states.column.forEach((column, s) => {
    counts[column] += memory.isThere(s, now);
  });
  return counts.map((count, i) =>
    axisText(countText(count), { x: columns.at(i), y: places.height - 4, "text-anchor": "middle" }),
  );
}

function curve([x0, y0], [x1, y1]) {
  const bend = (x1 - x0) * 0.45;
  return `M${x0} ${y0.toFixed(1)}C${x0 + bend} ${y0.toFixed(1)} ${x1 - bend} ${y1.toFixed(1)} ${x1} ${y1.toFixed(1)}`;
}

// Edges link a state to the state that it extends by a word; every other word leads from root to root.
function thinEdges(view, shown) {
  const {
    memory,
    payload: { states },
  } = view;
  const made = new Set(memory.madeBy(view.now));
  const lines = { there: "", made: "" };
  for (const [s, at] of shown) {
    const from = shown.get(states.origin[s]);
    if (from) lines[made.has(s) ? "made" : "there"] += curve(from, at);
  }
  const roots = memory.root.map((s) => shown.get(s)).filter(Boolean);
  const ground = roots
    .slice(1)
    .map((at, i) => curve(roots[i], at))
    .join("");
  return [
    svg("path", { class: "rv-edge rv-ground", d: ground }),
    svg("path", { class: "rv-edge", d: lines.there }),
    svg("path", { class: "rv-edge rv-made", d: lines.made }),
  ];
}

function pathEdges(view, shown, path) {
  const slacks = view.memory.slacks(view.now);
  return slacks.map((slack, i) =>
    svg("path", {
      class: "rv-edge rv-step" + (slack > 0 ? " rv-optimistic" : ""),
      d: curve(shown.get(path[i]), shown.get(path[i + 1])),
      "data-edge": i + 1,
      "data-point": `arc ${i + 1}`,
    }),
  );
}

// Over everything else: the bound of the most optimistic edge, and the true value. Nothing is below the ground; above
// it are the states that the rejection adds.
function slackLabel(view, shown, path) {
  const slacks = view.memory.slacks(view.now);
  const i = slacks.indexOf(Math.max(...slacks));
  if (slacks[i] === 0) return [];
  const [from, to] = [shown.get(path[i]), shown.get(path[i + 1])];
  const atGround = [path[i], path[i + 1]].some((s) => view.payload.states.length[s] === 0);
  const y = atGround ? Math.max(from[1], to[1]) + 19 : (from[1] + to[1]) / 2 - 14;
  const text = `${natsText(view.payload.rounds.bound[view.now][i])} → ${natsText(view.memory.truth(view.now)[i])}`;
  return [svg("text", { class: "rv-slack rv-halo", x: (from[0] + to[0]) / 2, y, "text-anchor": "middle" }, text)];
}

// A state as a name or as a dot, made once per layout: a step only moves and dresses it.
function stateShape(view, places, s, named) {
  const { length } = view.payload.states;
  const node = svg("g", { "data-state": s });
  if (!named)
    return setContent(node, svg("circle", { r: length[s] ? Math.max(1.2, Math.min(4, places.pitch / 2 - 0.5)) : 4 }));
  const name = fitted(wordsText(view, view.memory.remembered(s)), (view.columns.cell - 18) * 1.08);
  const width = Math.min(view.columns.cell - 6, name.length * 7.3 + 12);
  return setContent(
    node,
    svg("rect", { x: -width / 2, y: -10, width, height: 20, rx: 10 }),
    svg("text", { class: "rv-name", y: 4, "text-anchor": "middle" }, name),
  );
}

function stateAttributes(view, places, shapes, s, [x, y], path) {
  const { states } = view.payload;
  const made = states.born[s] === view.now;
  const onPath = path.includes(s);
  const shape = shapes(2 * s + Number(states.length[s] > 0 && (places.named || onPath || made)));
  return setAttributes(shape, {
    class: `rv-state${onPath ? " rv-step" : ""}${made ? " rv-made" : ""}`,
    transform: `translate(${x} ${y.toFixed(1)})`,
  });
}

// The state under the pointer, or the held one, in words.
function captionOf(view) {
  const s = view.focus();
  const {
    payload: { states, rounds },
    memory,
  } = view;
  if (s === null)
    return [
      "The height of a state is what it remembers. Bold: the path of q; ",
      html("span", { class: "rv-down" }, "hatched: too optimistic"),
      "; ",
      html("span", { class: "rv-up" }, "dashed: what the rejection adds"),
      "; below: states per column.",
    ];
  const name = states.length[s]
    ? withNames(`\`${wordsText(view, memory.remembered(s))}\`: `)
    : ["The state that remembers nothing: "];
  const born = states.born[s];
  const origin =
    born < 0
      ? "present from the start"
      : [
          `made by the rejection of ${roundWord(view).toLowerCase()} `,
          html(
            "button",
            { type: "button", class: "rv-link-button", onclick: () => view.go(born + 1) },
            countText(born + 1),
          ),
        ];
  return [
    ...name,
    ...[origin].flat(),
    `; column ${states.column[s]}, ${countText(rounds.states[view.now])} states in all.`,
  ];
}

function pointing(view, drawing, stateAt) {
  const under = (event) => stateAt(pointIn(drawing, event));
  drawing.addEventListener("pointermove", (event) => view.hover(under(event)));
  drawing.addEventListener("pointerleave", () => view.hover(null));
  drawing.addEventListener("click", (event) => view.hold(under(event)));
}
