// Curves of several trainings, and a bar over their checkpoints that decides all that is below it. `parts` has the
// curves (charts), a note on them (noteOf), the readings of an example at a checkpoint (readingRows), their details
// (makeDetails), and whether the readings are before the curves (readsFirst).

import { html, setAttributes, setText } from "../shared/dom.js";
import { makeExportBar } from "../shared/export_bar.js";
import { atRest } from "../shared/rest.js";
import { dressMethods } from "../shared/methods.js";
import { countText, durationText, percentText } from "../shared/numbers.js";
import { panel, segmented } from "../shared/parts.js";
import { findTheme } from "../shared/theme.js";
import { makeStepper, pressed, stepKeys } from "../shared/transport.js";
import { begin, changed, giveMethods, makeMount, paintParts } from "../shared/view.js";
import { telling } from "../shared/words.js";
import { lastStep, nearest, withoutCheckpoint } from "./checkpoints.js";
import { makeCurves } from "./curves.js";
import { endReplay, replay, replayFirst } from "./replay.js";

const MACHINE = "time machine: one example read by the weights of any checkpoint.";
const PACE = 220; // milliseconds per checkpoint when it plays

function makeView(parts, root, payload, host) {
  const view = {
    ...parts,
    root,
    host,
    step: payload.step,
    asked: payload.step,
    sent: payload.step,
    hovered: null,
    replayed: null, // how far a recording has been played, null unless it plays
    method: 0,
    scale: "linear",
    speed: 1,
    playing: false,
    width: 0,
    parts: {},
  };
  giveMethods(view, { load, build, repaint, results, play });
  view.choose = (step) => {
    endReplay(view);
    view.step = step === view.steps[view.steps.length - 1] && isGoingOn(view) ? null : step;
    changed(view);
  };
  view.go = (step) => view.choose(nearest(view.steps, step));
  view.follow = () => {
    endReplay(view);
    view.step = null;
    changed(view);
  };
  view.hover = (step) => {
    if (step !== view.hovered) {
      view.hovered = step;
      changed(view);
    }
  };
  view.setMethod = (m) => {
    view.method = m;
    changed(view);
  };
  view.setScale = (scale) => {
    view.scale = scale;
    changed(view, "layout");
  };
  view.shown = () => view.replayed ?? view.step ?? view.steps[view.steps.length - 1] ?? null;
  return view;
}

// Choosing the last checkpoint of a training in progress follows it to the next ones.
function isGoingOn({ methods }) {
  return methods.some(({ status }) => ["running", "paused", "asleep"].includes(status));
}

function load(view, payload) {
  view.payload = payload;
  view.methods = payload.methods.map((method) => ({ ...method }));
  dressMethods(view.methods);
  view.method = Math.min(view.method, view.methods.length - 1);
  view.longest = Math.max(10, ...view.methods.map(lastStep));
  view.earliest = Math.min(view.longest / 2, ...view.methods.map((method) => method.points.step[0] ?? 1));
  view.steps = [
    ...new Set(view.methods.flatMap((method) => method.checkpoints.map((checkpoint) => checkpoint.step))),
  ].sort((a, b) => a - b);
}

function play(view, on) {
  if (on && view.payload.recorded) return replay(view);
  endReplay(view);
  clearInterval(view.timer);
  view.playing = on && view.steps.length > 1;
  if (view.playing) {
    if (view.step === null || view.step === view.steps.at(-1)) view.step = view.steps[0];
    view.timer = setInterval(() => {
      const next = view.steps.find((step) => step > view.step);
      if (!view.root.isConnected || next === undefined || view.step === null) return view.play(false);
      view.choose(next);
    }, PACE / view.speed);
  }
  changed(view);
}

// The checkpoints as the steps of the bar. A recording follows a change of speed while it plays.
function checkpointsOf(view) {
  return {
    get position() {
      return view.steps.indexOf(nearest(view.steps, view.shown())) + 1;
    },
    get playing() {
      return view.playing;
    },
    get speed() {
      return view.speed;
    },
    go: (number) => {
      const step = view.steps[Math.min(Math.max(1, number), view.steps.length) - 1];
      if (step !== undefined) view.choose(step);
    },
    play: view.play,
    setSpeed: (speed) => {
      view.speed = speed;
      if (view.playing && view.replayed === null) view.play(true);
    },
  };
}

// Only new data, width or scale lay the curves out again.
function repaint(view, due) {
  paintParts(view.parts, due);
  setAttributes(view.root, {
    "data-ready": "true",
    "data-step": view.shown() ?? "",
    "data-follows": String(view.step === null),
    "data-replays": view.replayed === null ? null : "true",
  });
  sendStep(view);
}

function sendStep(view) {
  const silent = !view.host.setState || view.playing || view.sent === view.step;
  const send = () => {
    view.sent = view.step;
    view.host.setState("step", view.step);
  };
  atRest(view, view.root, silent ? null : send);
}

function makeLegend(view) {
  const node = html("div", { class: "rv-legend-row" });
  const text = {
    running: "training",
    asleep: "asleep: no viewer",
    paused: "paused",
    done: "done",
    cancelled: "cancelled",
    failed: "failed",
  };
  function layout() {
    node.replaceChildren(
      ...view.methods.map((method) => {
        const { size } = view.payload;
        const epoch = Math.min(
          Math.floor(method.done / size) + (method.done < method.steps ? 1 : 0),
          method.steps / size,
        );
        const left =
          method.status === "running" && method.left !== null ? ` · ${durationText(Math.ceil(method.left))} left` : "";
        const evaluating = method.status === "running" && method.evaluating;
        const doing = evaluating ? "reading held-out data" : text[method.status];
        const done = html("span", { class: "rv-progress" });
        done.style.width = (100 * method.done) / method.steps + "%";
        return html(
          "div",
          { class: "rv-legend-item " + method.className },
          html("b", { class: "rv-method" }, `${method.mark} ${method.name}`),
          html(
            "span",
            {},
            method.message ||
              `${doing} · ${countText(method.done)} examples · epoch ${epoch} of ${method.steps / size}${left}`,
          ),
          html("span", { class: "rv-progress-track" }, done),
        );
      }),
    );
  }
  return { node, layout, paint() {} };
}

function makeTransport(view) {
  const latest = html("button", { type: "button", class: "rv-button", onclick: () => view.follow() }, "latest");
  const follow = {
    node: latest,
    paint: () => setAttributes(latest, { disabled: view.step === null, "aria-pressed": view.step === null }),
  };
  const scale = segmented("examples", ["linear", "log"], () => view.scale, view.setScale);
  return makeStepper(checkpointsOf(view), "checkpoint", () => view.steps.length, {
    choices: [follow, scale],
    place: () => placeText(view),
  });
}

function placeText(view) {
  const shown = view.shown();
  if (shown === null) return withoutCheckpoint(...view.methods);
  return `${countText(shown)} examples · epoch ${(shown / view.payload.size).toFixed(1)}`;
}

// One held-out example as every method reads it at a checkpoint.
function makeMachine(view) {
  const words = html("select", {
    class: "rv-speed",
    onchange: () => view.host.setState?.("word", Number(words.value)),
  });
  const made = panel("Time machine", "rv-machine", html("label", {}, "held out: ", words));
  telling(made.heading, MACHINE);
  const body = html("div", { class: "rv-machine-body" });
  made.body.append(body);

  function layout() {
    listWords(words, view.payload);
  }

  function paint() {
    setText(
      made.heading,
      "Time machine" + (view.shown() === null ? "" : `: after ${countText(view.shown())} examples`),
    );
    body.replaceChildren(...view.readingRows(view));
  }

  return { node: made.node, layout, paint };
}

// The examples that a time machine can show; one that is being chosen is left alone.
function listWords(select, { words, word }) {
  const key = words.join("|");
  if (select.dataset.key !== key)
    select.replaceChildren(...words.map((name, k) => html("option", { value: k }, `${k + 1} · ${name}`)));
  select.dataset.key = key;
  if (document.activeElement !== select) select.value = word;
}

function makeTools(view) {
  return makeExportBar(view, {
    file: () => `rcmviz-learning-${view.payload.id}`,
    tables: [{ rows: () => curveRows(view), title: "the numbers of the curves" }],
    picture: {
      title: "the curves",
      lines: () => [view.methods.map((method) => `${method.mark} ${method.name}`).join("   ")],
      drawings: () => [view.parts.charts.drawing],
    },
    steps: "checkpoint",
    keys: [["l", "linear or log axis of the examples"]],
    signs: view.methods.map(({ mark, name }) => [mark, name]),
  });
}

function results({ methods }) {
  return methods.map(({ className, mark, name, points }) => {
    const last = (points.accuracy ?? []).findLast((value) => value !== null);
    const answer = last === undefined ? "not evaluated" : percentText(last);
    return { className, name: `${mark} ${name}`, answer, sure: "of held-out words read right" };
  });
}

function curveRows(view) {
  const curves = view.charts.map(({ curve }) => curve);
  const rows = view.methods.flatMap((method) =>
    method.points.step.map((step, k) => [method.name, step, ...curves.map((curve) => method.points[curve][k] ?? "")]),
  );
  return [["method", "examples", ...curves], ...rows];
}

function build(view) {
  view.built = shapeOf(view.payload);
  view.parts = {
    legend: makeLegend(view),
    transport: makeTransport(view),
    charts: makeCurves(view, view.charts, "examples", view.noteOf(view)),
    machine: makeMachine(view),
    ...view.makeDetails(view),
    tools: makeTools(view),
  };
  const { legend, transport, charts, machine, tools, ...details } = view.parts;
  const below = html(
    "div",
    { class: "rv-stage rv-details" },
    Object.values(details).map((part) => part.node),
  );
  const order = view.readsFirst ? [machine.node, charts.node] : [charts.node, machine.node];
  const figures = order.map((node) => [node, legend.node]);
  view.figures = [...figures, ...Object.values(details).map((part) => [part.node])];
  view.root.replaceChildren(legend.node, transport.node, ...order, below, tools.node);
}

function shapeOf(payload) {
  return JSON.stringify([payload.id, payload.methods.map((method) => method.name), payload.pixels]);
}

function keysOf(view) {
  const keys = {
    ...stepKeys(checkpointsOf(view), () => view.steps.length),
    l: () => view.setScale(view.scale === "log" ? "linear" : "log"),
    "?": () => view.parts.tools.help(),
  };
  return (event) => pressed(view, event, keys);
}

function start(parts, root, payload, host) {
  const view = makeView(parts, root, payload, host);
  begin(view, payload, keysOf(view));
  replayFirst(view);
  return view;
}

// New data keeps the current step, unless Python requests a different one than before, or the run is another.
function update(view, payload) {
  findTheme(view);
  if (payload.id !== view.payload.id) endReplay(view);
  if (payload.id !== view.payload.id || payload.step !== view.asked) {
    if (payload.id !== view.payload.id || payload.step !== view.sent) view.step = payload.step;
    view.asked = payload.step;
    view.sent = payload.step;
  }
  view.load(payload);
  if (shapeOf(payload) !== view.built) build(view);
  changed(view, "layout");
}

export function trainingView(parts) {
  return makeMount("rv-player rv-learning", (root, payload, host) => start(parts, root, payload, host), update);
}
