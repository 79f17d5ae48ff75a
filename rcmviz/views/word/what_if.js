// What if: the buttons of the card that pin, forbid and set a budget, for all methods or for one.

import { html } from "../shared/dom.js";
import { methodMark } from "../shared/methods.js";
import { termsOf } from "../shared/names.js";
import { segmented } from "../shared/parts.js";
import { changed } from "../shared/view.js";
import { wordFor } from "../shared/words.js";
import { budgetEdits, contextEdits, labelEdits } from "./edit_choices.js";

export function whatIfButtons(view) {
  const { payload, position } = view;
  const button = (text, edit, title) =>
    html(
      "button",
      {
        type: "button",
        class: "rv-button",
        title,
        "data-op": edit.op,
        "data-explains": wordFor(text, true),
        onclick: () => view.host.trigger("what_if", { position, ...whomFor(view), ...edit }),
      },
      text,
    );
  const held = view.held();
  // Where every context is kept, only labels can be pinned.
  const whole = held && held.labels.length && held.labels.length === held.length;
  const ofContext = whole && position < payload.T && !payload.editsLabels;
  const y =
    held && held.labels.length ? held.labels[held.labels.length - 1] : payload.runs[view.run].path.labels[position - 1];
  const sent = payload.runs[view.run].columns[position].candidates;
  const edits = [
    ...(ofContext ? contextEdits(held.name, held.labels.map((label) => payload.labels[label])) : []),
    ...labelEdits(termsOf(view).label, payload.labels[y], position),
    ...budgetEdits(sent?.budget),
  ];
  const buttons = edits.map((edit) => button(...edit));
  if (payload.changed) buttons.push(button("undo", { op: "undo", what: null }, "undo the last change"));
  return [html("span", { class: "rv-actions-title" }, "What if"), ...targetOfEdit(view), ...buttons];
}

// The run that changes are for, null for all; until somebody chooses, whom the last change was for.
function editedOf(view) {
  const { settings, runs } = view.payload;
  const last = settings.editsOf ? settings.editsOf - 1 : null;
  const of = view.editsOf === undefined ? last : view.editsOf;
  return of !== null && of < runs.length ? of : null;
}

// As Python counts methods: from 1.
function whomFor(view) {
  const of = editedOf(view);
  return of === null ? {} : { of: of + 1 };
}

// Where several methods are shown, a change is for all of them or for one.
function targetOfEdit(view) {
  const { runs, settings } = view.payload;
  if (runs.length < 2 || !("editsOf" in settings)) return [];
  const choices = [[null, "for all"], ...runs.map((run, r) => [r, `${methodMark(run)} only`])];
  const choice = segmented(
    "for which method",
    choices,
    () => editedOf(view),
    (r) => {
      view.editsOf = r;
      changed(view, "highlight");
    },
  );
  return [choice.node];
}
