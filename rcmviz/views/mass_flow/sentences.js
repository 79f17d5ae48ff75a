// One sentence for each phase, made of what happened.

import { methodMark } from "../shared/methods.js";
import { countText } from "../shared/numbers.js";
import { briefLabels, briefName, shareText } from "./bar_names.js";
import { endSentenceOf, endOfRight } from "./end_sentences.js";
import { storyOf } from "./lineage.js";
import { joinPieces, methodWord, name } from "./pieces.js";

export function sentenceOf(view, i, phase) {
  const steps = view.runs.map((run) => run.steps[i - 1]);
  if (steps.every((step) => !step.parts.length)) return [`Nothing is possible at this ${view.payload.unit}.`];
  const isLast = i === view.payload.T;
  if (view.isEnd && (!isLast || phase < 2)) return endSentenceOf(view, i, phase);
  if (phase === 0) return growSentence(view, i);
  if (phase === 1) return sortSentence(view, i, steps);
  if (isLast) {
    return [`Nothing is cut after the last ${view.payload.unit}: each candidate is read as whole outputs.`];
  }
  return phase === 2 ? cutSentence(view, steps) : settleSentence(view, steps);
}

function growSentence(view, i) {
  const { payload } = view;
  const isFrame = payload.kind === "ctc";
  if (isFrame && i === payload.T) return ["The frames are over. Each context counts as much as outputs end with it."];
  const looks = payload.looks?.[i - 1] ?? [];
  const names = looks.slice(0, 3).map(([y]) => payload.labels[y]);
  const what = payload.images
    ? "The picture looks like"
    : payload.kind === "ctc"
      ? "The frame looks like"
    : payload.tokens
      ? `“${payload.tokens[i - 1]}” may be`
      : "What is seen may be";
  const seen = names.length
    ? `${what} ${joinPieces(
        names.map((one) => [one]),
        "or",
      ).join("")}. `
    : "";
  const many = `${countText(payload.labels.length)} ${payload.noun}s`;
  if (isFrame) return [`${seen}${frameStory(payload, i)}`];
  if (i === 1) return [`${seen}Nothing is read yet: each of the ${many} is a candidate.`];
  const who = i === 2 ? "Each context, what is remembered so far," : "Each context";
  return [`${seen}${who} splits by ${many}: its mass, times what usually follows, times what is seen.`];
}

function frameStory({ labels, noun }, i) {
  if (i > 1) return `Each context stays (blank, or the same again) or grows by a ${noun}.`;
  return `Nothing is read yet: it stays so (blank), or begins with one of ${countText(labels.length - 1)} ${noun}s.`;
}

function sortSentence(view, i, steps) {
  const totals = [...new Set(steps.map((step) => countText(step.total)))];
  const first = view.runs.map((_, r) => steps[r].candidates[0]).map((one) => (one ? briefName(view, one, i) : "none"));
  const by = view.runs.some((run) => run.ranked !== "mass") ? "what they are ranked by" : "mass";
  const intro = `Sorted by ${by}. The first of ${joinPieces(totals.map((one) => [one])).join("")} candidates: `;
  if (view.runs.length > 1 && first.every((one) => one === first[0]))
    return [intro, name(first[0]), " in all methods."];
  return [intro, ...joinPieces(first.map((one) => [name(one)])), "."];
}

function cutSentence(view, steps) {
  const budgets = [...new Set(steps.map((step) => step.budget).filter(Boolean))];
  const [of, draws] = [
    budgets.length ? `A budget of ${joinPieces(budgets.map((one) => [`${one}`])).join("")}` : "No budget",
    "draws the line.",
  ];
  if (steps.every((step) => !step.cut)) return [`${of} keeps all candidates.`];
  const below = view.runs.map((run, r) => [
    shareText(steps[r].cut),
    view.runs.length > 1 ? " in " : "",
    ...(view.runs.length > 1 ? [methodWord(run)] : []),
  ]);
  const verb = budgets.length ? draws : "is needed for some.";
  return [
    `${of} ${verb} Below it: `,
    ...joinPieces([[`${below[0][0]} of the mass`, ...below[0].slice(1)], ...below.slice(1)]),
    ".",
  ];
}

function settleSentence(view, steps) {
  if (steps.every((step) => !step.cut)) return ["All candidates become contexts."];
  return view.runs.flatMap((run, r) => [...(r ? [" "] : []), methodWord(run), ` ${settleText(run, steps[r])}`]);
}

function settleText(run, { lost, merged, cut }) {
  if (!cut) return "keeps all of it.";
  const [dropped, joined] = [shareText(lost), shareText(merged)];
  if (lost > 0 && merged > 0)
    return `joins equal contexts (${joined}) and drops the rest: ${dropped} of the mass is gone.`;
  if (lost > 0) return `drops what is ${run.draws ? "not drawn" : "below"}: ${dropped} of the mass is gone.`;
  if (run.merges) return `merges ${joined} into contexts that remember less (* = forgotten).`;
  return `joins ${joined} with equal contexts: none is lost.`;
}

// The fate of the right beginning if it is not kept; at the start, how to continue.
export function rightFateText(view, i, phase) {
  if (i === 1 && phase === 0) return [["rv-dim", "Press play (space), or take one phase at a time (→)."]];
  if (view.isEnd) return endOfRight(view, i, phase);
  if (phase < 3 || i === view.payload.T) return [];
  const fates = view.runs.map((run) => ({ run, fate: run.steps[i - 1].fate })).filter(({ fate }) => fate && !fate.kept);
  if (!fates.length) return [];
  const { one } = fates[0].fate;
  const said = fates.map(({ run, fate }) => {
    if (fate.into < 0) return ["is dropped by ", methodWord(run)];
    return ["continues in ", name(briefName(view, run.columns[i][fate.into], i)), " in ", methodWord(run)];
  });
  return [
    "★ The right beginning",
    ...(one ? [", ", name(briefName(view, one, i)), ","] : []),
    " ",
    ...joinPieces(said),
    ".",
  ];
}

// How each method treats the followed context.
export function followStory(view) {
  const { followed } = view;
  const { unit } = view.payload;
  const { labels, at, name: known } = followed;
  const what = briefName(view, { labels, length: labels.length, name: known }, at);
  const stories = view.runs.flatMap((run) => {
    const story = storyOf(run, run.followed);
    const who = [methodMark(run), " ", methodWord(run), " "];
    const end =
      story.end > 1e-9 ? `in the end ${shareText(story.end)} of all mass comes from it` : "later drops what came of it";
    if (story.fate === "unknown") return [...who, `has it among the others at ${unit} ${story.position}. `];
    if (story.fate === "missing") return [...who, "has no such context. "];
    if (story.fate === "kept") return [...who, `keeps it; ${end}. `];
    if (story.fate === "merged")
      return [...who, "carries it in ", name(briefName(view, story.bar, story.position)), `; ${end}. `];
    const it = story.isWhole ? ["it"] : [name(briefLabels(view, story.labels, story.position))];
    return [...who, "drops ", ...it, ` at ${unit} ${story.position}. `];
  });
  return ["Following ", name(what), ": ", ...stories];
}
