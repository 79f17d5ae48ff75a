// The sentences of the phases where bars are shares in the end: of all mass after the last position, how much came this
// way.

import { briefName, shareText } from "./bar_names.js";
import { joinPieces, methodWord, name } from "./pieces.js";

const LEAST = 1e-9; // of all mass: less is rounding

export function endSentenceOf(view, i, phase) {
  if (phase === 0) return growSentence(view);
  if (phase === 1) return sortSentence(view, i);
  return phase === 2 ? cutSentence(view, i) : settleSentence(view, i);
}

function growSentence(view) {
  const { unit } = view.payload;
  const left = view.runs.map((run) => [methodWord(run), " ", leftText(run)]);
  return [`The share in the end: of all mass after the last ${unit}, what came this way. `, ...joinPieces(left), "."];
}

function leftText({ left: [left] }) {
  if (left > 1 - LEAST) return "has lost none";
  return left > 0 ? `has ${shareText(left)} left` : "has none left";
}

function sortSentence(view, i) {
  const best = view.runs.map((run) => {
    const one = heaviest(run.steps[i - 1].candidates);
    const what = one ? [name(briefName(view, one, i)), ` (${shareText(one.mass)})`] : ["nothing"];
    return [...what, " in ", methodWord(run)];
  });
  return ["In the order in which they were chosen. Most of the end comes from ", ...joinPieces(best), "."];
}

const heaviest = (candidates) => candidates.reduce((best, one) => (one.mass > (best?.mass ?? 0) ? one : best), null);

function cutSentence({ runs }, i) {
  const below = runs.map((run) => [shareText(run.steps[i - 1].cut), " in ", methodWord(run)]);
  if (runs.every((run) => !run.steps[i - 1].parts.some(({ kept }) => !kept))) return ["Nothing is cut here."];
  return ["Candidates cut here carry, of the mass in the end, ", ...joinPieces(below), "."];
}

function settleSentence(view, i) {
  return view.runs.flatMap((run, r) => {
    const parts = run.steps[i - 1].parts.filter(({ kept }) => !kept);
    const dropped = parts.some(({ into }) => into < 0);
    const merged = parts.filter(({ into }) => into >= 0).reduce((sum, { mass }) => sum + mass, 0);
    return [r ? " " : "", methodWord(run), ` ${settleText(run, parts, dropped, merged)}`];
  });
}

function settleText(run, parts, dropped, merged) {
  if (!parts.length) return "cuts nothing.";
  if (dropped && merged <= 0) return "drops what is cut: nothing of it reaches the end.";
  const how = run.merges ? "merges what is cut into contexts that remember less" : "joins it with equal contexts";
  return `${how}: ${shareText(merged)} of the end comes from it.`;
}

// What comes of the right beginning, where a method cut it: in that method, and with no budget at all.
export function endOfRight(view, i, phase) {
  if (phase < 2 || i === view.payload.T) return [];
  const fates = view.chosen.flatMap((run, r) => {
    const { fate } = run.steps[i - 1];
    return fate && !fate.kept ? [{ run, fate, share: rightShare(view.runs[r], i) }] : [];
  });
  if (!fates.length) return [];
  const { one } = fates[0].fate;
  const said = fates.map(({ run, share }) => [`${shareText(share)} of the end in `, methodWord(run)]);
  const exact = view.payload.exact?.beginnings?.[i - 1];
  const what = one ? [", ", name(briefName(view, one, i)), ","] : [];
  const known = exact === undefined ? [] : [`; with no budget it would be ${shareText(exact)}`];
  return ["★ The right beginning", ...what, " brings ", ...joinPieces(said), ...known, "."];
}

const rightShare = (run, i) => run.steps[i - 1].parts.reduce((sum, { gold, mass }) => sum + gold * mass, 0);
