// Every number of the picture at its position, as tables: one key away, and for those who do not see the picture.

import { html, setAttributes } from "../shared/dom.js";
import { methodClass } from "../shared/methods.js";
import { countText } from "../shared/numbers.js";
import { shareText } from "./bar_names.js";
import { sumOf } from "./geometry.js";
import { fullName } from "./model.js";

export function makeNumbers(view) {
  const node = html("section", { class: "rv-flow-numbers", hidden: true, "aria-label": "numbers of the picture" });

  function paint() {
    if (node.hidden) return;
    const { i } = view.where();
    if (node.dataset.shown === `${i}`) return;
    node.dataset.shown = `${i}`;
    node.replaceChildren(...view.runs.map((run) => tableOf(view, run, i)));
  }

  function toggle() {
    node.hidden = !node.hidden;
    delete node.dataset.shown;
    paint();
    if (!node.hidden) node.scrollIntoView({ block: "nearest" });
  }

  function layout() {
    delete node.dataset.shown;
    paint();
  }

  return { node, layout, paint, toggle };
}

export const headingOf = ({ isEnd }) => {
  return ["candidate", "rank", isEnd ? "share in the end" : "share of all mass", "fate", "goes to"];
};

export function rowsOf(view, run, i) {
  const step = run.steps[i - 1];
  const target = (part) => {
    if (part.into < 0) return "lost";
    const bar = run.columns[i][part.into];
    return bar.isOthers ? (bar.isOutput ? "other outputs" : "other contexts") : fullName(view, bar, i);
  };
  const fate = (part) => (part.kept ? "kept" : part.into < 0 ? "dropped" : "merged");
  const groups = new Map(); // what has one name, fate and destination
  for (const part of [...step.parts].sort((a, b) => Number(!a.one) - Number(!b.one))) {
    const key = `${part.one?.rank},${fate(part)},${target(part)}`;
    groups.set(key, [...(groups.get(key) ?? []), part]);
  }
  return [...groups.values()].map((parts) => {
    const [{ one }] = parts;
    const name = one ? fullName(view, one, i) : `${countText(sumOf(parts, (part) => part.count))} more`;
    const mass = shareText(sumOf(parts, (part) => part.mass));
    return [name, one?.rank ?? "", mass, fate(parts[0]), target(parts[0])];
  });
}

function tableOf(view, run, i) {
  const { unit, T } = view.payload;
  const step = run.steps[i - 1];
  const [left, lost] = [shareText(1 - step.lostBefore), shareText(step.lostAfter)];
  const sums = run.isEnd ? `${left} of all mass reaches the end` : `${left} of the mass before, ${lost} lost after`;
  const caption = `${run.name}, ${unit} ${i} of ${T}: ${sums}`;
  const head = html(
    "tr",
    {},
    headingOf(view).map((text) => html("th", { scope: "col" }, text)),
  );
  const body = rowsOf(view, run, i).map((cells) =>
    html(
      "tr",
      {},
      cells.map((cell) => html("td", {}, String(cell))),
    ),
  );
  const table = html(
    "table",
    { class: methodClass(run) },
    html("caption", {}, caption),
    html("thead", {}, head),
    html("tbody", {}, body),
  );
  return setAttributes(html("div", { class: "rv-flow-numbers-frame" }, table), {
    tabindex: "0",
    role: "region",
    "aria-label": `numbers of ${run.name}`,
  });
}
