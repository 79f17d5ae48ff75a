// Whose fault the mistakes are: the counts of every method, and the mistakes of the one in focus as a table that sorts.

import { html, setAttributes, setText } from "../shared/dom.js";
import { spell, termsOf } from "../shared/names.js";
import { countText, natsText, ninesText } from "../shared/numbers.js";
import { panel } from "../shared/parts.js";

export const VERDICTS = ["right", "model error", "search error"];
const SIGNS = ["★", "≠", "✕"];
const ROWS = 40; // drawn at once

// The columns to sort by: [key, heading, value, whether the largest comes first, help]. Unknown values
// come last.
const COLUMNS = [
  ["word", "gold", (row, view) => spellOutput(view, view.payload.gold[row.word]), false, "the right answer"],
  ["output", "output", (row, view, method) => spellOutput(view, method.decoded[row.word]), false, "its answer"],
  ["blame", "blame", (row) => row.verdict, true, "the search lost the gold, or the model prefers the output"],
  ["position", "at", (row) => row.position, false, "where the gold was dropped or merged"],
  ["margin", "gold ahead", (row) => row.margin, true, "nats under the full model"],
  ["smallest", "smallest budget", (row) => row.smallest || null, false, "the smallest that gives the gold"],
  ["confidence", "confidence", (row, view, method) => method.confidence[row.word], true, "how sure the method was"],
];

export function makeBlame(view) {
  const box = panel("Whose fault are the mistakes?", "rv-mistakes rv-details");
  const counts = html("div", { class: "rv-blame-counts" });
  const table = html("table", {});
  const frame = html("div", { class: "rv-table rv-scroll", tabindex: "0", role: "group" }, table);
  const note = html("p", { class: "rv-more" });
  const more = html("button", { type: "button", class: "rv-button" });
  more.addEventListener("click", () => {
    shown.most += 5 * ROWS;
    layout();
  });
  box.body.append(counts, frame, more, note);
  const shown = { by: "blame", down: true, most: ROWS };

  function sortBy(key, down) {
    Object.assign(shown, shown.by === key ? { down: !shown.down } : { by: key, down });
    layout();
  }

  function layout() {
    const { verdicts } = view.payload;
    box.node.hidden = !verdicts;
    if (!verdicts) return;
    counts.replaceChildren(...view.methods.map((method, m) => countsOf(view, method, m, verdicts[m])));
    const { focus } = view.place;
    const [method, found] = [view.methods[focus], verdicts[focus]];
    setAttributes(frame, { "aria-label": `mistakes of ${method.name}` });
    const rows = found ? sortRows(view, method, found.rows.map(verdictFields), shown) : [];
    table.replaceChildren(headings(shown, sortBy), html("tbody", {}, rows.slice(0, shown.most).map(lineOf)));
    more.hidden = rows.length <= shown.most;
    setText(more, `${countText(rows.length - shown.most)} more`);
    setText(note, found ? noteOf(view, method, found) : `Judging the mistakes of ${method.name} …`);
    setAttributes(box.node, { "data-sort": shown.by, "data-judged": verdicts.filter(Boolean).length });

    function lineOf(row) {
      return rowOf(view, method, focus, row, found.most);
    }
  }

  return { node: box.node, layout, paint() {}, highlight() {} };
}

// The verdicts that came after the payload.
export function takeVerdicts(view, payload) {
  view.payload.verdicts = payload.verdicts;
  view.parts.blame.layout();
}

export function verdictFields([word, verdict, position, cause, margin, smallest]) {
  return { word, verdict, position, cause, margin, smallest };
}

export function spellOutput(view, labels) {
  return spell(
    view,
    labels.filter((y) => y >= 0),
  );
}

function sortRows(view, method, rows, { by, down }) {
  const value = COLUMNS.find(([key]) => key === by)[2];
  const of = new Map(rows.map((row) => [row, value(row, view, method)]));
  const sign = down ? -1 : 1;
  return rows.sort((a, b) => compareValues(of.get(a), of.get(b), sign) || b.margin - a.margin || a.word - b.word);
}

function compareValues(one, other, sign) {
  if (one === null || other === null) return (one === null) - (other === null);
  return one < other ? -sign : one > other ? sign : 0;
}

function headings({ by, down }, sortBy) {
  const cells = COLUMNS.map(([key, text, , first, title]) => {
    const on = by === key;
    const button = html(
      "button",
      { type: "button", class: "rv-sort", title: `${title}; click to sort`, onclick: () => sortBy(key, first) },
      text,
      html("span", { "aria-hidden": "true" }, on ? (down ? " ▼" : " ▲") : ""),
    );
    return html("th", { scope: "col", "aria-sort": on ? (down ? "descending" : "ascending") : "none" }, button);
  });
  return html("thead", {}, html("tr", {}, cells));
}

function rowOf(view, method, m, row, most) {
  const gold = view.payload.gold[row.word];
  const output = method.decoded[row.word];
  const letters = output.map((y, i) => {
    const text = view.payload.labels[y] + (needsBlanks(view) ? " " : "");
    return y === gold[i] ? text : html("span", { class: "rv-wrong" }, text);
  });
  const where = row.position === null ? "–" : String(row.position);
  const cells = [
    html("th", { scope: "row" }, stepLink(view, method, m, row, spellOutput(view, gold))),
    html("td", { class: "rv-mono" }, letters),
    html("td", { class: "rv-verdict", "data-verdict": VERDICTS[row.verdict] }, verdictText(row)),
    html("td", { title: row.cause ?? "" }, where),
    html("td", {}, row.margin === null ? "–" : (row.margin > 0 ? "+" : "") + natsText(row.margin)),
    html("td", {}, smallestText(row, most)),
    html("td", {}, ninesText(method.confidence[row.word])),
  ];
  return html("tr", { "data-number": row.word, "data-verdict": VERDICTS[row.verdict] }, cells);
}

const needsBlanks = (view) => view.payload.labels.some((label) => label.length > 1);
const verdictText = (row) => `${SIGNS[row.verdict]} ${VERDICTS[row.verdict]}`;

function smallestText({ smallest }, most) {
  if (smallest === null) return "–";
  return smallest ? countText(smallest) : `> ${most}`;
}

// The gold as a link to the step where it was dropped, else to the first step.
function stepLink(view, method, m, row, text) {
  const { payload, host } = view;
  if (!payload.links || !host.trigger) return text;
  const position = row.position ?? 1;
  const open = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // the browser opens a new tab or window
    event.preventDefault();
    host.trigger("word", { word: row.word, method: m, position });
  };
  const query = method.query.replace(/(^|&)pos=\d+/, "");
  const href = `step?${payload.links[row.word]}&${query}&pos=${position}`;
  return html("a", { href, title: "open this step", onclick: open }, text);
}

function countsOf(view, method, m, found) {
  const bars = found
    ? found.counts.map((count, k) => {
        const bar = html("span", { "data-verdict": VERDICTS[k], title: `${countText(count)} ${VERDICTS[k]}` });
        bar.style.flexGrow = count;
        bar.style.display = count ? "" : "none";
        return bar;
      })
    : [html("span", { class: "rv-waiting" })];
  const said = found
    ? VERDICTS.map((verdict, k) => `${SIGNS[k]} ${countText(found.counts[k])} ${verdict}`).join(" · ")
    : "judging …";
  return html(
    "button",
    {
      type: "button",
      class: `rv-count ${method.className}`,
      "aria-pressed": m === view.place.focus,
      onclick: () => view.move({ focus: m }),
    },
    html("span", { class: "rv-method" }, `${method.mark} ${method.name}`),
    html("span", { class: "rv-parts", "aria-hidden": "true" }, bars),
    html("span", { class: "rv-said-counts" }, said),
  );
}

function noteOf(view, method, found) {
  const { output } = termsOf(view);
  const [, model, search] = found.counts;
  if (!model && !search) return `${method.name} makes no mistakes here.`;
  return (
    `Of its ${countText(model + search)} mistakes the search lost ${countText(search)}: there the full model scores ` +
    `the gold higher than the ${output} it gave. In the other ${countText(model)} the model itself prefers the mistake.`
  );
}
