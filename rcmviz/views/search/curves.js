// Share of right labels on held-out words while each rule learns, compared with the CRF.

import { setAttributes } from "../shared/dom.js";
import { methodCurves } from "../shared/methods.js";
import { makeMultiples } from "../shared/multiples.js";
import { countText, percentText } from "../shared/numbers.js";
import { ticksOf } from "../shared/chart.js";

const HELP = "letters right: their share in held-out words, by averaged weights.";
const SIZE = { height: 250, top: 32, bottom: 26, left: 50, right: 178, gap: 14, ticks: 4 };

export function makeCurves(view) {
  const { payload } = view;
  const multiples = makeMultiples(SIZE, "accuracy while they learn", payload.note);
  const { node, drawing } = multiples;
  const curves = methodCurves(payload.curves);

  function layout() {
    const chart = { title: "letters right, held out", unit: "", is: HELP, curves, share: true };
    const ends = curves.map(({ points }) => points.at(-1)[0]);
    multiples.layout((node.clientWidth || view.width) - 18, 1, [chart], {
      domain: [0, Math.max(...ends)],
      noun: "words seen",
      ticks: (scale, width) => ticksOf(scale, Math.max(2, Math.min(6, width / 64))),
      text: countText,
    });
    setAttributes(drawing, {
      "aria-label": curves.map(({ name, points }) => `${name}: ${percentText(points.at(-1)[1])}`).join("; "),
    });
  }

  function paint() {
    const now = view.update().seen;
    multiples.cross(now, () =>
      curves.map((curve) => [curve, curve.points.at(-1), `${curve.name} ${percentText(curve.points.at(-1)[1])}`]),
    );
  }

  return { node, drawing, layout, paint, highlight() {} };
}
