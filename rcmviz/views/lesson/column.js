// The visible parts of the dock: its head with the steps, the step, and the buttons. It is a column next to the page if
// there is room, otherwise a sheet over its lower end (view.css).

import { html, setAttributes, setText, svg, toggle } from "../shared/dom.js";
import { explainWithin } from "../shared/words.js";
import { makeFigure } from "./step_figures.js";
import { makePartsStyle } from "./parts.js";
import { makeTask, stateText } from "./task.js";
import { blocksOf } from "./text.js";

const ICONS = {
  fold: "M3 6l5 5 5-5",
  unfold: "M3 10l5-5 5 5",
  close: "M3.5 3.5l9 9M12.5 3.5l-9 9",
  again: "M12.5 8a4.7 4.7 0 1 1-1.4-3.3M11.6 1.8v3.2H8.4",
  list: "M2.5 4h11M2.5 8h11M2.5 12h7",
};

function iconButton(name, label, press) {
  const path = svg("path", { d: ICONS[name] });
  const picture = svg("svg", { width: 16, height: 16, viewBox: "0 0 16 16", "aria-hidden": "true" }, path);
  const attributes = { type: "button", class: "rv-dock-icon", "aria-label": label, title: label, onclick: press };
  return { node: html("button", attributes, picture), path };
}

export function makeColumn(dock) {
  const { lesson, host } = dock;
  const head = makeHead(dock);
  const stage = html("div", { class: "rv-figure-place" });
  let figure = null;
  const act = {
    point: (target, seek = false) => dock.rings.show(target ? [target] : (dock.step().point ?? []), seek),
    open: (view) => dock.visit(view),
  };
  const title = html("h2", { class: "rv-dock-title" });
  const text = html("div", { class: "rv-dock-text" });
  const task = makeTask(dock, act);
  const end = html("div", { class: "rv-dock-end" });
  const body = html("div", { class: "rv-dock-body", tabindex: "0", role: "group", "aria-label": "text of the step" });
  const back = { type: "button", class: "rv-dock-button", onclick: () => dock.again() };
  const elsewhere = html("span", {}, "This step belongs to another page.");
  const away = html("p", { class: "rv-dock-away" }, elsewhere, html("button", back, "Go back to it"));
  const way = makeWay(dock);
  const news = html("p", { class: "rv-dock-news", "aria-live": "polite" });
  const name = `lesson: ${lesson.title}`;
  const node = html("aside", { class: "rv-dock", "aria-label": name }, head.node, body, away, way.node, news);
  const rings = html("div", { class: "rv-rings", "aria-hidden": "true" });
  let shown = null;

  function paint() {
    head.paint();
    way.paint();
    setAttributes(away, { hidden: !dock.isAway() });
    if (shown !== dock.part) {
      shown = dock.part;
      const step = dock.step();
      setText(title, step.title);
      text.replaceChildren(...blocksOf(step.text, act));
      explainWithin(text);
      body.replaceChildren(title, text, task.node, end); // new elements, so that they fade in
      body.scrollTop = 0;
      figure = step.figure ? makeFigure(step.figure) : null;
      stage.replaceChildren(...(figure ? [figure.node] : []));
      setText(news, `step ${dock.part} of ${lesson.steps.length}: ${step.title}`);
    }
    task.paint();
    figure?.paint();
    stage.hidden = !hasFigure();
    end.replaceChildren(...(dock.part === lesson.steps.length ? ending(dock) : []));
  }

  const hasFigure = () => figure !== null && !dock.isAway();

  // Scrolls by a page if the step continues: a clicker shows all of it before the next step.
  const page = (by) => {
    const left = by > 0 ? body.scrollHeight - body.clientHeight - body.scrollTop : body.scrollTop;
    if (!dock.open || left < 8) return false;
    body.scrollTop += by * (body.clientHeight - 40);
    return true;
  };

  if (!host.close) head.close.remove();
  return { nodes: [makePartsStyle(), stage, node, rings], rings, paint, page, hasFigure };
}

function makeHead(dock) {
  const { lesson, host } = dock;
  const fold = iconButton("fold", "fold the lesson", () => dock.place(!dock.open));
  const close = iconButton("close", "leave the lesson; your progress is kept", () => host.close());
  const all = host.lessons ? iconButton("list", "all lessons", () => host.lessons()).node : null;
  const again = iconButton("again", "reset the view of this step", () => dock.again());
  const number = lesson.number ? `Lesson ${lesson.number}` : "Lesson";
  const subject = html("span", {});
  const kicker = html("p", { class: "rv-dock-kicker" }, html("b", {}, number), subject);
  const steps = lesson.steps.map(({ title, task }, k) => {
    const button = html("button", { type: "button", class: "rv-dock-step", onclick: () => dock.go(k + 1) });
    return { button, label: `step ${k + 1}: ${title}`, task };
  });
  const bar = html("nav", { class: "rv-dock-steps", "aria-label": "steps of the lesson" });
  bar.append(...steps.map(({ button }) => button));
  const buttons = html("div", { class: "rv-dock-buttons" }, again.node, all, fold.node, close.node);
  const node = html("header", { class: "rv-dock-head" }, kicker, buttons, bar);

  function paint() {
    setText(subject, dock.open ? lesson.title : foldedSummary(dock));
    setAttributes(fold.path, { d: dock.open ? ICONS.fold : ICONS.unfold });
    const label = dock.open ? "fold the lesson" : "unfold the lesson";
    setAttributes(fold.node, { "aria-label": label, title: label, "aria-expanded": dock.open });
    steps.forEach(({ button, label, task }, k) => {
      const done = dock.progress.done.includes(k + 1);
      const text = label + (task ? (done ? " (task done)" : " (with a task)") : "");
      setAttributes(button, {
        "aria-label": text,
        title: text,
        "aria-current": k + 1 === dock.part ? "step" : null,
        "data-seen": dock.progress.seen.includes(k + 1),
        "data-task": task ? (done ? "done" : "open") : null,
      });
    });
  }

  return { node, paint, close: close.node };
}

// The summary of the step in a folded dock.
function foldedSummary(dock) {
  const { status } = dock.tasks[dock.part - 1];
  return status === "none" ? dock.step().title : stateText(status);
}

function makeWay(dock) {
  const button = (name, by) => html("button", { type: "button", class: name, onclick: () => dock.go(dock.part + by) });
  const back = button("rv-dock-back", -1);
  const next = button("rv-dock-next", 1);
  const count = html("span", { class: "rv-dock-count" });
  const node = html("footer", { class: "rv-dock-way" }, back, count, next);
  back.textContent = "Back";

  function paint() {
    const last = dock.part === dock.lesson.steps.length;
    const waits = ["open", "tried"].includes(dock.tasks[dock.part - 1].status);
    setText(count, `${dock.part} of ${dock.lesson.steps.length}`);
    setText(next, waits ? "Skip" : "Next");
    toggle(next, "rv-dock-quiet", waits);
    setAttributes(back, { disabled: dock.part === 1, title: "previous step (B, PageUp)" });
    setAttributes(next, { disabled: last, title: "next step (N, PageDown)" });
  }

  return { node, paint };
}

// After the last step: the number of tasks done, and the next lesson.
function ending(dock) {
  const { lesson, host, tasks } = dock;
  const asked = tasks.filter(({ status }) => status !== "none");
  const done = asked.filter(({ status }) => status === "done").length;
  const tally = asked.length ? ` ${done} of ${asked.length} tasks done.` : "";
  const press = (text, act, name = "") =>
    html("button", { type: "button", class: `rv-dock-button ${name}`, onclick: act }, text);
  const { next } = lesson;
  return [
    html("p", {}, html("strong", {}, "The end of the lesson."), tally),
    html(
      "div",
      { class: "rv-dock-presses" },
      next && host.openLesson ? press(`Next: ${next.title}`, () => host.openLesson(next.name), "rv-dock-strong") : null,
      host.lessons ? press("All lessons", () => host.lessons()) : null,
      press("From the beginning", () => dock.go(1)),
    ),
  ];
}
