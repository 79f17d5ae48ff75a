// The card that says in words what is highlighted, with its ancestor chain and the what-if buttons; without a highlight
// it says what happened at the position. Above it the readouts of the position.

import { makeArithmetic, shownSum } from "./arithmetic.js";
import { ranksByMore, rankingOf, whyNone } from "./candidates.js";
import { html, setText } from "../shared/dom.js";
import { methodClass, methodMark } from "../shared/methods.js";
import { FATES, FATE_MARKS, cutName, fateText, nameNode, withNames } from "../shared/names.js";
import { countText, massText, numberText } from "../shared/numbers.js";
import { worded } from "../shared/words.js";
import { whatIfButtons } from "./what_if.js";

// What each readout says, and the sum that a click on it opens.
const READOUTS = {
  contexts: ["contexts", (view, run, column) => countText(column.total)],
  entropy: ["entropy, nats", (view, run, column) => numberText(column.entropy), openSum("entropy")],
  logz: ["log Z so far", (view, run, column) => numberText(column.logZ), openSum("logz")],
  root: ["mass in root", (view, run, column) => rootText(view, column), openRoot],
  confidence: ["confidence", (view, run) => massText(run.path.p), openSum("confidence")],
  gold: ["★ gold", (view, { gold }) => goldText(gold), (view, r) => view.goToLoss(r)],
};
const OF_ALL = ["confidence", "gold"]; // what only the whole word can know

const goldText = ({ lost, p }) => (lost === null ? massText(p) : `lost at ${lost}`);

function openSum(kind) {
  return (view, r) => {
    view.run = r;
    view.setSum(kind, true);
  };
}

function openRoot(view, r) {
  const root = view.memory.rows(r, view.position).find((row) => !row.length);
  if (root && !(view.node === root.name && view.run === r)) view.select(root.name, r);
}

export function makeReadouts(view) {
  const list = html("dl", { class: "rv-readouts" });
  const node = html("div", { class: "rv-readings" }, list);
  const { runs } = view.payload;
  const shown = Object.entries(READOUTS).filter(([key]) => key !== "gold" || view.payload.gold);
  const values = shown.flatMap(([key, [title, read, open]]) => {
    const own = runs.map((run, r) => {
      const isGold = key === "gold";
      const of = runs.length > 1 ? `${title}, ${run.name}` : title;
      const name = isGold ? `${of}: to where it was lost` : `${of}: its sum`;
      const value = open && (!isGold || run.gold.lost !== null)
        ? html("button", { type: "button", class: "rv-number", title: name, onclick: () => open(view, r) })
        : html("span", {});
      const mark =
        runs.length > 1 ? html("span", { class: "rv-method " + methodClass(run) }, methodMark(run) + " ") : "";
      return { node: html("dd", {}, mark, value), value, run, read };
    });
    list.append(
      html(
        "div",
        { class: "rv-readout" + (OF_ALL.includes(key) ? " rv-knows-future" : ""), "data-readout": key },
        html("dt", {}, title),
        own.map((line) => line.node),
      ),
    );
    return own;
  });

  function paint() {
    values.forEach((line) => setText(line.value, line.read(view, line.run, line.run.columns[view.position])));
  }

  return { node, layout() {}, paint, highlight() {} };
}

// At the last position everything is forgotten, whatever the method: that is no root that took mass in.
function rootText(view, { root }) {
  if (view.position === view.payload.T) return "–";
  return root ? massText(root[view.mass === "forward" ? 0 : 1]) : "no root";
}

// While a row that is a term of the sum is hovered, the card stays with the sum. The buttons stand `aside`, or in it.
export function makeDetail(view, aside) {
  const text = html("div", { class: "rv-detail-text", "aria-live": "polite", tabindex: "0" });
  const actions = html("div", { class: "rv-actions" });
  const arithmetic = makeArithmetic(view);
  const names = { class: "rv-panel rv-detail rv-summed", "aria-label": "details" };
  const node = html("section", names, text, arithmetic.node);
  if (aside) aside.append(actions);
  else text.after(actions);
  let said = null;
  let offered = null;

  // A button that is replaced between press and release loses the click.
  function offer() {
    const { payload, position, run, editsOf } = view;
    const about = [payload.id, position, view.held()?.name, run, editsOf, Boolean(view.host.trigger)].join("|");
    if (about === offered) return;
    offered = about;
    actions.replaceChildren(...(view.host.trigger ? whatIfButtons(view) : []));
  }

  function highlight() {
    arithmetic.highlight();
    offer();
    const { focus, key } = shownSum(view);
    if (key === said) return;
    said = key;
    text.replaceChildren(...(focus ? aboutContext(view, focus) : aboutPosition(view)));
  }

  return { node, layout() {}, paint: highlight, highlight };
}

function aboutPosition(view) {
  const { runs, T } = view.payload;
  const title = (...more) => html("p", { class: "rv-detail-title" }, `Position ${view.position}`, ...more);
  if (view.position === T) return [title(), html("p", {}, whyNone(view, runs[0]))];
  const hint = "Point at a context or a candidate to see where its mass goes; click to hold it.";
  return [
    title(html("span", { class: "rv-made rv-hint" }, hint)),
    ...runs.map((run) => html("p", {}, ...runHead(view, run), aboutSelection(view, run))),
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
    .map(([count, mass], f) => (count ? `${countText(count)} ${fateText(run, f)} (mass ${massText(mass)})` : null))
    .filter(Boolean);
  const from = `${countText(before)} context${before === 1 ? "" : "s"} × ${view.payload.labels.length} labels`;
  const factor = run.sums.by === "pass" ? ": mass × the message of the pass before" : "";
  const ranked = ranksByMore(run) ? ` Ranked by ${rankingOf(run)}${factor}.` : "";
  return worded(`${countText(total)} candidates from ${from}: ${parts.join(", ")}.${ranked}`, false);
}

function aboutContext(view, focus) {
  const title = html(
    "p",
    { class: "rv-detail-title" },
    nameNode(focus.name),
    ...fateChips(view, focus),
    focus.chain.length ? html("span", { class: "rv-chain-line" }, worded("ancestors "), chainLinks(view, focus)) : null,
  );
  const lines = view.payload.runs.map((run, r) => runLine(view, run, r, focus)).filter(Boolean);
  return [title, ...lines];
}

function fateChips(view, focus) {
  const candidate = focus.candidates[focus.run];
  if (!candidate) return [];
  const label = view.payload.labels[candidate.labels[candidate.labels.length - 1]];
  const made = html(
    "span",
    { class: "rv-made" },
    "from ",
    nameNode(candidate.from),
    " and ",
    nameNode(label),
  );
  return [
    html(
      "span",
      { class: "rv-chip", "data-fate": FATES[candidate.fate] },
      worded(`${FATE_MARKS[candidate.fate]} ${fateText(view.payload.runs[focus.run], candidate.fate)}`),
    ),
    ...(candidate.gold ? [html("span", { class: "rv-chip rv-chip-gold" }, "★ on the gold's way")] : []),
    made,
  ];
}

function runLine(view, run, r, focus) {
  const candidate = focus.candidates[r];
  const head = runHead(view, run);
  const carried = focus.rows[r] && carriedText(view, focus.rows[r]);
  if (!candidate && !carried) {
    const above = focus.carrier[r];
    const words = above
      ? withNames(`not a context here; \`${above}\` speaks for what ends in it.`)
      : ["no context here ends like this."];
    return head.length ? html("p", {}, ...head, ...words) : null;
  }
  return html("p", {}, ...head, ...(candidate ? withNames(candidate.why + ". ") : []), withNames(carried || ""));
}

function carriedText(view, row) {
  const kinds = view.hidesFuture() ? ["forward"] : ["forward", "posterior"];
  const own = kinds.map((kind) => `${kind} ${massText(row[kind])}`).join(", ");
  const nested = kinds.map((kind) => massText(row[kind + "Tree"])).join(" and ");
  const said = row.forwardTree > row.forward ? `${own}; with those that end in it ${nested}.` : `${own}.`;
  return said[0].toUpperCase() + said.slice(1);
}

function chainLinks(view, focus) {
  return focus.chain.flatMap((name, k) => [
    k ? " → " : "",
    html(
      "button",
      { type: "button", class: "rv-chip rv-chip-link", onclick: () => view.select(name, focus.run) },
      cutName(name),
    ),
  ]);
}
