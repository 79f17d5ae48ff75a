// The contexts after the current frame, the heaviest first, and the fate of the heaviest other candidates.

import { carrierButton, contextHead, contextRow } from "../shared/context_rows.js";
import { html, setAttributes, setText } from "../shared/dom.js";
import { countText, massText } from "../shared/numbers.js";
import { panel } from "../shared/parts.js";

const END = 12; // characters of a long name: outputs that a beam has differ in their ends
const FIRST_ROWS = 12; // kept contexts shown at first, so that the others are visible below them

const shortenStart = (name) => ([...name].length > END + 1 ? "…" + [...name].slice(-END).join("") : name);

export function makeContexts(view) {
  const label = "contexts after this frame";
  const list = html("div", {
    class: "rv-scroll rv-ctc-contexts",
    tabindex: "0",
    role: "group",
    "aria-label": label,
  });
  const box = panel("", "rv-candidates-panel " + view.className);
  box.body.append(contextHead(["", "remembers", "", "", "blank", "forward mass", "", "posterior"]), list);
  let [shown, whole, carrier] = [null, false, null];

  function paint() {
    const column = view.payload.columns[view.position - 1];
    if (shown !== column) [whole, carrier] = [false, null];
    setText(box.heading, `${view.mark} ${view.payload.name}: contexts after frame ${view.position}`);
    const few = column.contexts.filter((context, k) => whole || k < FIRST_ROWS || context[6]);
    const rows = few.map((context) => [context[0], keptRow(context)]);
    list.replaceChildren(...rows.map(([, row]) => row), ...more(column, few.length), ...othersOf(column, show));
    if (shown !== column) list.scrollTop = 0;
    shown = column;
    mark(rows.find(([name]) => name === carrier)?.[1]);
  }

  // The context that carries a merged one is marked, and has the focus, which moves the list to it.
  function mark(row) {
    if (!row) return;
    setAttributes(row, { class: "rv-context-row rv-carrier", tabindex: "-1" });
    row.focus();
    carrier = null;
  }

  function show(name) {
    [whole, carrier] = [true, name];
    paint();
  }

  function more(column, few) {
    const hidden = column.contexts.length - few;
    const lighter = column.count - column.contexts.length;
    const text = whole ? "show the heaviest only" : `show ${countText(hidden)} lighter ones kept`;
    const flip = () => {
      whole = !whole;
      paint();
    };
    const button = html("button", { type: "button", class: "rv-link-button", onclick: flip }, text);
    return [
      hidden > 0 || whole ? html("p", { class: "rv-more" }, button) : null,
      lighter > 0 && (whole || hidden === 0)
        ? html("p", { class: "rv-more" }, `and ${countText(lighter)} lighter ones`)
        : null,
    ].filter(Boolean);
  }

  return { node: box.node, layout() {}, paint, highlight() {} };
}

function keptRow([name, share, posterior, blank, many, arrived, on]) {
  const ends = html(
    "span",
    { class: "rv-dim", title: `of its mass ${massText(blank)} ends in a blank` },
    `– ${massText(blank)}`,
  );
  const took = many ? `+${countText(many)}: ${massText(arrived)}` : "";
  const taken = html(
    "span",
    { class: "rv-ctc-took", title: many ? "candidates that were merged into it" : null },
    took,
  );
  const mark = html(
    "span",
    { class: "rv-answer-mark", title: on ? "the answer is in this context" : null },
    on ? "◂" : "",
  );
  const row = contextRow("kept", name, share, {
    before: [mark, taken, ends],
    after: [massText(posterior)],
    shown: shortenStart(name),
  });
  if (on) row.classList.add("rv-of-answer");
  return row;
}

function othersOf({ others, seen, kept }, show) {
  if (!others.length) return [];
  const merged = others[0][2] !== null;
  const rows = others.map(([name, share, into]) => {
    const carrier = into === null ? html("span", { class: "rv-into" }) : carrierButton(into, () => show(into));
    return contextRow(into === null ? "dropped" : "merged", name, share, {
      before: [1, 2, 3].map(() => html("span")),
      after: [carrier],
      shown: shortenStart(name),
    });
  });
  const unlisted = seen - kept - others.length;
  const title = `${merged ? "merged" : "dropped"}, the heaviest first`;
  return [
    html("p", { class: "rv-more rv-context-rule" }, title),
    ...rows,
    ...(unlisted > 0 ? [html("p", { class: "rv-more" }, `and ${countText(unlisted)} lighter ones`)] : []),
  ];
}
