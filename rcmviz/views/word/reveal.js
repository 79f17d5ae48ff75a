// Reveal as you go: nothing that lies right of the position is shown, nor what only the whole word can know. What has
// the class rv-knows-future is hidden until then; at the last position there is nothing left to hide.

import { changed } from "../shared/view.js";
import { segmented } from "../shared/parts.js";
import { readParameter, writeParameters } from "./asked.js";

export function isRevealing(view) {
  let known = {}; // the beginnings of one position
  return {
    reveal: view.payload.reveal || readParameter("reveal") === "1",
    hidesFuture: () => view.reveal && view.position < view.payload.T,
    setReveal(on) {
      view.reveal = on;
      if (on) view.mass = "forward";
      writeParameters(view, { reveal: on ? 1 : null });
      changed(view, "layout");
    },
    isOpen: (i) => i <= view.position || !view.hidesFuture(),
    // [label, probability, probability before] of what a run reads at i: by the whole word, or by its beginning
    reading(r, i) {
      const run = view.payload.runs[r];
      if (!view.hidesFuture()) return run.label[i - 1].find((entry) => entry[0] === run.path.labels[i - 1]);
      const y = view.beginning(r)[i - 1];
      return [...run.soFar.label[i - 1].find((entry) => entry[0] === y), null];
    },
    // the best beginning up to the position, as labels
    beginning(r) {
      const { payload, position } = view;
      if (known.payload !== payload || known.position !== position) known = { payload, position, of: [] };
      return (known.of[r] ??= beginningAt(payload.runs[r].soFar.path, position));
    },
    // how a run reads the label at the position, the likeliest first
    labelRow(r) {
      const run = view.payload.runs[r];
      if (!view.hidesFuture()) return run.label[view.position - 1];
      return run.soFar.label[view.position - 1].map((entry) => [...entry, null]);
    },
  };
}

// Each beginning is sent as what it keeps of the one before, and what follows.
function beginningAt(path, position) {
  let labels = [];
  for (const [kept, more] of path.slice(0, position)) labels = [...labels.slice(0, kept), ...more];
  return labels;
}

export function makeRevealSwitch(view) {
  return segmented(
    "positions shown",
    [
      [false, "all"],
      [true, "as you go"],
    ],
    () => view.reveal,
    (on) => view.setReveal(on),
  );
}
