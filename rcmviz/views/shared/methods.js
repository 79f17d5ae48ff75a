// How a method looks: its colour (a class), its mark, its dash. What has no look of its own has that of the others.

const LOOKS = [
  ["rv-m-rcms", "●", ""],
  ["rv-m-beam", "▲", "7 4"],
  ["rv-m-exact", "■", "2 3"],
  ["rv-m-other", "◆", "9 3 2 3"],
  ["rv-m-fifth", "✚", "1 4"],
];
const OTHER = 3;
const LOOK_OF = { rcms: 0, beam: 1, model: 1, exact: 2, forced: 2, hybrid: OTHER, target: 4 };

export const lookOf = (kind) => LOOKS[LOOK_OF[kind] ?? OTHER];
const worn = new WeakMap(); // run → its look, where a view has dressed its runs
export const methodClass = (run) => (worn.get(run) ?? lookOf(run.method))[0];
export const methodMark = (run) => (worn.get(run) ?? lookOf(run.method))[1];

// Runs of one view look different, also where a method comes twice.
export function dressRuns(runs) {
  const dressed = runs.map((run) => ({ kind: run.method }));
  dressMethods(dressed);
  dressed.forEach(({ className, mark, dash }, r) => worn.set(runs[r], [className, mark, dash]));
}

// Colour and mark follow the kind of method; a second one of a kind takes what is left over.
export function dressMethods(methods) {
  const free = [3, 2, 1, 0, 4];
  const take = (slot) => free.splice(free.indexOf(slot), 1)[0];
  const chosen = methods.map((method) => (free.includes(LOOK_OF[method.kind]) ? take(LOOK_OF[method.kind]) : null));
  methods.forEach((method, m) => {
    [method.className, method.mark, method.dash] = LOOKS[chosen[m] ?? take(free[0])];
  });
}

// Curves of learners, as lines are drawn: each has the look of its method, and its mark before its name.
export function methodCurves(learners) {
  const dressed = learners.map((one) => ({ ...one, kind: one.method }));
  dressMethods(dressed);
  return dressed.map(({ className, dash, mark, name, points }) => {
    return { className, dash, points, name: `${mark} ${name}` };
  });
}

export const MARK_SHAPES = {
  "●": "M-6 0a6 6 0 1 0 12 0a6 6 0 1 0 -12 0z",
  "▲": "M0 -7.5L7 5.5H-7z",
  "■": "M-5.5 -5.5h11v11h-11z",
  "◆": "M0 -8L7 0L0 8L-7 0z",
};
