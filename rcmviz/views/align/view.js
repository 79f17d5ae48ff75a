// Align: phones above, letters below, and which belongs to which. The position is a cell of the grid: a phone and a
// letter.

import { makeContexts } from "./contexts.js";
import { hasGold, keyOf } from "./edges.js";
import { linkTo, makeBar } from "./export.js";
import { makeGrid } from "./grid.js";
import { makePicture } from "./picture.js";
import { aboutCell, makeCard, makeReadouts } from "./sentences.js";
import { html, setAttributes } from "../shared/dom.js";
import { settleLink } from "../shared/links.js";
import { dressMethods } from "../shared/methods.js";
import { withNames } from "../shared/names.js";
import { percentText } from "../shared/numbers.js";
import { makeSentences, segmented } from "../shared/parts.js";
import { findTheme } from "../shared/theme.js";
import { giveSteps, makeStepper, pressed, stepKeys } from "../shared/transport.js";
import { begin, changed, makeMount, opensElsewhere, paintParts, renew } from "../shared/view.js";

const ROUTES = [
  ["path", "best alignment"],
  ["all", "all cells"],
];
const ASKED = [
  ["model", "any spelling"],
  ["gold", "meant spelling"],
];

function makeView(root, payload, host) {
  const view = {
    root,
    host,
    width: 0,
    parts: {},
    route: "path",
    asked: "model",
    whole: false,
    speed: 1,
    playing: false,
    position: 1,
  };
  Object.assign(view, cells(view), choosing(view));
  giveSteps(view, view.steps);
  view.load = (next) => load(view, next);
  view.build = () => build(view);
  view.results = () => results(view);
  view.repaint = (due) => repaint(view, due);
  return view;
}

// A cell may be missing from a run: a beam drops whole cells. An example that cannot be aligned has an error in its
// place.
function load(view, payload) {
  view.payload = payload;
  if (payload.error) return;
  view.runs = payload.runs.map((run) => ({
    ...run,
    at: new Map(run.cells.map((cell) => [keyOf(cell.a, cell.i), cell])),
  }));
  dressMethods(view.runs);
  view.lead = view.runs.find((run) => run.best) ?? view.runs[0];
  view.routes = { path: (view.lead.best?.edges ?? []).map(([a, i]) => [a + 1, i + 1]), all: allCells(view.runs) };
  if (!hasGold(view) || payload.asked) view.asked = hasGold(view) ? (payload.asked ?? "model") : "model";
  view.route = payload.route ?? (view.routes.path.length ? view.route : "all");
  view.position = 1;
  if (payload.cell) goTo(view, payload.cell);
}

function allCells(runs) {
  const cells = new Map(
    runs.flatMap((run) => run.cells.filter((cell) => cell.a).map((cell) => [keyOf(cell.a, cell.i), [cell.a, cell.i]])),
  );
  return [...cells.values()].sort((one, other) => one[0] - other[0] || one[1] - other[1]);
}

// The place of a cell on the present route; a cell off the route is looked up among all cells.
function goTo(view, [a, i]) {
  const placeOf = (route) => view.routes[route].findIndex(([b, j]) => b === a && j === i);
  if (placeOf(view.route) < 0) view.route = "all";
  view.position = Math.max(0, placeOf(view.route)) + 1;
}

function cells(view) {
  return {
    steps: () => view.routes[view.route].length,
    cell: () => view.routes[view.route][view.position - 1] ?? [1, 1],
    goToCell(cell) {
      const { route } = view;
      goTo(view, cell);
      changed(view, view.route === route ? "paint" : "layout");
    },
  };
}

function choosing(view) {
  return {
    setRoute(route) {
      const cell = view.cell();
      view.route = route;
      const place = view.routes[route].findIndex(([a, i]) => a === cell[0] && i === cell[1]);
      view.position = place < 0 ? 1 : place + 1;
      changed(view, "layout");
    },
    showAll(whole) {
      view.whole = whole;
      changed(view);
    },
    setAsked(asked) {
      if (asked === "gold" && !hasGold(view)) return;
      view.asked = asked;
      changed(view, "layout");
    },
  };
}

function results({ payload: { meant }, runs }) {
  return runs.map(({ className, mark, name, best, spellings }) => {
    const found = spellings.find(([text]) => text === best?.text);
    const right = meant === null ? null : best?.text === meant;
    const story = right === false ? `Meant is ${meant}.` : "";
    const sure = found ? `${percentText(found[1])} sure` : "";
    return { className, name: `${mark} ${name}`, answer: best?.text ?? "", sure, right, story };
  });
}

function repaint(view, due) {
  const { payload } = view;
  setAttributes(view.root, { "data-id": payload.id, "data-ready": "true", "data-error": payload.error ?? null });
  if (payload.error) return;
  paintParts(view.parts, due);
  const [a, i] = view.cell();
  setAttributes(view.root, {
    "data-cell": `${a}.${i}`,
    "data-position": view.position,
    "data-steps": view.steps(),
    "data-route": view.route,
    "data-asked": view.asked,
  });
  settleLink(view, linkTo);
}

function build(view) {
  const { payload } = view;
  setAttributes(view.root, { "data-runs": payload.error ? 1 : view.runs.length });
  if (payload.error) {
    view.parts = {};
    view.root.replaceChildren(html("p", { class: "rv-refusal", role: "alert" }, ...withNames(payload.error)));
    return;
  }
  const each = (make) => view.runs.map((run) => make(view, run));
  const choices = [
    segmented("route", ROUTES, () => view.route, view.setRoute),
    hasGold(view) ? segmented("alignments of", ASKED, () => view.asked, view.setAsked) : null,
  ].filter(Boolean);
  const rows = {
    cards: each(makeCard),
    pictures: each(makePicture),
    grids: each(makeGrid),
    tables: each(makeContexts),
  };
  const transport = makeStepper(view, "cell", view.steps, { choices });
  const [sentences, readouts, tools] = [
    makeSentences("what happens in this cell", () => aboutCell(view)),
    makeReadouts(view),
    makeBar(view),
  ];
  view.parts = {
    transport,
    sentences,
    readouts,
    tools,
    ...Object.fromEntries(Object.entries(rows).flatMap(([name, parts]) => parts.map((part, r) => [name + r, part]))),
  };
  const stage = (parts) =>
    html(
      "div",
      { class: "rv-stage rv-align-row" },
      parts.map((part) => part.node),
    );
  const [cards, pictures, grids, tables] = Object.values(rows).map(stage);
  view.figures = [[pictures, cards, sentences.node], [grids, sentences.node], [tables]];
  const band = html("div", { class: "rv-band" }, sentences.node, readouts.node);
  for (const row of [grids, tables]) row.classList.add("rv-details");
  view.root.replaceChildren(transport.node, cards, pictures, band, grids, tables, tools.node);
}

function keysOf(view) {
  const steps = {
    ...stepKeys(view, view.steps),
    v: () => view.setRoute(view.route === "all" ? "path" : "all"),
    p: () => view.setAsked(view.asked === "gold" ? "model" : "gold"),
    "?": () => view.parts.tools.help(),
  };
  return (event) => pressed(view, event, view.payload.error ? {} : steps);
}

function start(root, payload, host) {
  const view = makeView(root, payload, host);
  opensElsewhere(view, opensWith(payload));
  return begin(view, payload, keysOf(view));
}

const opensWith = ({ cell, route, asked }) => (cell || route || asked ? { cell, route, asked } : null);

function update(view, payload) {
  findTheme(view);
  const elsewhere = opensElsewhere(view, opensWith(payload));
  if (payload.id === view.payload.id && !elsewhere) return;
  view.play(false);
  renew(view, payload);
}

export default makeMount("rv-player rv-align", start, update);
