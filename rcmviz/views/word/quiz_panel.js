// What the quiz looks like: the question with its choices, then the score with a reason for each, and the tally.

import { html, setAttributes, setText, svg } from "../shared/dom.js";
import { pixels } from "../shared/ink.js";
import { methodClass, methodMark } from "../shared/methods.js";
import { FATES, FATE_MARKS, GLYPH, nameNode, withNames } from "../shared/names.js";
import { massText } from "../shared/numbers.js";
import { panel, segmented } from "../shared/parts.js";
import { shortContext, shortContexts } from "../shared/short_names.js";
import { worded } from "../shared/words.js";
import { canBeQuizzed, endQuiz, follow, giveHint, hasHint, markChoice, nextAct } from "./quiz.js";
import { stageOf, startQuiz, toggleQuiz, verdictAt } from "./quiz.js";
import { isAncestor } from "./quiz_questions.js";
import { clearTally, tally, tallyText } from "./quiz_tally.js";

const PICTURE = 52; // pixels
const AROUND = 132; // of a choice: its number, what the answer was, the gaps
const PARENT = 110;
const NOT_HERE = "Nothing is decided at the next position: all is kept.";
const NOWHERE = "There is nothing to predict: all is kept, or chance decides. A smaller budget makes it a question.";
const BEFORE = /^`[^`]*` (is )?/; // the name, which a reason need not say again

export function makeQuizButton(view) {
  const node = button("quiz", () => toggleQuiz(view));
  node.classList.add("rv-quiz-me");
  let able = null; // of a payload, whatever the position

  function paint() {
    able ??= canBeQuizzed(view);
    const title = able ? "Quiz me: predict each step before you see it (q)" : "nothing is selected here, so no quiz";
    const disabled = !able && !view.quiz;
    setAttributes(node, { "aria-pressed": Boolean(view.quiz), "aria-label": "Quiz me", title, disabled });
  }

  return { node, paint };
}

export function makeQuiz(view) {
  const total = html("span", { class: "rv-quiz-total" });
  const restart = button("restart", () => [clearTally(), paint()], "reset the count to 0");
  const start = (kind) => startQuiz(view, kind, view.quiz.run);
  const kinds = segmented("question", ["kept", "mass", "both"], () => view.quiz?.wanted, start);
  const end = button("end", () => endQuiz(view), "end the quiz (q)");
  const box = panel("Quiz", "rv-quiz", total, restart, kinds.node, end);
  const asked = html("div", { class: "rv-quiz-asked", "aria-live": "polite" });
  const choices = html("div", { class: "rv-quiz-choices", role: "group", "aria-label": "what you predict" });
  const main = button("", () => nextAct(view)[1]?.(), "Enter");
  const hint = button("hint", () => giveHint(view), "the factors of each mass, to multiply (h)");
  const said = html("p", { class: "rv-quiz-said", "aria-live": "polite" });
  main.classList.add("rv-quiz-main");
  box.body.append(asked, choices, html("div", { class: "rv-quiz-foot" }, main, hint, said));
  let drawn = null;

  function paint() {
    if (view.quiz) follow(view);
    const begins = box.node.hidden && view.quiz;
    box.node.hidden = !view.quiz;
    setAttributes(view.root, attributesOf(view.quiz));
    if (!view.quiz) return;
    const held = redraw();
    paintHead();
    paintButtons(view.quiz);
    const { leads, open } = view.quiz;
    if (begins || leads) box.node.scrollIntoView({ block: "nearest" });
    if (held || leads) (open ? choices.querySelector("button") : main).focus({ preventScroll: true });
    view.quiz.leads = false;
  }

  // Draw changes; returns whether the focused element was replaced.
  function redraw() {
    const { open, solved, hinted, bars } = view.quiz;
    const question = open ?? solved?.question;
    const key = [question?.key, stageOf(view.quiz), hinted, bars?.people, bars?.shares, view.payload.id].join("|");
    if (key === drawn) return false;
    const { activeElement } = document;
    const held = activeElement === main || choices.contains(activeElement);
    draw(question);
    drawn = key;
    return held;
  }

  function draw(question) {
    asked.replaceChildren(...questionNodes(view, question));
    const shown = question?.choices ?? [];
    const width = choiceWidth(view, shown);
    const names = question ? namesIn(view, question, width - AROUND) : [];
    choices.style.setProperty("--rv-choice", width + "px");
    choices.replaceChildren(...shown.map((_, k) => choiceRow(view, question, k, names[k])));
    said.replaceChildren(...spokenQuiz(view));
  }

  function paintHead() {
    const sums = tally();
    setText(total, tallyText(sums));
    restart.hidden = !sums.questions;
    kinds.paint();
  }

  function paintButtons({ open, solved, held, marks }) {
    const [text, act] = nextAct(view);
    for (const [k, { firstChild }] of [...choices.children].entries()) {
      setAttributes(firstChild, { "aria-pressed": marks.includes(k), disabled: Boolean(solved || held) });
    }
    setText(main, text);
    main.disabled = !act || Boolean(open && !marks.length);
    hint.hidden = !hasHint(view.quiz);
  }

  const layout = () => {
    drawn = null;
  };
  return { node: box.node, layout, paint, highlight() {} };
}

// As wide as the longest name, within what the window has room for.
function choiceWidth(view, choices) {
  const longest = Math.max(0, ...choices.map(({ text }) => text.length));
  const most = view.root.dataset.size === "narrow" ? view.width - 26 : view.width * 0.19;
  return Math.min(most, Math.max(120, longest * GLYPH + AROUND));
}

function namesIn(view, { kind, choices, position }, width) {
  const contexts = choices.filter(({ name }) => name !== null);
  return shortContexts(view, contexts, position, kind === "mass" ? width - 3 * GLYPH : width);
}

function button(text, press, title = null) {
  return html("button", { type: "button", class: "rv-button", onclick: press, title }, text);
}

// What other scripts, and style sheets, read from the player's element.
function attributesOf(quiz) {
  const { question, result } = quiz?.solved ?? {};
  return {
    "data-quiz": quiz && stageOf(quiz),
    "data-quiz-key": (quiz?.open ?? question)?.key ?? null,
    "data-quiz-right": result?.right ?? null,
    "data-quiz-of": result?.of ?? null,
  };
}

function questionNodes(view, question) {
  if (!question) return [html("p", {}, nextAct(view)[1] ? NOT_HERE : NOWHERE)];
  const text = html("p", { class: "rv-quiz-question" }, ...sentence(view, question));
  return [observationNode(view, question.position), text].filter(Boolean);
}

function sentence(view, question) {
  const { runs } = view.payload;
  const run = runs[question.run];
  const method = html("b", { class: methodClass(run) }, `${methodMark(run)} ${run.name}, `);
  const place = runs.length > 1 ? [method, `position ${question.position}: `] : [`Position ${question.position}: `];
  return [...place, ...(question.kind === "mass" ? massQuestionText : keptQuestionText)(question, run, view.quiz)];
}

function massQuestionText({ about }, run, { solved }) {
  const text = `${solved ? "was" : "is"} not kept. Where does its mass, ${massText(about.mass)}, go?`;
  return [nameNode(about.name), " ", ...worded(text, false)];
}

function keptQuestionText({ choices, truth, position }, run, { solved, hinted }) {
  const { budget, total } = run.columns[position].candidates;
  const kept = `Of all ${total}, ` + (budget ? `the budget keeps ${budget}.` : "the method keeps some.");
  const all = hinted && !solved ? "Multiply each row: the largest products are kept." : kept;
  const few = `${truth.length} of these ${choices.length} candidates ${solved ? "were" : "are"} kept. Which?`;
  return worded(`${few} ${all}`, false);
}

// What was observed at the position, which the strip does not show yet.
function observationNode(view, position) {
  const { images, tokens } = view.payload;
  if (!images) return tokens && html("code", { class: "rv-name rv-quiz-token" }, tokens[position - 1]);
  const title = svg("title", {}, `what was written at position ${position}`);
  const picture = pixels(images[position - 1], PICTURE / 2, 4, PICTURE);
  return svg("svg", { class: "rv-quiz-picture", width: PICTURE, height: PICTURE + 8 }, title, picture);
}

function choiceRow(view, question, k, shown) {
  const choice = question.choices[k];
  const { solved } = view.quiz;
  const number = html("span", { class: "rv-choice-number", "aria-hidden": "true" }, String(k + 1));
  const name = html("span", { class: "rv-choice-name" }, choiceText(question, choice, shown));
  const press = { title: choice.name === shown ? null : choice.name, onclick: () => markChoice(view, k) };
  const mark = html("button", { type: "button", class: "rv-choice", ...press }, number, name);
  const more = solved ? reasons(question, k) : factors(view, choice);
  const facts = html("div", { class: "rv-quiz-facts" }, votesNode(view, question, k), ...more);
  const row = html("div", { class: `rv-quiz-row ${methodClass(view.payload.runs[question.run])}` }, mark, facts);
  if (solved) {
    const verdict = verdictAt(view, k);
    setAttributes(row, { "data-verdict": verdict, "data-true": question.truth.includes(k) });
    setAttributes(mark, { "data-said": verdict, "aria-label": verdict && `${choice.text}: ${verdict}` });
  }
  if (solved && choice.name !== null) highlightOnPointer(view, row, question, choice);
  return row;
}

function choiceText({ kind }, { name, text }, shown) {
  if (name === null) return text;
  const code = html("code", { class: "rv-name" }, shown);
  return kind === "mass" ? ["to ", code] : code;
}

// A row that is pointed at is lit in the stage, too.
function highlightOnPointer(view, row, { run, position }, { name, candidate }) {
  row.addEventListener("pointerenter", () => {
    if (view.position === position) view.hover({ name, run, position, candidate: candidate?.index });
  });
  row.addEventListener("pointerleave", () => view.hover(null));
}

// Of a class: how many marked it.
function votesNode(view, { key }, k) {
  const { bars } = view.quiz;
  if (bars?.key !== key) return null;
  const share = Math.round(100 * bars.shares[k]);
  return html("span", { class: "rv-quiz-all", title: `of ${bars.people} who answered` }, bar(share), `${share} %`);
}

function bar(percent) {
  return html("span", { class: "rv-bar-track" }, html("span", { class: "rv-bar-own", style: `width: ${percent}%` }));
}

// What a candidate comes from, with its share; as a hint also how well its label fits.
function factors(view, { candidate, parent, from, fits }) {
  if (!candidate) return [];
  const name = shortContext(view, parent, view.quiz.open.position - 1, PARENT);
  const code = html("code", { class: "rv-name", title: name === parent.name ? null : parent.name }, name);
  const before = ["from ", code, " ", bar(100 * from), massText(from)];
  const shown = view.quiz.hinted ? fits : [];
  const more = shown.flatMap(([name, fit]) => [" × ", ...worded(name, false), ` ${massText(fit)}`]);
  return [html("span", { class: "rv-quiz-from" }, before), html("span", { class: "rv-quiz-fits" }, more)];
}

function reasons(question, k) {
  const { candidate } = question.choices[k];
  if (!candidate) return [html("p", { class: "rv-quiz-why" }, withNames(massReason(question, k)))];
  const { fate, why } = candidate;
  const mark = html("span", { class: "rv-fate" }, FATE_MARKS[fate]);
  const became = html("b", { "data-fate": FATES[fate] }, mark, ` ${FATES[fate]}`);
  const because = html("span", {}, ": ", withNames(`${why.replace(BEFORE, "")}.`));
  return [html("p", { class: "rv-quiz-why" }, became, because)];
}

function foundText({ truth }, marks) {
  const right = marks.filter((k) => truth.includes(k)).length;
  const wrong = marks.length - right;
  const others = wrong ? `, ${wrong} marked that ${wrong > 1 ? "were" : "was"} not kept` : "";
  return `${right} of ${truth.length} found${others}.`;
}

// Why a mass goes to a place, or does not.
function massReason({ about, choices, truth }, k) {
  const [choice, right] = [choices[k], choices[truth[0]]];
  if (truth.includes(k)) return `It is ${about.why.replace(BEFORE, "")}.`;
  if (choice.name === null) return `Nothing is lost here: \`${right.name}\` takes it in.`;
  if (!isAncestor(choice.labels, about.labels)) return `\`${about.name}\` does not end in \`${choice.name}\`.`;
  if (right.name === null) return "This method moves no mass: what it does not keep is gone.";
  return `An ancestor too, but \`${right.name}\` is longer: less is forgotten there.`;
}

function spokenQuiz(view) {
  const { quiz } = view;
  const { solved, held } = quiz;
  if (held) return ["Sent. The answer is shown to everybody at once."];
  if (!solved) return [];
  const { question, result } = solved;
  if (!result) return ["Not counted: you went on without an answer."];
  const place = result.right ? "Right." : "It goes elsewhere.";
  const score = question.kind === "mass" ? place : foundText(question, quiz.marks);
  return [html("b", {}, score), result.counts ? "" : " Not counted: you had seen it before."];
}
