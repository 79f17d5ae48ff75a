// The race: the score of each search's answer by expansions, minus the best possible score; and, above it, how
// much better an answer could still be, as far as A* knows. Where that line meets 0, the answer is proved.

import { setAttributes } from "../shared/dom.js";
import { dressMethods } from "../shared/methods.js";
import { makeMultiples } from "../shared/multiples.js";
import { countText } from "../shared/numbers.js";
import { scoreText } from "../shared/signed.js";
import { NARROW } from "../shared/view.js";

const SIZE = { height: 262, top: 32, bottom: 26, left: 46, right: 168, gap: 14, ticks: 4 };
const DEEPEST = 2.5; // times the height of the bound; worse answers are drawn at the edge

export function makeRace(view) {
  const { race, best, bound } = view.payload;
  const size = { ...SIZE };
  const multiples = makeMultiples(size, "the searches against the number of expansions", verdict(view.payload));
  const { node, drawing } = multiples;
  drawing.addEventListener("click", (event) => {
    const place = multiples.placeUnder(event);
    if (place !== null) view.go(Math.round(place));
  });
  const runners = race.map((one) => ({ ...one, kind: one.method }));
  dressMethods(runners);
  const end = 1.15 * Math.max(...race.map(({ points }) => points.at(-1)[0]), bound?.at(-1)[0] ?? 1);
  const relativeToBest = (points) => points.map(([n, score]) => [n, score - best.score]);
  const extendToEnd = (points) => [...points, [end, points.at(-1)[1]]];
  const curves = runners.map(({ className, dash, mark, name, points }) => {
    return { className, dash, stepped: true, points: extendToEnd(relativeToBest(points)), name: `${mark} ${name}` };
  });
  if (bound) {
    curves.push({
      className: "rv-m-bound",
      dash: "5 3",
      stepped: true,
      points: relativeToBest(bound),
      name: "could be",
    });
  }

  function layout() {
    size.right = view.width < NARROW ? 118 : SIZE.right;
    const values = curves.flatMap(({ points }) => points.map(([, value]) => value));
    const top = Math.max(...values, 0.5);
    const low = Math.max(Math.min(...values), -DEEPEST * Math.max(top, 2));
    const pad = 0.05 * (top - low);
    const chart = {
      title: "best answer so far",
      is: "best answer so far: its score below that of the best of all.",
      unit: "nats below the best of all",
      curves,
      low: low - pad,
      least: top + pad,
    };
    multiples.layout((node.clientWidth || view.width) - 18, 1, [chart], {
      domain: [1, Math.max(end, 2)],
      log: true,
      noun: "expansions",
      ticks: (scale) => [1, 10, 100, 1_000, 10_000, 100_000].filter((n) => n <= scale.domain()[1]),
      text: countText,
    });
    setAttributes(drawing, { "aria-label": spokenRace(view) });
  }

  function paint() {
    const now = view.position;
    multiples.cross(now, () =>
      curves.flatMap((curve) => {
        const reached = curve.points.findLast(([n]) => n <= now);
        return reached ? [[curve, [now, reached[1]], `${curve.name} ${scoreText(reached[1], 1)}`]] : [];
      }),
    );
  }

  return { node, drawing, layout, paint, highlight() {} };
}

function spokenRace({ payload: { race, best } }) {
  const said = race.map(({ name, points }) => {
    const [n, score] = points.at(-1);
    return `${name}: ${scoreText(score - best.score, 1)} after ${countText(Math.round(n))} expansions`;
  });
  return `Best answer so far, minus the best of all. ${said.join("; ")}.`;
}

// When each search first has the best answer, as a sentence.
function verdict({ race, best, runs }) {
  const firstBest = ({ points }) => points.find(([, score]) => best.score - score < 1e-6)?.[0];
  const proof = runs.find((run) => run.proof !== null);
  const others = race.filter(({ method }) => method !== "astar");
  const named = (one) => `${one.name} with ${countText(firstBest(one))}`;
  const [found, never] = [others.filter(firstBest), others.filter((one) => !firstBest(one))];
  const said = [
    proof ? `${proof.name} proves the best answer with ${countText(proof.proof)} expansions.` : "Nothing is proved.",
    found.length ? `It is found by ${found.map(named).join(", ")}` : "",
    never.length ? `${found.length ? "; not" : "It is not found"} by ${never.map(({ name }) => name).join(", ")}` : "",
  ];
  return `${said[0]} ${said[1]}${said[2]}.`;
}
