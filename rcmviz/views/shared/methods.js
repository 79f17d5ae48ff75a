// @ts-check
// The look of methods: colour (a class), mark and dash, the same on every page, in lessons, the quiz and saved files.
// rcmviz/plot/style.py has the same colours for figures, and a test compares them.

// Looks of series that are not methods: rules of learning, models, bounds.
/** @type {Look[]} */
const SERIES = [
  ["rv-m-series-1", "⊕", "6 2"],
  ["rv-m-series-2", "⊞", "5 3 1 3"],
  ["rv-m-series-3", "⊙", "2 2"],
  ["rv-m-series-4", "⊟", "10 3"],
];
/** @type {Record<string, Look>} */
const LOOKS = {
  rcms: ["rv-m-rcms", "●", ""],
  beam: ["rv-m-beam", "▲", "7 4"],
  exact: ["rv-m-exact", "■", "2 3"],
  repaired: ["rv-m-repaired", "◆", "9 3 2 3"],
  greedy: ["rv-m-greedy", "▼", "4 2"],
  recombining: ["rv-m-recombining", "◀", "7 2 2 2"],
  stochastic: ["rv-m-stochastic", "▶", "3 3"],
  importance: ["rv-m-importance", "✚", "1 4"],
  smc: ["rv-m-smc", "⬟", "8 2"],
  bestfirst: ["rv-m-bestfirst", "⬢", "5 2"],
  astar: ["rv-m-astar", "✦", "6 4"],
  ars: ["rv-m-ars", "◗", "3 2 1 2"],
};
// A method that occurs again: darker, with another mark.
/** @type {[className: string, marks: Record<string, string>][]} */
const AGAIN = [
  [
    "rv-second",
    { "●": "○", "▲": "△", "■": "□", "◆": "◇", "▼": "▽", "◀": "◁", "▶": "▷", "⬟": "⬠", "⬢": "⬡", "✦": "✧" },
  ],
  ["rv-third", { "●": "◉", "▲": "◬", "■": "▣", "◆": "◈" }],
];
// Variants that look like another method, as its repetitions: alignment beams that rank by the target or by both, a
// queue that does not hold all.
/** @type {Record<string, [kind: string, before: number]>} */
const ALSO = {
  "best-first": ["bestfirst", 0],
  model: ["beam", 0],
  target: ["beam", 1],
  hybrid: ["beam", 2],
  queue: ["astar", 1],
};

/** @type {(kind: string, before?: number) => Look} */
export function lookOf(kind, before = 0) {
  const [method, first] = ALSO[kind] ?? [kind, 0];
  return repeatedLook(LOOKS[method] ?? SERIES[0], first + before);
}

// The look of a method after `before` others of its kind.
/** @type {(look: Look, before: number) => Look} */
function repeatedLook([className, mark, dash], before) {
  if (!before) return [className, mark, dash];
  const [darker, marks] = AGAIN[Math.min(before, AGAIN.length) - 1];
  return [`${className} ${darker}`, marks[mark] ?? `${mark}${before + 1}`, dash];
}

/** @type {(k: number) => Look} */
export const seriesLook = (k) => SERIES[k % SERIES.length];

const worn = new WeakMap(); // run → its look, once a view has assigned it
/** @type {(run: Run) => string} */
export const methodClass = (run) => (worn.get(run) ?? lookOf(run.method))[0];
/** @type {(run: Run) => string} */
export const methodMark = (run) => (worn.get(run) ?? lookOf(run.method))[1];
/** @type {(run: Run) => string} */
export const methodDash = (run) => (worn.get(run) ?? lookOf(run.method))[2];

// Gives the runs of a view different looks, even if a method occurs twice.
/** @type {(runs: Run[]) => void} */
export function dressRuns(runs) {
  const dressed = runs.map((run) => ({ kind: run.method }));
  dressMethods(dressed).forEach(({ className, mark, dash }, r) => worn.set(runs[r], [className, mark, dash]));
}

// Gives methods the looks of their kinds, and others the looks of series, in order.
/** @type {<M extends { kind: string }>(methods: M[]) => (M & Dressed)[]} */
export function dressMethods(methods) {
  const seen = new Map();
  let series = 0;
  for (const method of methods) {
    const { kind } = method;
    const before = seen.get(kind) ?? 0;
    seen.set(kind, before + 1);
    const isMethod = kind in LOOKS || kind in ALSO;
    const [className, mark, dash] = isMethod ? lookOf(kind, before) : seriesLook(series++);
    Object.assign(method, { className, mark, dash });
  }
  return /** @type {(typeof methods[number] & Dressed)[]} */ (methods);
}

// Curves of learners: each has the look of its method, and the mark before its name.
/**
 * @type {(learners: (Run & { name: string, points: Point[] })[]) => { className: string, dash: string, points:
 *   Point[], name: string }[]}
 */
export function methodCurves(learners) {
  const dressed = dressMethods(learners.map((one) => ({ ...one, kind: one.method })));
  return dressed.map(({ className, dash, mark, name, points }) => {
    return { className, dash, points, name: `${mark} ${name}` };
  });
}

/** @type {Record<string, string>} */
const SHAPES = {
  "●": "M-6 0a6 6 0 1 0 12 0a6 6 0 1 0 -12 0z",
  "▲": "M0 -7.5L7 5.5H-7z",
  "■": "M-5.5 -5.5h11v11h-11z",
  "◆": "M0 -8L7 0L0 8L-7 0z",
  "▼": "M0 7.5L7 -5.5H-7z",
  "◀": "M-7.5 0L5.5 7V-7z",
  "▶": "M7.5 0L-5.5 7V-7z",
  "✚": "M-2.5 -7h5v4.5h4.5v5h-4.5v4.5h-5v-4.5h-4.5v-5h4.5z",
  "⬟": "M0 -7L7 -1.8L4.3 6H-4.3L-7 -1.8z",
  "⬢": "M-3.7 -6.5h7.4L7.5 0L3.7 6.5h-7.4L-7.5 0z",
  "✦": "M0 -8L2.2 -2.2L8 0L2.2 2.2L0 8L-2.2 2.2L-8 0L-2.2 -2.2z",
  "◗": "M-3 -7a7 7 0 0 1 0 14z",
};
/** @type {Record<string, string>} */
const FILLED = Object.fromEntries(
  AGAIN.flatMap(([, marks]) => Object.entries(marks).map(([mark, other]) => [other, mark])),
);

// The outline of a mark, around (0, 0).
/** @type {(mark: string) => string} */
export const markShape = (mark) => SHAPES[mark] ?? SHAPES[FILLED[mark]] ?? SHAPES["●"];
