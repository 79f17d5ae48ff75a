// Predict, then reveal. The quiz asks about the position that comes next, and the player goes there to show the answer:
// whoever goes there without an answer sees it too, but nothing is counted. Other scripts of the page hear of it by
// events, and can begin it, hold it and end it.

import { changed } from "../shared/view.js";
import { readParameter, writeParameters } from "./asked.js";
import { KINDS, questionAfter, questionAt, scoreAnswer } from "./quiz_questions.js";
import { addToTally, tally } from "./quiz_tally.js";

const PARAMETER = "quiz";
const ALL = "both";

// `asking`: a question is open · `held`: answered, and a teacher decides when it is shown · `solved`: the answer is
// shown · `nothing`: no question about what comes next.
export function stageOf({ open, solved, held }) {
  if (solved) return "solved";
  return !open ? "nothing" : held ? "held" : "asking";
}

// The kinds that the link asks for, or null.
function quizInLink() {
  const wanted = readParameter(PARAMETER);
  return wanted === "1" ? ALL : KINDS.includes(wanted) ? wanted : null;
}

export function canBeQuizzed(view) {
  return questionAfter(view, 1, ALL) !== null;
}

export function startQuiz(view, wanted = ALL, run = null, position = null) {
  if (!canBeQuizzed(view)) return;
  const before = view.quiz ? view.quiz.revealedBefore : view.reveal;
  const seen = view.quiz ? view.quiz.seen : view.position;
  view.quiz = { wanted, run, seen, revealedBefore: before, marks: [], open: null, solved: null, id: view.payload.id };
  if (view.playing) view.play(false);
  Object.assign(view, { reveal: true, mass: "forward" }); // the link says that it is a quiz, which is enough
  writeParameters(view, { [PARAMETER]: wanted === ALL ? 1 : wanted });
  const found = position === null ? questionAfter(view, view.position, wanted, run) : askedFor(view, position);
  ask(view, found ?? questionAfter(view, 1, wanted, run));
  changed(view, "layout");
}

function askedFor(view, position) {
  return position > 1 ? questionAt(view, position, view.quiz.wanted, view.quiz.run) : null;
}

export function endQuiz(view) {
  if (!view.quiz) return;
  const { revealedBefore } = view.quiz;
  view.quiz = null;
  view.reveal = revealedBefore;
  writeParameters(view, { [PARAMETER]: null });
  announce(view, "ended", { tally: tally() });
  changed(view, "layout");
}

export function toggleQuiz(view) {
  if (view.quiz) endQuiz(view);
  else lead(view);
}

// The user starts the quiz: the keys go to the choices.
function lead(view, ...given) {
  startQuiz(view, ...given);
  if (view.quiz) view.quiz.leads = true;
}

// Ask a question, one position before it; null if there is none.
function ask(view, question) {
  Object.assign(view.quiz, { open: question, solved: null, held: false, hinted: false, marks: [], bars: null });
  if (question && view.position !== question.position - 1) view.go(question.position - 1);
  view.quiz.at = view.position;
  if (question) announce(view, "asked", { question: questionForClass(question) });
}

// What a step of the player, or new data, means for the quiz.
export function follow(view) {
  const { quiz, payload, position } = view;
  if (quiz.id !== payload.id) {
    Object.assign(quiz, { id: payload.id, seen: position, run: quiz.run < payload.runs.length ? quiz.run : null });
    ask(view, questionAt(view, position + 1, quiz.wanted, quiz.run));
  } else if (quiz.at !== position) {
    quiz.at = position;
    if (quiz.open?.position === position) solve(view, quiz.held ? quiz.marks : null);
    else if (quiz.solved?.question.position !== position) {
      ask(view, questionAt(view, position + 1, quiz.wanted, quiz.run));
    }
  }
  quiz.seen = Math.max(quiz.seen, position);
}

export function markChoice(view, k) {
  const { open, held, marks } = view.quiz;
  if (!open || held || k >= open.choices.length) return;
  const others = open.kind === "mass" ? [] : marks.filter((mark) => mark !== k);
  view.quiz.marks = marks.includes(k) ? others : [...others, k].sort((a, b) => a - b);
  announce(view, "marked", { key: open.key, marks: view.quiz.marks });
  changed(view, "paint");
}

function answerQuiz(view) {
  const { open, held, marks } = view.quiz;
  if (!open || held || !marks.length) return;
  const shown = announce(view, "answered", { ...resultOf(view, open, marks), tally: tally() });
  if (shown) solve(view, marks);
  else view.quiz.held = true;
  changed(view, "paint");
}

function resultOf(view, question, marks) {
  const { seen, hinted } = view.quiz;
  const counts = question.position > seen && view.hidesFuture();
  const score = scoreAnswer(question, marks);
  return { ...questionForClass(question), truth: question.truth, marks, ...score, hinted, counts };
}

// Show the answer of the open question, with its score if it was answered: `marks` is null without an answer.
function solve(view, marks) {
  const { quiz } = view;
  const question = quiz.open;
  const result = marks && resultOf(view, question, marks);
  if (result?.counts) addToTally(result);
  const solved = { question, result };
  Object.assign(quiz, { open: null, held: false, marks: marks ?? [], solved, at: question.position });
  view.go(question.position);
  if (question.about && view.node !== question.about.name) view.select(question.about.name, question.run);
  quiz.seen = Math.max(quiz.seen, question.position);
  announce(view, "solved", { ...questionForClass(question), result, tally: tally() });
  changed(view, "paint");
}

// What Enter and the large button do: [text, act], without an act if there is nothing to do.
export function nextAct(view) {
  const { solved, wanted, run } = view.quiz;
  const stage = stageOf(view.quiz);
  if (stage === "asking") return ["answer", () => answerQuiz(view)];
  if (stage === "held") return ["sent", null];
  const more = questionAfter(view, solved ? solved.question.position : view.position, wanted, run);
  const first = more ?? questionAfter(view, 1, wanted, run);
  return [more || !first ? "next question" : "from the beginning", first && (() => askNow(view, first))];
}

function askNow(view, question) {
  ask(view, question);
  changed(view, "paint");
}

// Whether there are factors to show that are not shown yet.
export function hasHint({ open, hinted, held }) {
  return Boolean(open?.choices[0].fits?.length) && !hinted && !held;
}

export function giveHint(view) {
  if (!hasHint(view.quiz)) return;
  view.quiz.hinted = true;
  changed(view, "paint");
}

// A question as plain data, without its answer.
function questionForClass({ key, kind, position, run, method, name, choices, truth, about }) {
  const texts = choices.map((choice) => ({ name: choice.name, text: choice.text }));
  const count = kind === "kept" ? { count: truth.length } : {};
  return { key, kind, position, run, method, name, about: about?.name ?? null, choices: texts, ...count };
}

// Whether the next step is allowed.
function announce({ root }, what, detail) {
  return root.dispatchEvent(new CustomEvent(`rv-quiz-${what}`, { detail, bubbles: true, cancelable: true }));
}

// What the answer about a choice, or about a candidate of that name, was: "right" or "wrong" where it was marked,
// "missed" where it should have been; null for the others, and before the answer is shown.
export function verdictAt({ quiz }, k) {
  const question = quiz?.solved?.result && quiz.solved.question;
  if (!question?.choices[k]) return null;
  const [marked, is] = [quiz.marks.includes(k), question.truth.includes(k)];
  if (marked) return is ? "right" : "wrong";
  return is ? "missed" : null;
}

export function verdictOn(view, r, name) {
  const question = view.quiz?.solved?.question;
  if (question?.kind !== "kept" || question.run !== r || question.position !== view.position) return null;
  return verdictAt(view, question.choices.findIndex((choice) => choice.name === name));
}

// What the link asks for, and what other scripts of the page may ask of the player.
export function beginQuizzes(view) {
  if (quizInLink()) startQuiz(view, quizInLink());
  const listenFor = (what, act) => view.root.addEventListener(`rv-quiz-${what}`, ({ detail }) => act(detail ?? {}));
  listenFor("ask", ({ kind = ALL, run = null, position = null }) => lead(view, kind, run, position));
  listenFor("end", () => endQuiz(view));
  listenFor("reveal", () => view.quiz?.open && solve(view, view.quiz.marks.length ? view.quiz.marks : null));
  listenFor("bars", (bars) => {
    if (!view.quiz) return;
    view.quiz.bars = bars;
    changed(view, "paint");
  });
}

// What → does: an open question is shown without an answer; then the next one is asked.
function stepOf(view) {
  const { quiz } = view;
  return { asking: () => view.go(quiz.open.position), solved: nextAct(view)[1] }[stageOf(quiz)];
}

// A clicker continues as → does; returns whether there was something to do.
export function advanceQuiz(view) {
  const step = view.quiz && stepOf(view);
  step?.();
  return Boolean(step);
}

// Keys that mean something while the quiz is on; whether the event was one of them.
export function pressedInQuiz(view, event) {
  const { quiz, root } = view;
  const taken = event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey;
  if (!quiz || taken || !root.isConnected) return false;
  if (isElsewhere(view, event)) return false;
  const act = { Enter: nextAct(view)[1], ArrowRight: stepOf(view), h: () => giveHint(view) };
  const press = /^[1-9]$/.test(event.key) && quiz.open ? () => markChoice(view, event.key - 1) : act[event.key];
  if (!press) return false;
  event.preventDefault();
  press();
  return true;
}

// Enter and digits belong to what has the focus, unless that is a choice of the quiz or takes no text.
function isElsewhere({ root }, { target, key }) {
  if (!(target instanceof Element)) return false;
  if (target.matches("input[type=range]") && root.contains(target)) return key === "ArrowRight";
  if (target.matches("input,textarea,select") || target.isContentEditable) return true;
  if (key === "ArrowRight") return Boolean(target.closest("[role=slider],[role=tab],[role=radio],[role=grid]"));
  if (key !== "Enter") return Boolean(target.closest("[role=dialog],[role=combobox]"));
  return Boolean(target.closest("button,summary,a,label")) && !(root.contains(target) && target.closest(".rv-choice"));
}
