// Curves of several trainings, and a slider through their checkpoints that moves all that is below it. `parts` say
// which curves those are (charts), what should be known of them (noteOf), how an example is read at a checkpoint
// (readingRows), what else is shown of one (makeDetails), and whether the slider with what is read stands before the
// curves (readsFirst).

import { html, setAttributes, setText } from "../shared/dom.js";
import { makeExportBar } from "../shared/export_bar.js";
import { atRest } from "../shared/rest.js";
import { dressMethods } from "../shared/methods.js";
import { countText, durationText } from "../shared/numbers.js";
import { panel, segmented } from "../shared/parts.js";
import { pictureOf, placed, sizeOf, wordDrawing } from "../shared/picture.js";
import { findTheme } from "../shared/theme.js";
import { makePlay, makeScrubber } from "../shared/transport.js";
import { begin, changed, giveMethods, mounting, paintParts } from "../shared/view.js";
import { telling } from "../shared/words.js";
import { lastStep, nearest, withoutCheckpoint } from "./checkpoints.js";
import { makeCurves } from "./curves.js";
import { endReplay, replay, replayFirst } from "./replay.js";

const MACHINE = "time machine: the same example read anew by the weights of any moment of the training.";
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
    width: 0,
    parts: {},
  };
  giveMethods(view, { load, build, repaint, play });
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

// Whoever chooses the last checkpoint of a training that goes on, follows it to the next ones.
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
    if (view.step === null) view.step = view.steps[0];
    view.timer = setInterval(() => {
      const next = view.steps.find((step) => step > view.step);
      if (!view.root.isConnected || next === undefined || view.step === null) return view.play(false);
      view.choose(next);
    }, PACE);
  }
  changed(view);
}

// Only new data, width or scale lay the curves out anew.
function repaint(view, due) {
  paintParts(view.parts, due);
  setAttributes(view.root, {
    "data-ready": "true",
    "data-step": view.shown() ?? "",
    "data-follows": String(view.step === null),
    "data-replays": view.replayed === null ? null : "true",
  });
  settle(view);
}

function settle(view) {
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
    asleep: "asleep: nobody looked",
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
        const doing = evaluating ? "reading what is held out" : text[method.status];
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

function makeTimeMachine(view) {
  const play = makePlay(view, "play through the checkpoints");
  const scrubber = makeScrubber("checkpoint", (k) => view.choose(view.steps[k]));
  const place = html("output", { class: "rv-place" });
  const latest = html("button", { type: "button", class: "rv-button", onclick: () => view.follow() }, "latest");
  const scale = segmented("examples", ["linear", "log"], () => view.scale, view.setScale);
  const parts = [play, scrubber, { node: place }, { node: latest }, scale].map((part) => part.node);
  const node = html("div", { class: "rv-transport", role: "toolbar", "aria-label": "time machine" }, parts);

  function paint() {
    const shown = view.shown();
    scrubber.paint({
      at: Math.max(0, view.steps.indexOf(nearest(view.steps, shown))),
      last: view.steps.length - 1,
      text: `after ${countText(shown ?? 0)} examples`,
      disabled: !view.steps.length,
    });
    const epoch = (shown / view.payload.size).toFixed(1);
    setText(
      place,
      shown === null ? withoutCheckpoint(...view.methods) : `${countText(shown)} examples · epoch ${epoch}`,
    );
    setAttributes(latest, { disabled: view.step === null, "aria-pressed": view.step === null });
    play.paint();
    scale.paint();
  }

  return { node, layout() {}, paint };
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

function makeExports(view) {
  return makeExportBar(view, {
    file: () => `rcmviz-learning-${view.payload.id}`,
    tables: [{ rows: () => curveRows(view), title: "the numbers of the curves" }],
    data: "curves, checkpoints and readings",
    picture: { draw: () => chartPicture(view), title: "the curves" },
  });
}

function curveRows(view) {
  const curves = view.charts.map(({ curve }) => curve);
  const rows = view.methods.flatMap((method) =>
    method.points.step.map((step, k) => [method.name, step, ...curves.map((curve) => method.points[curve][k] ?? "")]),
  );
  return [["method", "examples", ...curves], ...rows];
}

function chartPicture(view) {
  const { drawing } = view.parts.charts;
  const [width, height] = sizeOf(drawing);
  const names = view.methods.map((method) => `${method.mark} ${method.name}`).join("   ");
  return pictureOf(view, width, height + 24, wordDrawing(names, view.root, 8, 17), placed(drawing, 0, 24));
}

function build(view) {
  view.built = shapeOf(view.payload);
  view.parts = {
    legend: makeLegend(view),
    charts: makeCurves(view, view.charts, "examples", view.noteOf(view)),
    scrubber: makeTimeMachine(view),
    machine: makeMachine(view),
    ...view.makeDetails(view),
    exports: makeExports(view),
  };
  const { legend, charts, scrubber, machine, exports, ...details } = view.parts;
  const below = html(
    "div",
    { class: "rv-stage rv-details" },
    Object.values(details).map((part) => part.node),
  );
  const time = [scrubber.node, machine.node];
  const order = view.readsFirst ? [...time, charts.node] : [charts.node, ...time];
  view.root.replaceChildren(legend.node, ...order, below, exports.node);
}

function shapeOf(payload) {
  return JSON.stringify([payload.id, payload.methods.map((method) => method.name), payload.pixels]);
}

function keysOf(view) {
  return (event) => {
    const widget =
      event.target instanceof Element &&
      event.target.closest("input:not([type=range]),textarea,select,[contenteditable],[role=combobox],[role=slider]");
    if (event.key !== "l" || event.ctrlKey || event.metaKey || event.altKey || widget) return;
    view.setScale(view.scale === "log" ? "linear" : "log");
  };
}

function start(parts, root, payload, host) {
  const view = makeView(parts, root, payload, host);
  begin(view, payload, keysOf(view));
  replayFirst(view);
  return view;
}

// New data keeps the step where a person is, unless Python asks for another one than before, or it is another run.
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
  return mounting("rv-player rv-learning", (root, payload, host) => start(parts, root, payload, host), update);
}
