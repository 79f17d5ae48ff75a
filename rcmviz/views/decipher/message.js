// The message as each method reads it: sure words are bright, others dim; below each letter or word its
// symbol.

import { isWrong, passOf, readingOf } from "./passes.js";
import { html, setText, toggle } from "../shared/dom.js";
import { percentText } from "../shared/numbers.js";
import { setWorded } from "../shared/words.js";

const SURE = 0.9; // readings of at least this share are bright
const STATUS = {
  ready: "not begun",
  running: "reading …",
  asleep: "asleep: no viewer",
  paused: "paused",
  done: "all passes done",
  cancelled: "cancelled",
  solved: "✓ solved",
};

// The text of a method, and the `head` above it: name, pass and accuracy.
export function makeMessage(view, m) {
  const { payload } = view;
  const name = html("b", { class: "rv-method" });
  const status = html("span", { class: "rv-dim rv-status" });
  const right = html("span", { class: "rv-right" });
  const cells = [];
  const cellOf = (item) => {
    if (typeof item === "string") return html("span", { class: "rv-mark-cell" }, item);
    const plain = html("span", { class: "rv-plain" });
    const node = html("span", { class: "rv-sign" }, plain, html("small", {}, payload.symbols[item]));
    cells.push({ node, plain, symbol: item });
    Object.assign(node.dataset, { symbol: item, point: `sign ${payload.symbols[item]}` });
    return node;
  };
  const lines = payload.message.map((line) =>
    html(
      "p",
      { class: "rv-line" },
      line.map((group) => html("span", { class: "rv-group" }, group.map(cellOf))),
    ),
  );
  const text = html(
    "div",
    {
      class: `rv-message rv-scroll rv-by-${payload.term}`,
      tabindex: "0",
      role: "group",
      "aria-label": `the message as ${view.methods[m].name} reads it`,
    },
    lines,
  );
  const symbolUnder = (event) => event.target.closest?.(".rv-sign")?.dataset.symbol;
  text.addEventListener("click", (event) => {
    const symbol = symbolUnder(event);
    if (symbol !== undefined) view.hold(Number(symbol));
  });
  text.addEventListener("pointerover", (event) => {
    const symbol = symbolUnder(event);
    view.point(symbol === undefined ? null : Number(symbol));
  });
  text.addEventListener("pointerleave", () => view.point(null));

  function highlight() {
    const focus = view.pointed ?? view.held;
    cells.forEach((cell) => toggle(cell.node, "rv-on", cell.symbol === focus));
  }

  function paint() {
    const method = view.methods[m];
    setWorded(name, `${method.mark} ${method.name}`);
    setWorded(status, statusText(view, method));
    setText(right, rightText(view, method));
    const readings = payload.symbols.map((_, symbol) => readingOf(view, method, symbol));
    cells.forEach((cell) => paintSign(view, cell, readings[cell.symbol]));
    highlight();
  }

  return { head: [name, status, right], node: text, paint, highlight };
}

function paintSign(view, { node, plain, symbol }, { label, sure, pinned }) {
  setText(plain, label === null ? "·" : view.payload.labels[label]);
  node.style.setProperty("--rv-sure", sure.toFixed(2));
  toggle(node, "rv-sure", sure >= SURE);
  toggle(node, "rv-pinned", pinned);
  toggle(node, "rv-wrong", isWrong(view, symbol, label));
}

function statusText(view, method) {
  const pass = passOf(view, method);
  if (!pass) return stateText(view, method);
  const best = pass.round > 1 && !pass.solved ? ": the best text so far" : "";
  const place =
    pass.stage === "swaps"
      ? `swaps that end round ${pass.round}`
      : pass.round > 1
        ? `EM pass ${pass.step}, round ${pass.round}`
        : `EM pass ${pass.step}`;
  if (endsRound(view, method, pass)) return `${place}, the last one`;
  return view.position < method.passes.length ? place + best : `${place} · ${stateText(view, method)}`;
}

function stateText(view, method) {
  if (method.old) return "before the pin";
  return method.message || (view.payload.going && method.status === "paused" ? STATUS.running : STATUS[method.status]);
}

// Whether a pass of a cryptogram is the last one before the first swaps.
function endsRound({ payload }, method, pass) {
  if (pass.stage !== "em" || pass.round > 1) return false;
  return pass.step === payload.ends || method.passes[pass.step]?.stage === "swaps";
}

function rightText({ payload, position }, method) {
  const at = Math.min(position, method.passes.length) - 1;
  if (at < 0 || !payload.key) return "";
  const { accuracy, by_type } = method.points;
  return payload.term === "letter"
    ? `${percentText(accuracy[at])} right`
    : `${percentText(by_type[at])} of symbols, ${percentText(accuracy[at])} of words right`;
}

// The reading as plain lines of text, for screen readers' summaries and pictures.
export function textOf(view, method) {
  return view.payload.message.map((line) =>
    line
      .map((group) =>
        group
          .map((item) => {
            if (typeof item === "string") return item;
            const { label } = readingOf(view, method, item);
            return label === null ? "·" : view.payload.labels[label];
          })
          .join(""),
      )
      .join(" "),
  );
}
