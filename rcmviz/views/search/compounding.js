// Compounding errors: the share of wrong labels by the number of earlier errors, and the accuracy after each iteration.

import { setAttributes } from "../shared/dom.js";
import { methodCurves } from "../shared/methods.js";
import { makeMultiples } from "../shared/multiples.js";
import { countText, percentText } from "../shared/numbers.js";

const SIZE = { height: 236, top: 32, bottom: 26, left: 50, right: 168, gap: 14, ticks: 4 };

export function makeCompounding(view) {
  const { compounding, earlier } = view.payload;
  const multiples = makeMultiples(SIZE, "errors by the number of earlier errors");
  const { node, drawing } = multiples;
  const curves = methodCurves(compounding).map((curve) => {
    const seen = curve.points.filter(([, , total]) => total > 0);
    return { ...curve, points: seen.map(([k, wrong, total]) => [k, wrong / total]) };
  });
  const last = Math.max(...curves.map(({ points }) => points.at(-1)[0]), 1);

  function layout() {
    const chart = {
      title: `${view.payload.noun}s wrong, by earlier errors`,
      is: `${view.payload.noun}s wrong: share of wrong ones, by the number of errors before them.`,
      unit: "",
      curves,
      share: true,
      low: 0,
      least: 0.1,
    };
    multiples.layout((node.clientWidth || view.width) - 18, 1, [chart], {
      domain: [0, last],
      noun: "earlier errors",
      ticks: () => Array.from({ length: last + 1 }, (_, k) => k),
      text: (k) => (k === earlier ? `${k}+` : countText(k)),
    });
    const said = curves.map(
      ({ name, points }) => `${name}: ${points.map(([k, p]) => `${k}: ${percentText(p)}`).join(", ")}`,
    );
    setAttributes(drawing, { "aria-label": `Share of wrong labels by earlier errors. ${said.join("; ")}` });
  }

  const paint = () =>
    multiples.cross(last, () =>
      curves.map((curve) => [curve, curve.points.at(-1), `${curve.name} ${percentText(curve.points.at(-1)[1])}`]),
    );
  return { node, drawing, layout, paint, highlight() {} };
}

export function makeProgress(view) {
  const { progress } = view.payload;
  const multiples = makeMultiples(SIZE, "labels right after each iteration");
  const { node, drawing } = multiples;
  const curves = methodCurves(progress);
  const last = Math.max(...curves.map(({ points }) => points.at(-1)[0]), 1);
  drawing.addEventListener("click", (event) => {
    const place = multiples.placeUnder(event);
    if (place !== null)
      view.put({
        iteration: Math.min(view.payload.iterations.length - 1, Math.max(0, Math.round(place) - 1)),
        action: null,
      });
  });

  function layout() {
    const is = `${view.payload.noun}s right: their share in held-out sequences, by each iteration's policies.`;
    const chart = { title: `${view.payload.noun}s right, held out`, unit: "", is, curves, share: true };
    multiples.layout((node.clientWidth || view.width) - 18, 1, [chart], {
      domain: [1, Math.max(2, last)],
      noun: "iterations",
      ticks: () => Array.from({ length: last }, (_, k) => k + 1),
      text: countText,
    });
    setAttributes(drawing, {
      "aria-label": curves.map(({ name, points }) => `${name} ${percentText(points.at(-1)[1])}`).join("; "),
    });
  }

  function paint() {
    const now = Math.min(last, view.iteration + 1);
    multiples.cross(now, () =>
      curves.flatMap((curve) => {
        const reached = curve.points.findLast(([k]) => k <= now);
        return reached ? [[curve, [now, reached[1]], `${curve.name} ${percentText(reached[1])}`]] : [];
      }),
    );
  }

  return { node, drawing, layout, paint, highlight() {} };
}
