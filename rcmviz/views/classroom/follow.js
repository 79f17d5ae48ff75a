// The page of students: the teacher's view at the teacher's place, and the questions to the class.

import { html, setAttributes, setText } from "../shared/dom.js";
import { answerRows } from "./answers.js";
import { makeLesson } from "./lesson.js";
import { connect } from "./live.js";
import { makeStage } from "./stage.js";

const TOKEN = "rcmviz.class"; // identifies this browser while its tab is open
const MARKS = "rcmviz.class.marks"; // its answers, which survive a reload

// `load(name)` loads the module of the view of this name, `base` is the address of the class.
function follow(root, { base, load }) {
  const room = { state: { on: null }, following: true, connected: false, marks: keptMarks() };
  const stage = makeStage({ base, load, onStray: () => stray(room) });
  room.parts = { bar: makeBar(room), lesson: makeLesson(room), stage, sheet: makeSheet(room) };
  const content = html("div", { class: "rv-class-beside" }, room.parts.lesson.node, stage.node);
  const head = html("b", {});
  const next = html("span", {});
  const waiting = html("section", { class: "rv-class-waiting" }, head, next);
  root.replaceChildren(room.parts.bar.node, waiting, content, room.parts.sheet.node);
  const paint = () => {
    const { on, view } = room.state;
    waiting.hidden = on === null || Boolean(on && view);
    setText(head, on ? "You have joined the class." : "There is no class now.");
    setText(next, on ? "The teacher's view will appear here." : "Keep this page open; it joins automatically.");
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
    connection(on, why) {
      room.connected = on;
      room.shut = why;
      paint();
    },
  });
  paint();
}

function received(room, message) {
  if (message.who) {
    if (message.who !== sessionStorage.getItem(TOKEN)) room.marks.clear(); // a new browser to the server
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

// A student who steps alone stays alone until they click "Back to class".
function stray(room) {
  if (!room.following || !room.state.on) return;
  room.following = false;
  room.paint();
}

// In a class the answer to a quiz waits for the others.
function holdQuiz(room, event) {
  const { question, result } = room.state;
  if (!room.following || question?.key !== event.detail.key || result) return;
  event.preventDefault();
  room.answer(question.key, event.detail.marks);
}

function makeBar(room) {
  const status = html("span", { class: "rv-class-said", role: "status" });
  const leave = html("button", { type: "button", class: "rv-class-button", onclick: () => room.follow(false) });
  setText(leave, "Explore on my own");
  const ways = { type: "button", class: "rv-class-button rv-class-first", onclick: () => room.follow(true) };
  const back = html("button", ways, "Back to class");
  const own = html("a", { class: "rv-class-button", target: "_blank", rel: "noopener" }, "Open in the application");
  const node = html("header", { class: "rv-class-bar" }, html("b", {}, "Class"), status, back, own, leave);

  function paint() {
    const { state, following, connected, shut } = room;
    const view = Boolean(state.view);
    const link = following ? null : applicationLink(state.link);
    leave.hidden = !following || !view;
    back.hidden = following;
    own.hidden = !link;
    if (link) setAttributes(own, { href: link });
    setText(status, shut ?? sentenceOf(state, following, connected));
  }

  return { node, paint };
}

function sentenceOf(state, following, connected) {
  if (!connected) return state.on === null ? "Looking for the class …" : "Connection lost; trying again …";
  if (!state.on) return "The class has not begun or has ended.";
  if (!state.led && following) return "The teacher is disconnected. The class continues when the teacher is back.";
  if (!state.view) return "Waiting for the teacher.";
  return following ? "Following the teacher." : "Exploring on your own.";
}

// Only links of this server.
function applicationLink(link) {
  if (!link) return null;
  const there = new URL(link, window.location.href);
  return there.origin === window.location.origin ? there.href : null;
}

// The question, and once the teacher shows them, the answers. A quiz is asked in the view itself.
function makeSheet(room) {
  const node = html("section", { class: "rv-class-sheet", "aria-label": "a question to the class", hidden: true });
  let drawn = null;
  let folded = null; // the key of the folded question
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
    const sent = marked.length ? "Sent. You can still change it." : "Choose one.";
    const away = question.quiz ? "Go back to the class to answer." : null;
    const about = result ? `${result.people} answered.` : (away ?? sent);
    const toggle = { type: "button", class: "rv-class-button", onclick: () => fold(small ? null : question.key) };
    const head = [html("span", {}, question.text), html("button", toggle, small ? "Show" : "Hide")];
    const foot = html("p", { class: "rv-class-about", role: "status" }, about);
    const rest = [answerRows(question, result, { mark, marked }), foot];
    const focused = [...node.querySelectorAll("button")].indexOf(document.activeElement);
    node.replaceChildren(html("div", { class: "rv-class-question" }, head), ...(small ? [] : rest));
    if (focused >= 0) node.querySelectorAll("button")[focused]?.focus(); // keeps the focus of the keyboard
  }

  return { node, paint };
}

export default follow;
