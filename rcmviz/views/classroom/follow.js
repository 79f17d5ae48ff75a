// The page of those who follow: the teacher's view, where the teacher stands, and what the class is asked.

import { html, setAttributes, setText } from "../shared/dom.js";
import { answerRows } from "./answers.js";
import { makeLesson } from "./lesson.js";
import { connect } from "./live.js";
import { makeStage } from "./stage.js";

const TOKEN = "rcmviz.class"; // what counts this browser once, as long as its tab is open
const MARKS = "rcmviz.class.marks"; // what it has answered, if the page is loaded again

// `load(name)` gives the module that draws the view of this name, `base` is the address of the class.
function follow(root, { base, load }) {
  const room = { state: { on: null }, following: true, connected: false, marks: keptMarks() };
  const stage = makeStage({ base, load, strayed: () => stray(room) });
  room.parts = { bar: makeBar(room), lesson: makeLesson(room), stage, sheet: makeSheet(room) };
  const content = html("div", { class: "rv-class-beside" }, room.parts.lesson.node, stage.node);
  const head = html("b", {});
  const next = html("span", {});
  const waiting = html("section", { class: "rv-class-waiting" }, head, next);
  root.replaceChildren(room.parts.bar.node, waiting, content, room.parts.sheet.node);
  const paint = () => {
    const { on, view } = room.state;
    waiting.hidden = on === null || Boolean(on && view);
    setText(head, on ? "You are here." : "No class is on.");
    setText(next, on ? "What the teacher shows will stand here." : "Leave this page open: it joins by itself.");
    room.parts.bar.paint();
    room.parts.lesson.paint();
    room.parts.sheet.paint();
    setAttributes(root, { "data-following": String(room.following), "data-on": String(room.state.on) });
  };
  Object.assign(room, {
    paint,
    follow(on) {
      room.following = on;
      if (on) stage.show(room.state);
      paint();
    },
    answer(key, marks) {
      room.marks.set(key, marks);
      keepMarks(room);
      room.line.send({ answer: { key, marks } });
      paint();
    },
  });
  stage.node.addEventListener("rv-quiz-answered", (event) => holdQuiz(room, event));
  room.line = connect(`${base}/live`, {
    received: (message) => received(room, message),
    heard(on, why) {
      room.connected = on;
      room.shut = why;
      paint();
    },
  });
  paint();
}

function received(room, message) {
  if (message.who) {
    if (message.who !== sessionStorage.getItem(TOKEN)) room.marks.clear(); // a new participant for the class
    sessionStorage.setItem(TOKEN, message.who);
    return;
  }
  if (message.refused) return;
  room.state = message;
  if (!message.on) room.following = true;
  if (room.following) room.parts.stage.show(message);
  room.parts.stage.ask(room.following ? message : { question: null });
  for (const key of room.marks.keys()) if (key !== message.question?.key) room.marks.delete(key);
  keepMarks(room);
  room.paint();
}

const keptMarks = () => new Map(JSON.parse(sessionStorage.getItem(MARKS) ?? "[]"));

function keepMarks(room) {
  sessionStorage.setItem(MARKS, JSON.stringify([...room.marks]));
}

// Whoever steps alone is alone until the way back is taken.
function stray(room) {
  if (!room.following || !room.state.on) return;
  room.following = false;
  room.paint();
}

// In a class the answer of a quiz waits for the others.
function holdQuiz(room, event) {
  const { question, result } = room.state;
  if (!room.following || question?.key !== event.detail.key || result) return;
  event.preventDefault();
  room.answer(question.key, event.detail.marks);
}

function makeBar(room) {
  const said = html("span", { class: "rv-class-said", role: "status" });
  const leave = html("button", { type: "button", class: "rv-class-button", onclick: () => room.follow(false) });
  setText(leave, "Look around on my own");
  const ways = { type: "button", class: "rv-class-button rv-class-first", onclick: () => room.follow(true) };
  const back = html("button", ways, "Back to class");
  const own = html("a", { class: "rv-class-button", target: "_blank", rel: "noopener" }, "Open in the application");
  const node = html("header", { class: "rv-class-bar" }, html("b", {}, "Class"), said, back, own, leave);

  function paint() {
    const { state, following, connected, shut } = room;
    const view = Boolean(state.view);
    const link = following ? null : applicationLink(state.link);
    leave.hidden = !following || !view;
    back.hidden = following;
    own.hidden = !link;
    if (link) setAttributes(own, { href: link });
    setText(said, shut ?? sentenceOf(state, following, connected));
  }

  return { node, paint };
}

function sentenceOf(state, following, connected) {
  if (!connected) return state.on === null ? "Looking for the class …" : "No line to the class: trying again …";
  if (!state.on) return "The class has not begun, or is over.";
  if (!state.led && following) return "The teacher is away. Stay here: the class continues when the teacher is back.";
  if (!state.view) return "You are here. Wait for the teacher.";
  return following ? "You follow the teacher." : "You are on your own.";
}

// Never an address of another site.
function applicationLink(link) {
  if (!link) return null;
  const there = new URL(link, window.location.href);
  return there.origin === window.location.origin ? there.href : null;
}

// The question, and once the teacher shows them, the answers of the others. A quiz is asked in the view itself.
function makeSheet(room) {
  const node = html("section", { class: "rv-class-sheet", "aria-label": "a question to the class", hidden: true });
  let drawn = null;
  let folded = null; // the key of the question that is out of the way
  const fold = (key) => {
    folded = key;
    paint();
  };

  function paint() {
    const { question, result } = room.state;
    const quiz = question?.quiz && room.following;
    node.hidden = !question || !room.state.on || Boolean(quiz);
    setAttributes(node, { "data-of-lesson": question?.of_lesson ?? null });
    const marked = room.marks.get(question?.key) ?? [];
    const small = folded === question?.key;
    const now = JSON.stringify([question, result, marked, room.following, small]);
    if (node.hidden || now === drawn) return;
    drawn = now;
    const mark = result || question.quiz ? null : (choice) => room.answer(question.key, [choice]);
    const sent = marked.length ? "Sent. You may still change it." : "Choose one.";
    const away = question.quiz ? "Go back to the class to answer." : null;
    const about = result ? `${result.people} answered.` : (away ?? sent);
    const toggle = { type: "button", class: "rv-class-button", onclick: () => fold(small ? null : question.key) };
    const head = [html("span", {}, question.text), html("button", toggle, small ? "Show" : "Hide")];
    const foot = html("p", { class: "rv-class-about", role: "status" }, about);
    const rest = [answerRows(question, result, { mark, marked }), foot];
    const focused = [...node.querySelectorAll("button")].indexOf(document.activeElement);
    node.replaceChildren(html("div", { class: "rv-class-question" }, head), ...(small ? [] : rest));
    if (focused >= 0) node.querySelectorAll("button")[focused]?.focus(); // keeps the focus of keyboard users
  }

  return { node, paint };
}

export default follow;
