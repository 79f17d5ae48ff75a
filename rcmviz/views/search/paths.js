// One update as a picture: the input; the right path above the found one, one line where they agree; the contexts of
// the beam at each position; the lead of the found prefix; the cut of each rule.

import { html, setAttributes, svg } from "../shared/dom.js";
import { stretched } from "../shared/figures.js";
import { pixels } from "../shared/ink.js";
import { fitted } from "../shared/names.js";
import { massText } from "../shared/numbers.js";
import { panel } from "../shared/parts.js";
import { scoreText } from "../shared/signed.js";
import { telling } from "../shared/words.js";

const PATHS = {
  gutter: 92,
  least: 34,
  most: 92,
  image: 44,
  top: 8,
  gold: 76,
  both: 104,
  guess: 132,
  kept: 172,
  row: 18,
  tight: 12,
  chart: 70,
};
const OTHERS = 3; // labels listed per position at a temperature above 0

export const RULES = [
  ["standard", "Standard", "the whole output"],
  ["early", "Early", "up to where the right path fell out of the beam"],
  ["max-violation", "Max-violation", "up to where the wrong path leads most"],
];

export function makePaths(view) {
  const box = panel("", "rv-paths-panel");
  telling(box.heading, "update: one word read wrong, and the change of the weights.");
  const drawing = svg("svg", { class: "rv-drawing", role: "img" });
  const frame = html("div", { class: "rv-strip-frame", tabindex: "0", role: "group", "aria-label": "paths" }, drawing);
  box.body.append(frame);
  const most = Math.max(...view.payload.updates.flatMap(({ kept }) => kept.map((column) => column.length)));
  const lead = { top: 0, height: PATHS.chart, row: PATHS.row };

  function paint() {
    lead.row = Math.max(PATHS.tight, Math.min(PATHS.row, stretched(drawing, PATHS.row * most) / most));
    lead.top = PATHS.kept + lead.row * most + 10;
    const height = lead.top + lead.height + 58;
    const update = view.update();
    const T = update.gold.length;
    const room = (frame.clientWidth || view.width - 30) - PATHS.gutter - 10;
    const cell = Math.max(PATHS.least, Math.min(PATHS.most, room / T));
    const at = (i) => PATHS.gutter + cell * (i + 0.5);
    const cut = view.cut();
    const beyond = {
      class: "rv-beyond",
      x: at(cut - 0.5),
      y: 0,
      width: cell * (T - cut),
      height: lead.top + lead.height,
    };
    setAttributes(drawing, { width: PATHS.gutter + cell * T + 10, height, "aria-label": spokenPaths(view, update) });
    drawing.replaceChildren(
      ...titles(view, lead),
      ...update.images.map((image, i) => pixels(image, at(i), PATHS.top, PATHS.image)),
      ...(view.heat > 0
        ? spreadOver(view, update, at, cell)
        : [...drawLines(view, update, at, cell), ...drawBeam(view, update, at, lead.row)]),
      ...drawLeads(update, at, cell, lead),
      ...(cut < T ? [svg("rect", beyond)] : []),
      ...drawCuts(view, update, at, lead),
    );
    box.heading.textContent = `Update ${view.position}, after ${update.seen} words: “${update.word}”`;
  }

  return { node: box.node, drawing, layout() {}, paint, highlight() {} };
}

const text = (className, x, y, said, anchor = "middle") =>
  svg("text", { class: className, x, y, "text-anchor": anchor }, said);

const LEAD = "lead: the score of the found letters minus that of the right ones, up to this position.";

function titles(view, lead) {
  const entry = (said, y, is) => telling(text("rv-gutter", 4, y, said, "start"), is);
  const below = view.heat > 0 ? [entry("expected:", PATHS.both + 22), entry("falls", PATHS.both + 37)] : [];
  const found = [
    entry("found: falls", PATHS.guess + 4, "found: the letters that the beam chose; their weights fall."),
    entry(`the ${view.payload.beam} that the`, PATHS.kept + 4),
    entry("beam kept", PATHS.kept + 19),
  ];
  return [
    entry("written", PATHS.top + 26),
    entry("right: rises", PATHS.gold + 4, "right: the correct letters; their weights rise."),
    ...(view.heat > 0 ? below : found),
    entry("lead of what", lead.top + 34, LEAD),
    entry("is found", lead.top + 49),
  ];
}

const drawDot = (view, className, x, y, label) => [
  svg("circle", { class: `rv-path-dot ${className}`, cx: x, cy: y, r: 12 }),
  text(`rv-name rv-path-name ${className}`, x, y + 4.5, fitted(view.payload.labels[label], 20)),
];

// Two lines that run together where both paths have the same label; the found one ends where the rule cuts.
function drawLines(view, update, at, cell) {
  const { gold } = update;
  const { guess } = update.steps[view.rule];
  const same = gold.map((label, i) => i >= guess.length || label === guess[i]);
  const path = (y, length) =>
    gold
      .slice(0, length)
      .map((_, i) => [
        i ? "L" : "M",
        (at(i) - cell * 0.28).toFixed(1),
        same[i] ? PATHS.both : y,
        (at(i) + cell * 0.28).toFixed(1),
      ])
      .map(([move, from, height, to]) => `${move}${from} ${height}H${to}`)
      .join("");
  return [
    svg("path", { class: "rv-path rv-path-guess", d: path(PATHS.guess, guess.length) }),
    svg("path", { class: "rv-path rv-path-gold", d: path(PATHS.gold, gold.length) }),
    ...gold.flatMap((label, i) =>
      same[i]
        ? drawDot(view, "rv-path-both", at(i), PATHS.both, label)
        : [
            ...drawDot(view, "rv-path-gold", at(i), PATHS.gold, label),
            ...drawDot(view, "rv-path-guess", at(i), PATHS.guess, guess[i]),
          ],
    ),
  ];
}

// The last label of each kept context, the best on top; the right one is filled.
function drawBeam(view, update, at, row) {
  return update.kept.flatMap((column, i) =>
    column.map(([label, right], k) =>
      svg(
        "g",
        { class: "rv-kept" + (right ? " rv-right" : "") },
        svg("rect", { x: at(i) - 11, y: PATHS.kept + k * row - 8, width: 22, height: 16, rx: 8 }),
        text("rv-name rv-small", at(i), PATHS.kept + k * row + 4, fitted(view.payload.labels[label], 20)),
      ),
    ),
  );
}

// At a temperature above 0 every label falls by its share, instead of one path.
function spreadOver(view, update, at, cell) {
  const { labels } = view.payload;
  const line = `M${at(0)} ${PATHS.gold}H${at(update.gold.length - 1)}`;
  const shares = update.heats[view.heat].shares.map((found, i) =>
    found.slice(0, OTHERS).flatMap(([label, p], k) => {
      const y = PATHS.both + 18 + k * 19;
      const bar = { x: at(i) - cell / 2 + 5, y: y - 9, height: 15, rx: 3 };
      const share = Math.max(1, (cell - 10) * p);
      return [
        svg("rect", { class: "rv-track", ...bar, width: cell - 10 }),
        svg("rect", { class: "rv-expected", ...bar, width: share }),
        text("rv-name rv-small", bar.x + 4, y + 3, fitted(labels[label], 20), "start"),
        ...(cell > 52 ? [text("rv-value", at(i) + cell / 2 - 8, y + 3, massText(p), "end")] : []),
      ];
    }),
  );
  return [
    svg("path", { class: "rv-path rv-path-gold", d: line }),
    ...update.gold.flatMap((label, i) => drawDot(view, "rv-path-gold", at(i), PATHS.gold, label)),
    ...shares.flat(),
  ];
}

function drawLeads({ lead }, at, cell, { top, height }) {
  const most = Math.max(...lead.map(Math.abs), 1e-9);
  const zero = top + height * 0.78;
  const barHeight = (value) => (Math.abs(value) / most) * height * (value > 0 ? 0.6 : 0.2);
  const bars = lead.flatMap((value, i) => {
    const bar = { x: at(i) - cell * 0.3, width: cell * 0.6, height: Math.max(1, barHeight(value)), rx: 2 };
    const y = value > 0 ? zero - barHeight(value) : zero;
    return [
      svg("rect", { class: value > 0 ? "rv-lead" : "rv-lead rv-behind", ...bar, y }),
      text("rv-value", at(i), value > 0 ? y - 4 : zero - 4, scoreText(value, 1)),
    ];
  });
  return [svg("path", { class: "rv-zero", d: `M${at(-0.5)} ${zero}H${at(lead.length - 0.5)}` }), ...bars];
}

// The cuts of the rules; rules with the same cut share a line.
function drawCuts(view, update, at, { top, height }) {
  const places = new Map();
  RULES.forEach(([rule, name]) => {
    const { cut } = update.steps[rule];
    places.set(cut, [...(places.get(cut) ?? []), { rule, name }]);
  });
  return [...places].map(([cut, rules], line) => {
    const x = at(cut - 0.5);
    const on = view.heat === 0 && rules.some(({ rule }) => rule === view.rule);
    const said = rules.map(({ name }) => name).join(", ");
    const below = top + height + 16 + 15 * line;
    return svg(
      "g",
      { class: "rv-cut" + (on ? " rv-on" : "") },
      svg("path", { d: `M${x} ${PATHS.gold - 16}V${below + 2}` }),
      text("", x - 6, below, `✂ ${said}`, "end"),
    );
  });
}

function spokenPaths(view, { gold, found, word }) {
  const spell = (labels) => labels.map((label) => view.payload.labels[label]).join("");
  const rule = `the rule ${view.rule} looks at the first ${view.cut()} positions`;
  return `${word}: right is ${spell(gold)}, found was ${spell(found)}; ${rule}`;
}
