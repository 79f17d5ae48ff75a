// The contexts of the current cell: the kept ones, and the fate of the heaviest other candidates.

import { keyOf, rootsOf } from "./edges.js";
import { carrierButton, contextHead, contextRow } from "../shared/context_rows.js";
import { html, setAttributes, setText } from "../shared/dom.js";
import { countText, massText } from "../shared/numbers.js";
import { panel } from "../shared/parts.js";

const FIRST_ROWS = 9; // kept contexts shown at first, so that the others are visible below them

export function makeContexts(view, run) {
  const list = html("div", {
    class: "rv-scroll rv-align-contexts",
    tabindex: "0",
    role: "group",
    "aria-label": `contexts of ${run.name}`,
  });
  const box = panel("", "rv-candidates-panel " + run.className);
  let [carrier, sought] = [null, false];
  box.body.append(contextHead(["", "remembers", "here", "forward mass", "", "posterior"]), list);
  let shownCell = null;

  function paint() {
    const [a, i] = view.cell();
    const cell = run.at.get(keyOf(a, i));
    const phone = view.payload.phones[a - 1];
    setText(box.heading, `${run.mark} ${run.name}: contexts of ${phone} · letter ${i}`);
    if (!cell) return list.replaceChildren(html("p", { class: "rv-empty" }, "No context of this cell was kept."));
    const kept = [...cell.contexts].sort((one, other) => other[2] - one[2]);
    const shown = view.whole ? kept : kept.slice(0, FIRST_ROWS);
    if (shownCell !== cell) carrier = null;
    const rows = new Map(shown.map((context) => [context, keptRow(context)]));
    list.replaceChildren(...rows.values(), ...moreButton(view, kept.length - FIRST_ROWS), ...othersOf(cell, show));
    if (shownCell !== cell) list.scrollTop = 0;
    shownCell = cell;
    if (rows.has(carrier)) mark(rows.get(carrier));
  }

  // The context that carries a merged one is marked, and has the focus, which moves the list to it.
  function mark(row) {
    setAttributes(row, { class: "rv-context-row rv-carrier", tabindex: "-1" });
    if (sought) row.focus();
    sought = false;
  }

  function show(context) {
    [carrier, sought] = [context, true];
    view.showAll(true);
  }

  return { node: box.node, layout() {}, paint, highlight() {} };
}

function moreButton(view, more) {
  if (more <= 0) return [];
  const text = view.whole
    ? "show the heaviest only"
    : `show ${more} lighter ${more > 1 ? "ones" : "one"} kept`;
  return [
    html(
      "p",
      { class: "rv-more" },
      html("button", { type: "button", class: "rv-link-button", onclick: () => view.showAll(!view.whole) }, text),
    ),
  ];
}

function keptRow([name, mode, share, posterior]) {
  return contextRow("kept", name, share, { before: modeCell(mode), after: [massText(posterior)] });
}

const modeCell = (mode) => html("span", { class: "rv-dim" }, mode);

function othersOf(cell, show) {
  if (!cell.others.length) return [];
  const unlisted = cell.seen - (cell.contexts.length - rootsOf(cell).length) - cell.others.length;
  const rows = cell.others.map(([name, mode, mass, into]) => {
    const carrier = cell.contexts[into];
    const after = [carrier ? carrierButton(carrier[0], () => show(carrier)) : html("span", { class: "rv-into" })];
    return contextRow(carrier ? "merged" : "dropped", name, mass, { before: modeCell(mode), after });
  });
  const more = unlisted > 0 ? html("p", { class: "rv-more" }, `and ${countText(unlisted)} lighter ones`) : null;
  return [
    html(
      "p",
      { class: "rv-more rv-context-rule" },
      cell.others[0][3] < 0 ? "dropped, the heaviest first" : "merged, the heaviest first",
    ),
    ...rows,
    more,
  ].filter(Boolean);
}
