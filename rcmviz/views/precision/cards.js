// The numbers of each method at the threshold.

import { html, setAttributes, setText, toggle } from "../shared/dom.js";
import { termsOf } from "../shared/names.js";
import { countText, massText, ninesText } from "../shared/numbers.js";
import { panel } from "../shared/parts.js";
import { named } from "../shared/words.js";
import { RULES, TARGET, ceilingOf } from "./rules.js";

export function makeCards(view) {
  const cards = view.methods.map((method, m) => makeCard(view, method, m));
  return {
    node: html(
      "div",
      { class: "rv-methods" },
      cards.map((card) => card.node),
    ),
    layout: () => cards.forEach((card) => card.layout()),
    paint: () => cards.forEach((card) => card.paint()),
  };
}

const BARS = [
  ["right", "answered, right"],
  ["wrong", "answered, wrong"],
  ["refusedRight", "refused, would be right"],
  ["refusedWrong", "refused, would be wrong"],
];

const MEANINGS = [
  ["right", "Answers that are the gold, letter by letter."],
  ["wrong", "Answers with a letter or more that is not the gold's."],
  ["precision", "Precision: the share of the answers that are right."],
  ["confidence ≥", "Answers with at least this confidence are given, all others are refused."],
];

function makeCard(view, method, m) {
  const name = html(
    "button",
    {
      type: "button",
      class: "rv-focus rv-method",
      onclick: () => view.move({ focus: m }),
      title: "show its words below",
    },
    `${method.mark} ${method.name}`,
  );
  const answered = html("span", { class: "rv-big" });
  const facts = ["right", "wrong", "precision", "surest"].map(() => html("dd", {}));
  const bars = BARS.map(([kind, title]) => html("span", { class: "rv-part rv-" + kind, title }));
  const note = html("p", { class: "rv-note" });
  const node = html(
    "section",
    { class: `rv-panel rv-card ${method.className}`, "aria-label": method.name, "data-point": `method ${m + 1}` },
    html("div", { class: "rv-card-head" }, name, answered),
    html("div", { class: "rv-parts", "aria-hidden": "true" }, bars),
    html(
      "dl",
      { class: "rv-facts-row" },
      MEANINGS.map(([term, is], k) => html("div", {}, html("dt", {}, named(term, is)), facts[k])),
    ),
    note,
  );

  function layout() {
    setText(note, ceilingSentence(view, method));
    setAttributes(name, { "aria-pressed": m === view.place.focus });
    toggle(node, "rv-now", m === view.place.focus);
  }

  function paint() {
    const now = view.standings[m];
    answered.replaceChildren(
      html("b", {}, countText(now.answered)),
      ` of ${countText(view.N)} answered · ${ninesText(now.share, 0)}`,
    );
    const shown = [
      countText(now.right),
      countText(now.wrong),
      now.precision === null ? "–" : ninesText(now.precision),
      now.threshold === null ? "–" : ninesText(now.threshold),
    ];
    facts.forEach((fact, k) => setText(fact, shown[k]));
    toggle(facts[1], "rv-bad", now.wrong > 0);
    const widths = [now.right, now.wrong, now.refusedRight, now.refused - now.refusedRight];
    bars.forEach((bar, k) => {
      bar.style.flexGrow = widths[k];
      bar.style.display = widths[k] ? "" : "none";
    });
  }

  return { node, layout, paint };
}

function ceilingSentence(view, method) {
  const { answered, wrong, precision } = ceilingOf(method);
  const { output } = termsOf(view);
  if (precision >= TARGET) {
    const best = method.answered[RULES.precision.cut(method, TARGET)] / view.N;
    return `99 % of the answers are right if ${ninesText(best)} of the ${output}s are answered.`;
  }
  const why = method.drops ? " Its confidence ignores the contexts that it dropped." : "";
  const mistakes = `${countText(wrong)} ${wrong === 1 ? "is" : "are"} wrong`;
  return (
    `Never gets past ${ninesText(precision)} once a fifth is answered: ` +
    `of its surest ${countText(answered)} ${output}s ${mistakes}.${why}`
  );
}

const COLUMNS = [
  ["accuracy", "accuracy", "accuracy: the share of all answers that are right."],
  ["recall_99", "recall @ 99 %", "recall: the largest share that can be answered with 99 % of the answers right."],
  ["recall_95", "recall @ 95 %", "recall: the largest share that can be answered with 95 % of the answers right."],
  ["area", "area", "area: precision, averaged over all shares that could be answered."],
  ["calibration_error", "calibration error", "calibration error: between confidence and accuracy, in ten bins."],
  ["mean_confidence", "mean confidence", "mean confidence: the mean of a method's confidence in its answers."],
];

export function makeNumbers(view) {
  const number = (value) => massText(value);
  const head = html(
    "tr",
    {},
    html("th", { scope: "col" }, "method"),
    COLUMNS.map(([, text, is]) => html("th", { scope: "col" }, named(text, is))),
  );
  const rows = view.methods.map((method) =>
    html(
      "tr",
      { class: method.className },
      html("th", { scope: "row", class: "rv-method" }, `${method.mark} ${method.name}`),
      COLUMNS.map(([name]) => {
        const [value, low, high] = method.score[name];
        return html(
          "td",
          {},
          number(value),
          html("span", { class: "rv-interval" }, `${number(low)} – ${number(high)}`),
        );
      }),
    ),
  );
  const { node, body } = panel("The same in numbers", "rv-numbers");
  body.append(
    html(
      "div",
      { class: "rv-table", tabindex: "0", role: "group", "aria-label": "numbers of each method" },
      html("table", {}, html("thead", {}, head), html("tbody", {}, rows)),
    ),
    html(
      "p",
      { class: "rv-more" },
      `Below each number its 95 % interval (bootstrap over the ${termsOf(view).output}s). Recall: the largest share ` +
        "answered with that precision. Area: mean precision over all shares. " +
        "Calibration error: ten bins of equal mass.",
    ),
  );
  return { node, layout() {}, paint() {} };
}
