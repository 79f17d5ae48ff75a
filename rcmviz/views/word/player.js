// The player: one view that the panels share, and what draws it on a page, in an exported file or in a notebook.

import { makeBlame, takeStrips } from "./blame.js";
import { makeCandidates } from "./candidates.js";
import { makeDetail, makeReadouts } from "./detail.js";
import { html, setAttributes } from "../shared/dom.js";
import { makeHeatmap } from "./heatmap.js";
import { atRest } from "../shared/rest.js";
import { keyboard, makeTransport } from "./bar.js";
import { comparing } from "./compared.js";
import { linkTo, makeTools } from "./export.js";
import { dressRuns, methodClass, methodMark } from "../shared/methods.js";
import { spell } from "../shared/names.js";
import { percentText } from "../shared/numbers.js";
import { isRevealing } from "./reveal.js";
import { makeFocus } from "./focus.js";
import { leavePlace, placeLeft } from "./left_place.js";
import { makeLights } from "./lights.js";
import { advanceQuiz, beginQuizzes } from "./quiz.js";
import { makeQuiz } from "./quiz_panel.js";
import { remembered } from "./rows.js";
import { makeLetter } from "./letters.js";
import { makeNotes } from "./notes.js";
import { steered } from "./steered.js";
import { findTheme } from "../shared/theme.js";
import { tellPlace } from "../shared/links.js";
import { giveSteps } from "../shared/transport.js";
import { makeTree } from "./tree.js";
import { makeTrust } from "./trust.js";
import { DEPTH, NARROW, begin, changed, giveMethods, makeMount, paintParts, renew } from "../shared/view.js";

const RANKS = 10; // rows of a list where methods are compared
const ECHO = 6000; // for so long a position that comes back from Python may be an old one of ours

function makeView(root, payload, host) {
  const view = {
    root,
    payload,
    host,
    position: payload.position,
    node: payload.node || null,
    run: 0,
    hovered: null,
    sum: null, // the kind of sum that is shown, null for the usual one
    term: null, // of the sum: the one that is pointed at
    mass: "forward",
    scale: "linear",
    speed: 1,
    playing: false,
    glides: false, // whether bars move to their new lengths
    panels: {},
    positionsSent: [],
    memory: null,
    quiz: null,
    positions: [],
    frameRows: 0,
    barRooms: [], // pixels that the bars of each list have (list.js)
    width: 0,
  };
  giveSteps(view, () => view.payload.T);
  Object.assign(view, stepping(view, view.go), choosing(view), comparing(view), isRevealing(view));
  view.advance = () => advanceQuiz(view);
  Object.assign(view, makeFocus(view));
  giveMethods(view, { load, build, repaint, results });
  return view;
}

function load(view, payload) {
  view.payload = payload;
  dressRuns(payload.runs);
  view.memory = remembered(view);
  view.positions = Array.from({ length: payload.T }, (_, k) => k + 1);
  view.position = Math.min(Math.max(1, view.position), payload.T);
  view.run = Math.min(view.run, payload.runs.length - 1);
  if (view.node && !isShown(view, view.node)) view.node = null;
  view.forgetFocus();
}

// A link or an edit can leave behind the name of a context that is not there.
function isShown(view, name) {
  const lists = view.payload.runs.flatMap((_, r) => [
    view.memory.rows(r, view.position),
    view.memory.candidates(r, view.position) || [],
  ]);
  return lists.some((list) => list.some((entry) => entry.name === name));
}

// Rows that a tree and the candidates show without scrolling: the same at every position, so that nothing jumps.
function rowsInFrame({ payload: { runs }, positions, memory, width }) {
  if (runs.length > 1) {
    const most = runs.flatMap((_, r) => positions.map((i) => memory.candidates(r, i)?.length ?? 0));
    return Math.max(6, Math.min(RANKS, Math.max(...most) + 2)); // with the budget line
  }
  const longest = Math.max(...positions.map((i) => memory.rows(0, i).length));
  return Math.max(width >= NARROW ? 17 : 6, Math.min(26, longest)); // the candidates are longer than the tree
}

function stepping(view, step) {
  return {
    go(position) {
      const before = view.position;
      step(position);
      if (view.position !== before) Object.assign(view, { glides: view.playing, node: null, hovered: null });
    },
    goToLoss(r) {
      const position = view.payload.runs[r].gold.lost;
      view.run = r;
      view.go(position);
      const lost = (view.memory.candidates(r, position) || []).find((candidate) => candidate.gold);
      if (lost) view.select(lost.name, r);
      changed(view, "layout");
    },
  };
}

function choosing(view) {
  return {
    hover(at) {
      view.hovered = at;
      changed(view, "highlight");
    },
    // `twin`: the number of one of several candidates of that name
    select(name, r, twin) {
      view.node = name === view.node && twin === view.twin ? null : name;
      view.twin = twin;
      view.sum = null;
      if (r !== undefined) view.run = r;
      changed(view, "highlight");
    },
    setMass(kind) {
      view.mass = view.reveal ? "forward" : kind;
      view.glides = true;
      changed(view, "paint");
    },
    setScale(kind) {
      view.scale = kind;
      view.glides = true;
      changed(view, "paint");
    },
    setRun(r) {
      view.run = r;
      changed(view, "layout");
    },
  };
}

function repaint(view, due) {
  if (due === DEPTH.layout) Object.assign(view, { frameRows: rowsInFrame(view), barRooms: [] });
  view.figures = view.quiz ? [[view.parts.quiz.node, ...view.pictures[0]]] : view.pictures;
  setAttributes(view.root, { "data-glides": view.glides });
  paintParts(view.panels, due);
  setAttributes(view.root, {
    "data-position": view.position,
    "data-node": view.node || "",
    "data-ready": "true",
    "data-mass": view.mass,
    "data-hides-future": view.hidesFuture(),
  });
  tellPlace(view, linkTo(view));
  settle(view);
}

// A player that plays has not settled: each word to Python costs a run of the page.
function settle(view) {
  const silent = !view.host.setState || view.playing;
  atRest(view, view.root, silent ? null : () => sendPlace(view));
}

function sendPlace(view) {
  for (const key of ["position", "node"]) {
    if (view.sent?.[key] === view[key]) continue;
    view.sent = { ...view.sent, [key]: view[key] };
    if (key === "position") view.positionsSent.push([view.position, Date.now()]);
    view.host.setState(key, view[key]);
  }
}

function results(view) {
  const { runs, gold } = view.payload;
  return runs.map((run) => {
    const { labels, p } = run.path;
    const right = gold ? labels.every((label, i) => label === gold[i]) : null;
    const story = gold && run.gold.lost !== null ? `The right output is lost at position ${run.gold.lost}.` : "";
    const name = `${methodMark(run)} ${run.name}`;
    const answer = labels.length ? spell(view, labels) : "";
    return { className: methodClass(run), name, answer, sure: `${percentText(p)} sure`, right, story };
  });
}

function build(view) {
  const { payload } = view;
  const compared = payload.runs.length > 1;
  const parts = { transport: makeTransport(view) };
  const rows = payload.runs.map((_, r) => r);
  for (const r of rows) parts["tree" + r] = makeTree(view, r);
  parts.readouts = makeReadouts(view);
  parts.detail = makeDetail(view, compared ? null : parts.readouts.node);
  for (const r of rows) parts["letter" + r] = makeLetter(view, r);
  for (const r of rows) parts["ranks" + r] = makeCandidates(view, r);
  if (payload.notes) parts.notes = makeNotes(view);
  parts.quiz = makeQuiz(view);
  const blame = makeBlame(view);
  if (blame) parts.blame = blame;
  const trust = makeTrust(view);
  if (trust) parts.trust = trust;
  parts.heatmap = makeHeatmap(view);
  parts.tools = makeTools(view);
  parts.lights = makeLights(view);
  Object.assign(view, { parts, panels: parts });
  view.root.replaceChildren(...arrangeStage(view, rows, compared));
  setAttributes(view.root, { "data-mode": "full", "data-runs": payload.runs.length });
}

// Alone it begins with all positions, which otherwise the picture above shows.
function arrangeStage(view, rows, compared) {
  const { parts, host: { inner } } = view;
  const isAlone = !inner;
  const [trees, ranks, letters] = ["tree", "ranks", "letter"].map((kind) => rows.map((r) => parts[kind + r].node));
  const nodes = (...some) => some.filter(Boolean).map((part) => part.node);
  const band = html("div", { class: "rv-band" }, parts.detail.node, parts.readouts.node);
  const stage = (kind, ...panels) => html("div", { class: `rv-stage ${kind}` }, ...panels);
  const columns = compared
    ? [stage("rv-compared rv-ranks", ranks), ...[trees, letters].map((panels) => stage("rv-compared", panels))]
    : [stage("rv-single", trees, ranks, letters)];
  const [first, ...further] = columns;
  view.pictures = [...columns.map((column) => [column, parts.detail.node]), [parts.heatmap.node]];
  return [
    ...nodes(parts.transport, parts.notes, parts.quiz, isAlone && parts.heatmap),
    ...(compared ? [first, band, ...further] : [band, first]),
    ...nodes(parts.blame, parts.trust, !isAlone && parts.heatmap, parts.tools),
  ];
}

function start(root, payload, host) {
  const view = makeView(root, payload, host);
  const { position: asked } = payload;
  Object.assign(view, { asked, sent: { position: asked, node: payload.node || null }, page: window.location.pathname });
  Object.assign(view, placeLeft(view));
  begin(view, payload, keyboard(view));
  steered(view, isShown);
  const stop = view.stop;
  const leave = ({ position, node, sent, positionsSent }) => leavePlace(view, { position, node, sent, positionsSent });
  view.stop = () => [leave(view), stop()];
  beginQuizzes(view);
  return view;
}

// New data: the same word keeps the step where a person is, another word starts where Python says. A position that
// Python sends back is obeyed unless it is an echo of one that was sent.
function update(view, payload) {
  const old = view.payload;
  findTheme(view);
  const moved = payload.position !== view.asked && !isEcho(view, payload.position);
  view.asked = payload.position;
  if (payload.id === old.id) {
    takeStrips(view, payload);
    if (moved) view.go(payload.position);
    return;
  }
  const same = payload.subject === old.subject;
  if (!same) view.node = payload.node || null;
  if (!same || moved) view.position = payload.position;
  view.hovered = null;
  renew(view, payload);
}

function isEcho(view, position) {
  view.positionsSent = view.positionsSent.filter(([, when]) => Date.now() - when < ECHO);
  return position === view.position || view.positionsSent.some(([sent]) => sent === position);
}

export const drawPlayer = makeMount("rv-player", start, update);
