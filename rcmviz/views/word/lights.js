// Highlights the part of the picture that the term of a sum represents, and in "show code" its line.

import { toggle } from "../shared/dom.js";
import { pointedTerm, shownSum } from "./arithmetic.js";

const LIT = "rv-lit";

export function makeLights(view) {
  let lit = [];

  function highlight() {
    const term = pointedTerm(view);
    const wanted = term ? new Set(standingFor(view, shownSum(view).run, term)) : new Set();
    for (const node of lit) if (!wanted.has(node)) toggle(node, LIT, false);
    for (const node of wanted) toggle(node, LIT, true);
    const news = view.term ? [...wanted].filter((node) => node.matches(".rv-candidate") && !lit.includes(node)) : [];
    if (news.length) bringIntoSight(news[0]);
    lit = [...wanted];
  }

  return { layout() {}, paint: highlight, highlight };
}

// Within its list; the page stays where it is.
function bringIntoSight(node) {
  const frame = node.closest(".rv-scroll");
  const [row, seen] = [node.getBoundingClientRect(), frame.getBoundingClientRect()];
  if (row.top < seen.top) frame.scrollTop -= seen.top - row.top;
  else if (row.bottom > seen.bottom) frame.scrollTop += row.bottom - seen.bottom;
}

function standingFor(view, r, { key, light }) {
  const queryAll = (selector) => [...view.root.querySelectorAll(selector)];
  const findNamed = (names, kind) =>
    (names || []).flatMap((name) => queryAll(`${kind}[data-run="${r}"][data-name="${CSS.escape(name)}"]`));
  const cells = (light.cells || []).flatMap((i) => queryAll(`.rv-cell[data-cell="${i}"]`));
  const readout = light.readout ? queryAll(`[data-readout="${light.readout}"]`) : [];
  const { rows, candidates } = light;
  return [
    ...findNamed(rows, ".rv-tree .rv-row"),
    ...findNamed(candidates, ".rv-candidate"),
    ...cells,
    ...readout,
    ...queryAll(`.rv-code [data-term="${key}"]`),
  ];
}
