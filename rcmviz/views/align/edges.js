// The edges of an alignment, and the letters that it shows.

export function rootsOf(cell) {
  return cell.contexts.filter(([name]) => name === "*");
}

export function alignmentOf(view, run) {
  return view.asked === "gold" ? run.gold : run.best;
}

export function edgesOf(view, run) {
  return (view.asked === "gold" ? run.goldEdges : run.edges) ?? [];
}

// The number of letters shown: those of the best alignment, of the meant spelling below it, and all with some mass.
export function countShownLetters(view, run) {
  const edges = edgesOf(view, run);
  const most = Math.max(0, ...edges.map((row) => row.findLastIndex((p) => p >= 0.05) + 1));
  return Math.max(1, most, alignmentOf(view, run)?.text.length ?? 0, meantBelow(view, run)?.length ?? 0);
}

export function meantBelow(view, run) {
  return view.asked === "model" && run.best?.text !== view.payload.meant ? view.payload.meant : null;
}

export const keyOf = (a, i) => `${a}:${i}`;

export function hasGold(view) {
  return view.runs.some((run) => run.gold);
}
