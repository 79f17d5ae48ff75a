// The highlighted node and the held node: a context, a candidate or a cell, with where its mass is and what it ends in.

import { changed } from "../shared/view.js";
import { ancestorChain } from "./rows.js";

const REMEMBERED = 8; // of those looked at last

export function makeFocus(view) {
  const known = new Map();

  function focusAt(place) {
    const key = `${place.name}|${place.position}|${place.run}|${place.candidate}`;
    if (!known.has(key)) {
      if (known.size >= REMEMBERED) known.delete(known.keys().next().value);
      known.set(key, focusOf(view, place, key));
    }
    return known.get(key);
  }

  const heldFocus = () =>
    view.node ? focusAt({ name: view.node, run: view.run, position: view.position, candidate: view.twin }) : null;
  return {
    held: heldFocus,
    focus: () => (view.hovered ? focusAt(view.hovered) : heldFocus()),
    forgetFocus: () => known.clear(),
    // One term of the sum that is shown, in the card, in the code and in the picture.
    point(key) {
      if (view.term === key) return;
      view.term = key;
      changed(view, "highlight");
    },
    // Another sum of the shown node; `ofPosition`: one that no context is needed for.
    setSum(kind, ofPosition = false) {
      if (ofPosition) view.node = null;
      Object.assign(view, { sum: kind, term: null });
      changed(view, "highlight");
    },
  };
}

// Of twins, candidates of one name, `candidate` says which. Per run, `rows` has its context of that name and `carrier`
// the context of its column that holds the mass; `chain` names its ancestors.
function focusOf(view, at, key) {
  const { runs } = view.payload;
  const rows = runs.map((_, r) => view.memory.rows(r, at.position).find((row) => row.name === at.name) || null);
  const found = (list, r) =>
    r === at.run && at.candidate !== undefined ? list[at.candidate] : list.find((c) => c.name === at.name);
  const candidates = runs.map((_, r) => found(view.memory.candidates(r, at.position) || [], r) || null);
  const known = [...rows, ...candidates].find(Boolean);
  if (!known) return null;
  const chains = runs.map((_, r) => ancestorChain(view, r, at.position, known.labels));
  const carrier = runs.map((_, r) =>
    rows[r] ? rows[r].name : candidates[r] ? candidates[r].carrier : chains[r][0] || null,
  );
  return {
    key,
    ...at,
    rows,
    candidates,
    carrier,
    chain: chains[at.run],
    labels: known.labels,
    length: known.length,
    from: candidates[at.run] ? candidates[at.run].from : null,
  };
}
