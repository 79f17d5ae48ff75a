// The card that says in words what is highlighted, with its ancestor chain and the what-if buttons; without a highlight
// it says what happened at the position. Above it the readouts of the position.

import { whyNone } from "./candidates.js";
import { html, setText } from "../shared/dom.js";
import { methodClass, methodMark } from "../shared/methods.js";
import { FATES, FATE_MARKS, withNames } from "../shared/names.js";
import { countText, massText, numberText } from "../shared/numbers.js";
import { whatIfButtons } from "./what_if.js";

export function makeReadouts(view) {
  const node = html("dl", { class: "rv-readouts" });
  const { runs } = view.payload;
  const readouts = {
    contexts: ["contexts", (run, column) => countText(column.total)],
    entropy: ["entropy, nats", (run, column) => numberText(column.entropy)],
    logz: ["log Z so far", (run, column) => numberText(column.logZ)],
    root: ["mass in root", (run, column) => rootText(view, column)],
    confidence: ["confidence", (run) => massText(run.path.p)],
  };
  const values = Object.entries(readouts).flatMap(([key, [title, read]]) => {
    const own = runs.map((run) => {
      const value = html("span", {});
      const mark =
        runs.length > 1 ? html("span", { class: "rv-method " + methodClass(run) }, methodMark(run) + " ") : "";
      return { node: html("dd", {}, mark, value), value, run, read };
    });
    node.append(
      html(
        "div",
        { class: "rv-readout" + (key === "confidence" ? " rv-knows-future" : ""), "data-readout": key },
        html("dt", {}, title),
        own.map((line) => line.node),
      ),
    );
    return own;
  });

  function paint() {
    values.forEach((line) => setText(line.value, line.read(line.run, line.run.columns[view.position])));
  }

  return { node, layout() {}, paint, highlight() {} };
}

// At the last position everything is forgotten, whatever the method: that is no root that took mass in.
function rootText(view, { root }) {
  if (view.position === view.payload.T) return "–";
  return root ? massText(root[view.mass === "forward" ? 0 : 1]) : "no root";
}

export function makeDetail(view) {
  const text = html("div", { class: "rv-detail-text", "aria-live": "polite" });
  const actions = html("div", { class: "rv-actions" });
  const node = html("section", { class: "rv-panel rv-detail", "aria-label": "details" }, text, actions);

  function highlight() {
    const focus = view.focus();
    text.replaceChildren(
      ...(focus && focus.position === view.position ? aboutContext(view, focus) : aboutPosition(view)),
    );
    actions.replaceChildren(...(view.host.trigger ? whatIfButtons(view) : []));
  }

  return { node, layout() {}, paint: highlight, highlight };
}

function aboutPosition(view) {
  const { runs, T } = view.payload;
  const title = html("p", { class: "rv-detail-title" }, `Position ${view.position}`);
  if (view.position === T) return [title, html("p", {}, whyNone(view, runs[0]))];
  return [
    title,
    ...runs.map((run) => html("p", {}, ...runHead(view, run), aboutSelection(view, run))),
    html("p", { class: "rv-dim" }, "Point at a context or a candidate to see where its mass goes; click to hold it."),
  ];
}

function runHead(view, run) {
  return view.payload.runs.length > 1
    ? [html("b", { class: methodClass(run) }, `${methodMark(run)} ${run.name}: `)]
    : [];
}

function aboutSelection(view, run) {
  const { candidates } = run.columns[view.position];
  if (!candidates) return whyNone(view, run);
  const { total, groups } = candidates;
  const before = run.columns[view.position - 1].total;
  const parts = groups
    .map(([count, mass], f) => (count ? `${countText(count)} ${FATES[f]} (mass ${massText(mass)})` : null))
    .filter(Boolean);
  const from = `${countText(before)} context${before === 1 ? "" : "s"} × ${view.payload.labels.length} labels`;
  return `${countText(total)} candidates from ${from}: ${parts.join(", ")}.`;
}

function aboutContext(view, focus) {
  const title = html(
    "p",
    { class: "rv-detail-title" },
    html("code", { class: "rv-name" }, focus.name),
    ...fateChips(view, focus),
  );
  const lines = view.payload.runs.map((run, r) => runLine(view, run, r, focus)).filter(Boolean);
  const chain = focus.chain.length
    ? html("p", { class: "rv-chain-line" }, "ancestors ", chainLinks(view, focus))
    : null;
  return [title, ...lines, ...(chain ? [chain] : [])];
}

function fateChips(view, focus) {
  const candidate = focus.candidates[focus.run];
  if (!candidate) return [];
  const label = view.payload.labels[candidate.labels[candidate.labels.length - 1]];
  const made = html(
    "span",
    { class: "rv-made" },
    "from ",
    html("code", { class: "rv-name" }, candidate.from),
    " and ",
    html("code", { class: "rv-name" }, label),
  );
  return [
    html(
      "span",
      { class: "rv-chip", "data-fate": FATES[candidate.fate] },
      `${FATE_MARKS[candidate.fate]} ${FATES[candidate.fate]}`,
    ),
    ...(candidate.gold ? [html("span", { class: "rv-chip rv-chip-gold" }, "★ on the gold's way")] : []),
    made,
  ];
}

function runLine(view, run, r, focus) {
  const candidate = focus.candidates[r];
  const head = runHead(view, run);
  const row = focus.row;
  const carried =
    row && row.at[r] >= 0
      ? carriedText(view, row, r)
      : null;
  if (!candidate && !carried) {
    const above = focus.carrier[r];
    const words = above
      ? withNames(`not a context here; \`${above}\` speaks for what ends in it.`)
      : ["no context here ends like this."];
    return head.length ? html("p", {}, ...head, ...words) : null;
  }
  return html("p", {}, ...head, ...(candidate ? withNames(candidate.why + ". ") : []), carried || "");
}

function carriedText(view, row, r) {
  const hides = view.hidesFuture();
  const masses = (kinds) => kinds.map((kind) => massText(row[kind][r])).join(" and ");
  const own = hides
    ? `${masses(["forward"])} forward mass`
    : `${massText(row.forward[r])} forward and ${massText(row.posterior[r])} posterior mass`;
  const nested = masses(hides ? ["forwardTree"] : ["forwardTree", "posteriorTree"]);
  return `It carries ${own}${row.forwardTree[r] > row.forward[r] ? `, ${nested} with those that end in it` : ""}.`;
}

function chainLinks(view, focus) {
  return [focus.name, ...focus.chain].flatMap((name, k) => [
    k ? " → " : "",
    html(
      "button",
      { type: "button", class: "rv-chip rv-chip-link", onclick: () => view.select(name, focus.run) },
      name,
    ),
  ]);
}
