// CTC: the position is the frame. Emissions and the alignment of the answer above, the contexts of the frame below.

import { makeContexts } from "./contexts.js";
import { makeAnswer, makeOutputs } from "./answer.js";
import { makeFrame } from "./frame.js";
import { aboutFrame, makeReadouts } from "./sentences.js";
import { makeStrip } from "./strip.js";
import { html } from "../shared/dom.js";
import { fileName, makeExportBar } from "../shared/export_bar.js";
import { lookOf } from "../shared/methods.js";
import { visible } from "../shared/names.js";
import { percentText } from "../shared/numbers.js";
import { makeSentences, segmented } from "../shared/parts.js";
import { makeStepper } from "../shared/transport.js";

const SHARES = [
  ["emit", "emissions"],
  ["posterior", "posterior"],
];
const PACE = 400; // milliseconds per frame at speed 1

// Unless the payload names a frame, the view opens at the first label of the answer.
function open(view, before) {
  const { payload } = view;
  view.last = payload.T;
  view.className = lookOf(payload.method)[0];
  view.mark = lookOf(payload.method)[1];
  view.shares ??= "emit";
  const [first] = payload.best.frames[0] ?? [0];
  const stays = before?.kind === "ctc" && before.T === payload.T;
  view.position = Math.min(payload.pos ?? payload.position ?? (stays ? view.position : first + 1), view.last);
}

function results(view) {
  const { best, gold, name, glue } = view.payload;
  const p = best.words.reduce((product, [, , , sure]) => product * sure, 1);
  const right = gold ? gold.right : null;
  const answer = visible(best.labels.join(glue));
  const story = gold && !right ? `The right output is ${visible(gold.labels.join(glue))}.` : "";
  return [
    { className: view.className, name: `${view.mark} ${name}`, answer, sure: `${percentText(p)} sure`, right, story },
  ];
}

const flip = (view, shares) =>
  view.put({ shares: shares ?? SHARES.find(([name]) => name !== view.shares)[0] }, "layout");

function build(view) {
  const { payload } = view;
  const answer = makeAnswer(view);
  const chooser = segmented(
    "shares",
    SHARES,
    () => view.shares,
    (shares) => flip(view, shares),
  );
  const strip = makeStrip(view, chooser);
  const transport = makeStepper(view, "frame", () => view.last);
  const sentences = makeSentences("what happened at this frame", () => aboutFrame(view));
  const readouts = makeReadouts(view);
  const contexts = makeContexts(view);
  const frame = makeFrame(view);
  const outputs = makeOutputs(view);
  const tools = makeExportBar(view, {
    file: () => fileName("ctc", payload.title),
    link: { title: "a link to exactly this frame", always: true },
    tables: [{ rows: () => tableOf(view), title: "the contexts of every frame" }],
    picture: { title: "the frames and the alignment", drawings: () => [strip.drawing] },
    steps: "frame",
    keys: [
      ["[ ]", "previous, next word of the answer"],
      ["f", "emissions, posterior"],
    ],
    signs: [
      ["●", "kept: a context of its own"],
      ["↳", "merged into the longest suffix that is kept"],
      ["✕", "dropped"],
      ["◂", "the context that the answer is in"],
      ["*he", "ends in he; earlier labels are forgotten"],
      ["^", "nothing is written yet"],
      ["–", "the blank"],
      ["★", "the right output"],
    ],
  });
  view.root.dataset.runs = 1;
  const detail = [sentences.node, readouts.node];
  view.figures = [[strip.node, answer.node], [contexts.node, ...detail], [frame.node, ...detail], [outputs.node]];
  view.root.replaceChildren(
    transport.node,
    answer.node,
    strip.node,
    html("div", { class: "rv-band" }, sentences.node, readouts.node),
    html(
      "div",
      { class: "rv-stage rv-ctc-stage rv-details" },
      contexts.node,
      html("div", { class: "rv-ctc-side" }, frame.node, outputs.node),
    ),
    tools.node,
  );
  const controls = { chooser: makeStaticPart(chooser), transport };
  return { answer, strip, ...controls, sentences, readouts, contexts, frame, outputs, tools };
}

const makeStaticPart = ({ paint }) => ({ layout() {}, paint, highlight() {} });

function tableOf({ payload }) {
  const head = ["frame", "context", "fate", "share", "posterior", "into", "of the answer"];
  const rows = payload.columns.flatMap(({ contexts, others }, t) => [
    ...contexts.map(([name, share, posterior, , , , on]) => [t + 1, name, "kept", share, posterior, "", on ? 1 : ""]),
    ...others.map(([name, share, into]) => [
      t + 1,
      name,
      into === null ? "dropped" : "merged",
      share,
      "",
      into ?? "",
      "",
    ]),
  ]);
  return [head, ...rows];
}

// Goes to the first frame of the word before or after the current one.
function goToWord(view, by) {
  const starts = view.payload.best.words.map(([, start]) => start + 1);
  const next =
    by > 0 ? starts.find((start) => start > view.position) : starts.findLast((start) => start < view.position);
  if (next !== undefined) view.go(next);
}

export const ctc = {
  pace: PACE,
  open,
  build,
  results,
  place: (view) => ({ pos: view.position }),
  marks: (view) => ({
    "data-shares": view.shares,
    "data-ahead": view.payload.columns[view.position - 1].ahead[0],
  }),
  keys: (view) => ({ f: () => flip(view), "[": () => goToWord(view, -1), "]": () => goToWord(view, 1) }),
};
