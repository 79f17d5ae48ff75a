// The strip above a page during a class: number of students, invitation, questions and answers for the teacher; a link
// back to the class for others.

import { html, setAttributes, setText } from "../shared/dom.js";
import { findTheme } from "../shared/theme.js";
import { makeMount } from "../shared/view.js";
import { peopleText } from "./answers.js";
import { makeInvitation } from "./invitation.js";
import { connect } from "./live.js";
import { makeQuestions } from "./questions.js";

const OURS = new Set(["run", "lesson", "part"]); // parameters of the teacher's own session

function start(root, data, host) {
  const view = { root, data, host };
  findTheme(view);
  if (!data.leads) {
    root.replaceChildren(...followerParts(data));
    return view;
  }
  view.board = { on: true, people: 0, question: null, result: null, revealed: false };
  view.parts = [makeHead(view), makeQuestions(view)];
  root.replaceChildren(...view.parts.map((part) => part.node), view.parts[0].dialog);
  view.reveal = () => {
    const quizzed = document.querySelector(".rv-player[data-quiz=asking]");
    if (view.board.question.quiz && quizzed) quizzed.dispatchEvent(new CustomEvent("rv-quiz-reveal"));
    else view.line.send({ reveal: true });
  };
  view.paint = () => {
    setAttributes(root, { "data-people": view.board.people, "data-connected": String(Boolean(view.connected)) });
    view.parts.forEach((part) => part.paint());
  };
  view.stop = lead(view);
  view.paint();
  return view;
}

// The server sends the state of the class; the page keeps nothing.
function lead(view) {
  const { root, data } = view;
  view.line = connect(`${window.location.origin}${data.base}/class/live/lead`, {
    hello: () => view.last ?? null,
    received(board) {
      if (board.refused) {
        view.refused = board.refused;
      } else {
        view.board = board;
        view.refused = null;
        showBars(view);
      }
      view.paint();
    },
    connection(on, why) {
      view.connected = on;
      view.refused = why;
      view.paint();
    },
  });
  const listeners = {
    "rv-place": (event) => moved(view, event),
    "rv-lesson": ({ detail }) => view.line.send({ turn: detail.part, lesson: detail.lesson }),
    "rv-quiz-asked": (event) => view.line.send({ ask: asQuestion(event.detail.question) }),
    "rv-quiz-solved": () => view.line.send({ reveal: true }),
    "rv-quiz-ended": () => view.line.send({ close: true }),
  };
  for (const [name, act] of Object.entries(listeners)) document.addEventListener(name, act);
  return () => {
    for (const [name, act] of Object.entries(listeners)) document.removeEventListener(name, act);
    view.line.close();
    root.replaceChildren();
  };
}

function moved(view, event) {
  const { position, round, pass } = event.target.dataset;
  const go = { ...event.detail, position: Number(position ?? round ?? pass) };
  const message = { go, link: linkOf(view.data.base, event.detail) };
  if (JSON.stringify(message) === JSON.stringify(view.last)) return;
  view.last = message;
  view.line.send(message);
}

// The link of the view, below the application's own address.
function linkOf(base, place) {
  const link = new URL(window.location.href);
  for (const name of OURS) link.searchParams.delete(name);
  for (const [name, value] of Object.entries(place)) if (!OURS.has(name)) link.searchParams.set(name, value);
  return link.pathname + link.search;
}

// A quiz of the player as a question, with the data that the students' players need.
function asQuestion({ key, kind, run, position, name, about, choices, count }) {
  const text = kind === "mass" ? `${name}: where does the mass of ${about} go?` : `${name}: which ${count} are kept?`;
  return { key, text, choices: choices.map((choice) => choice.text), quiz: { kind, run, position } };
}

// Shows the answers of the class in the teacher's view.
function showBars(view) {
  const { question, result, revealed } = view.board;
  if (!question?.quiz || !revealed) return;
  const shares = result.counts.map((count) => count / Math.max(1, result.people));
  const detail = { key: question.key, shares, people: result.people };
  document.querySelector(".rv-player[data-quiz]")?.dispatchEvent(new CustomEvent("rv-quiz-bars", { detail }));
}

function makeHead(view) {
  const invitation = makeInvitation(view.data, () => paint());
  const people = html("span", { class: "rv-class-people", role: "status" });
  const button = { type: "button", class: "rv-class-button" };
  const invite = html("button", { ...button, onclick: invitation.open }, "Show the invitation");
  const end = html("button", { ...button, onclick: () => toggleClass(view) });
  const address = html("code", { class: "rv-class-address" });
  const refused = html("span", { class: "rv-class-refused", role: "alert" });
  const lead = html("b", {}, "You are the teacher");
  const node = html("div", { class: "rv-class-head" }, lead, people, address, invite, refused, end);

  function paint() {
    const { board, connected } = view;
    const here = board.on ? peopleText(board.people) : "the class has ended";
    setText(address, invitation.address());
    setText(people, connected ? here : "connection lost; trying again …");
    setText(end, board.on ? "End the class" : "Restart the class");
    setText(refused, view.refused ?? "");
    invite.hidden = !board.on;
  }

  return { node, dialog: invitation.node, paint };
}

function toggleClass(view) {
  view.line.send(view.board.on ? { end: true } : { begin: true });
  if (!view.board.on && view.last) view.line.send(view.last);
}

function followerParts(data) {
  const back = html("a", { class: "rv-class-button rv-class-first", href: `${data.base}/class`, target: "_self" });
  setText(back, "Back to class");
  const text = html("span", {}, "A class is running. You are exploring on your own.");
  return [html("div", { class: "rv-class-head" }, text, back)];
}

// The strip stays while Streamlit runs pages; it restarts if the session begins to lead.
function update(view, data) {
  findTheme(view);
  if (JSON.stringify(data) === JSON.stringify(view.data)) return;
  view.stop?.();
  Object.assign(view, start(view.root, data, view.host));
}

export default makeMount("rv-class", start, update);
