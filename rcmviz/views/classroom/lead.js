// The strip above a page while a class is on: for those who lead, who is here, the way in, questions and answers; for
// everybody else the way back to the class.

import { html, setAttributes, setText } from "../shared/dom.js";
import { findTheme } from "../shared/theme.js";
import { mounting } from "../shared/view.js";
import { peopleText } from "./answers.js";
import { makeInvitation } from "./invitation.js";
import { connect } from "./live.js";
import { makeQuestions } from "./questions.js";

const OURS = new Set(["run", "lesson", "part"]); // what belongs to the teacher's own session

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

// The server's part comes back from the server: nothing here is kept by the page.
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
        tellView(view);
      }
      view.paint();
    },
    heard(on, why) {
      view.connected = on;
      view.refused = why;
      view.paint();
    },
  });
  const hears = {
    "rv-place": (event) => moved(view, event),
    "rv-lesson": ({ detail }) => view.line.send({ turn: detail.part, lesson: detail.lesson }),
    "rv-quiz-asked": (event) => view.line.send({ ask: asQuestion(event.detail.question) }),
    "rv-quiz-solved": () => view.line.send({ reveal: true }),
    "rv-quiz-ended": () => view.line.send({ close: true }),
  };
  for (const [name, act] of Object.entries(hears)) document.addEventListener(name, act);
  return () => {
    for (const [name, act] of Object.entries(hears)) document.removeEventListener(name, act);
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

// The page that shows the view, below the application's own address.
function linkOf(base, place) {
  const link = new URL(window.location.href);
  for (const name of OURS) link.searchParams.delete(name);
  for (const [name, value] of Object.entries(place)) if (!OURS.has(name)) link.searchParams.set(name, value);
  return link.pathname + link.search;
}

// A quiz of the player, with what the players of the others need to put the same question.
function asQuestion({ key, kind, run, position, name, about, choices, count }) {
  const text = kind === "mass" ? `${name}: where does the mass of ${about} go?` : `${name}: which ${count} are kept?`;
  return { key, text, choices: choices.map((choice) => choice.text), quiz: { kind, run, position } };
}

// The teacher's own view shows what the others marked.
function tellView(view) {
  const { question, result, revealed } = view.board;
  if (!question?.quiz || !revealed) return;
  const shares = result.counts.map((count) => count / Math.max(1, result.people));
  const detail = { key: question.key, shares, people: result.people };
  document.querySelector(".rv-player[data-quiz]")?.dispatchEvent(new CustomEvent("rv-quiz-bars", { detail }));
}

function makeHead(view) {
  const invitation = makeInvitation(view.data);
  const people = html("span", { class: "rv-class-people", role: "status" });
  const button = { type: "button", class: "rv-class-button" };
  const invite = html("button", { ...button, onclick: invitation.open }, "Show the way in");
  const end = html("button", { ...button, onclick: () => toggleClass(view) });
  const address = html("code", { class: "rv-class-address" }, view.data.address);
  const refused = html("span", { class: "rv-class-refused", role: "alert" });
  const lead = html("b", {}, "You lead");
  const node = html("div", { class: "rv-class-head" }, lead, people, address, invite, refused, end);

  function paint() {
    const { board, connected } = view;
    const here = board.on ? peopleText(board.people) : "the class is over";
    setText(people, connected ? here : "no line to the server: trying again …");
    setText(end, board.on ? "End the class" : "Begin again");
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
  const said = html("span", {}, "A class is on. You look around on your own.");
  return [html("div", { class: "rv-class-head" }, said, back)];
}

// The same strip stays while Streamlit runs pages; a new leader gets a new one.
function update(view, data) {
  findTheme(view);
  if (JSON.stringify(data) === JSON.stringify(view.data)) return;
  view.stop?.();
  Object.assign(view, start(view.root, data, view.host));
}

export default mounting("rv-class", start, update);
