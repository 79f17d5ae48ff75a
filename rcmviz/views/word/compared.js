// What only several methods have: the way to where they part, and contexts kept by some of them only.

import { html, setAttributes } from "../shared/dom.js";

const KEPT = 0;

export function comparing(view) {
  return {
    // To where they keep other contexts; from there to where they read another label.
    goToDifference() {
      const stops = stopsOf(view);
      const next = stops[(stops.indexOf(view.position) + 1) % stops.length];
      if (next === undefined) return;
      view.go(next);
      const parted = partedAt(view, next);
      if (parted && parted.name !== view.node) view.select(parted.name, parted.run);
    },
  };
}

function stopsOf(view) {
  const { kept, output } = view.payload.differences;
  return [kept, output].filter((position, k, all) => position !== null && all.indexOf(position) === k);
}

// The heaviest candidate that one method keeps and another does not.
function partedAt(view, position) {
  const parted = view.payload.runs.flatMap((_, run) =>
    (view.memory.candidates(run, position) || [])
      .filter((candidate) => isParted(view, run, candidate, position))
      .map(({ name, mass }) => ({ name, mass, run })),
  );
  return parted.sort((a, b) => b.mass - a.mass)[0] ?? null;
}

// Whether methods that select do not agree on a candidate of one of them: kept here and not there, or the reverse.
export function isParted(view, run, candidate, position) {
  if (view.payload.runs.length < 2 || !hasSelected(view, run, position)) return false;
  return view.payload.runs.some((_, r) => {
    if (r === run || !hasSelected(view, r, position)) return false;
    const same = view.memory.named(r, position).get(candidate.name);
    if (!same && view.payload.runs[r].columns[position].candidates.groups[0][2]) return false; // kept, but not sent
    return (same?.fate === KEPT) !== (candidate.fate === KEPT);
  });
}

function hasSelected(view, r, position) {
  const sent = view.payload.runs[r].columns[position].candidates;
  return Boolean(sent) && sent.groups[KEPT][0] < sent.total;
}

// That a run has what-if edits of its own, which the title says.
export function editedMark({ edits }) {
  return edits.length ? [html("span", { class: "rv-edited", title: edits.join(", ") }, ` ✎ ${edits.length}`)] : [];
}

export function makeDifferenceButton(view) {
  const none = !stopsOf(view).length;
  const node = html(
    "button",
    { type: "button", class: "rv-button rv-to-difference", disabled: none, onclick: () => view.goToDifference() },
    none ? "no difference" : "first difference",
  );
  const title = "to the first position where methods keep other contexts, then to where they read another label (d)";
  setAttributes(node, { title: none ? "the methods keep the same contexts and read the same" : title });
  return { node, paint() {} };
}
