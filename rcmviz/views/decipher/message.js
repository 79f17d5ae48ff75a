// The message as each method reads it: what is sure is bright, what is not is dim; below each letter or word its
// symbol.

import { isWrong, passOf, readingOf } from "./passes.js";
import { html, setAttributes, setText, toggle } from "../shared/dom.js";
import { percentText } from "../shared/numbers.js";

const SURE = 0.9; // from this share on a reading is bright
const STATUS = {
  ready: "not begun",
  running: "reading …",
  asleep: "asleep: nobody looked",
  paused: "paused",
  done: "all passes are made",
  cancelled: "cancelled",
  solved: "✓ solved",
};

export function makeMessages(view) {
  const parts = view.methods.map((_, m) => makeMessage(view, m));
  const node = html(
    "div",
    { class: "rv-stage rv-sides", "data-sides": parts.length },
    parts.map((part) => part.node),
  );
  const each = (what) => () => parts.forEach((part) => part[what]());
  return { node, layout() {}, paint: each("paint"), highlight: each("highlight") };
}

function makeMessage(view, m) {
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
    node.dataset.symbol = item;
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
      class: "rv-message rv-scroll",
      tabindex: "0",
      role: "group",
      "aria-label": `the message as ${view.methods[m].name} reads it`,
    },
    lines,
  );
  const node = html(
    "section",
    { class: `rv-panel rv-reading-panel rv-by-${payload.term}` },
    html("div", { class: "rv-panel-head" }, name, status, right),
    text,
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
    setAttributes(node, { class: `rv-panel rv-reading-panel rv-by-${payload.term} ${method.className}` });
    setText(name, `${method.mark} ${method.name}`);
    setText(status, statusText(view, method));
    setText(right, rightText(view, method));
    const readings = payload.symbols.map((_, symbol) => readingOf(view, method, symbol));
    cells.forEach((cell) => paintSign(view, cell, readings[cell.symbol]));
    highlight();
  }

  return { node, paint, highlight };
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
  const state =
    method.message || (view.payload.going && method.status === "paused" ? STATUS.running : STATUS[method.status]);
  if (!pass) return state;
  const best = pass.round > 1 && !pass.solved ? ": the best text so far" : "";
  const place =
    pass.stage === "swaps"
      ? `swaps that end round ${pass.round}`
      : pass.round > 1
        ? `pass ${pass.step}, round ${pass.round}`
        : `pass ${pass.step}`;
  return view.position < method.passes.length ? place + best : `${place} · ${state}`;
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
