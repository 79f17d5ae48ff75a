// A frame in words; the readouts.

import { BLANK, symbolName } from "./frame.js";
import { html, setText } from "../shared/dom.js";
import { nameNode, visible } from "../shared/names.js";
import { countText, massText, natsText } from "../shared/numbers.js";
import { named } from "../shared/words.js";

const columnOf = (view) => view.payload.columns[view.position - 1];

export function aboutFrame(view) {
  const { ahead, answer } = columnOf(view);
  const same = ahead[0] === answer[0];
  const [text, p] = ahead;
  return [
    html("p", { class: "rv-detail-title" }, `Frame ${view.position}: the answer shows `, ...answerSymbol(view)),
    html(
      "p",
      {},
      "Ahead so far: ",
      nameNode(visible(text)),
      `, ${massText(p)} of the kept mass`,
      same ? ", as in the answer." : ".",
    ),
    same
      ? null
      : html(
          "p",
          {},
          "The answer has ",
          nameNode(visible(answer[0])),
          `, ${massText(answer[1])}: later frames decide for it.`,
        ),
    html("p", {}, fate(view)),
  ].filter(Boolean);
}

// The symbol of the answer's alignment, and whether it is a new label.
function answerSymbol({ payload, position }) {
  const { labels, frames } = payload.best;
  const at = frames.findIndex(([start, stop]) => position - 1 >= start && position - 1 < stop);
  if (at < 0) return ["the blank ", html("code", { class: "rv-name" }, BLANK)];
  const again = position - 1 > frames[at][0] ? ", again" : "";
  return [html("code", { class: "rv-name" }, visible(labels[at])), again];
}

function fate(view) {
  const { seen, kept, count, moved } = columnOf(view);
  const { method } = view.payload;
  if (kept === seen) return `${countText(seen)} candidates, all kept.`;
  const rest = `${countText(seen - kept)} others, ${massText(moved)} of the mass, are`;
  const where = method === "rcms" ? "merged into shorter contexts" : "dropped, with every output that begins with them";
  const arrived = count > kept ? `, and ${countText(count - kept)} of one label that only merged ones need` : "";
  return `${countText(seen)} candidates, ${countText(kept)} kept${arrived}; the ${rest} ${where}.`;
}

export function makeReadouts(view) {
  const { best, logZ } = view.payload;
  const entries = [
    ["confidence", "probability of the answer, summed over all its alignments", () => massText(best.confidence)],
    [
      "log Z",
      "log of the sum over all outputs, by the contexts that are kept: that of RCMS is no bound",
      () => natsText(logZ),
    ],
    ["likeliest symbol", "by this frame alone", () => likeliest(view)],
    ["contexts", "kept after this frame", () => countText(columnOf(view).count)],
    ["candidates", "proposed by the contexts before this frame", () => countText(columnOf(view).seen)],
    ["moved", "share of the mass that was merged or dropped at this frame", () => massText(columnOf(view).moved)],
  ];
  const cells = entries.map(() => html("dd", {}));
  const node = html(
    "dl",
    { class: "rv-readouts rv-details" },
    entries.map(([name, is], k) =>
      html("div", { class: "rv-readout" }, html("dt", {}, named(name, `${name}: ${is}.`)), cells[k]),
    ),
  );
  const paint = () => entries.forEach(([, , read], k) => setText(cells[k], read()));
  return { node, layout() {}, paint, highlight() {} };
}

function likeliest(view) {
  const t = view.position - 1;
  const shares = view.payload.emit.map((row) => row[t]);
  const row = shares.indexOf(Math.max(...shares));
  return `${symbolName(view, row)} ${massText(shares[row])}`;
}
