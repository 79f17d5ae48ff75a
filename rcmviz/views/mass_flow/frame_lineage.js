// Whose mass is it, where a position is a frame of CTC? A context holds alignments that end in a blank and such that
// end in its last label; they go different ways, so the followed mass may be another share of each.

const [BLANK, LABEL] = [0, 1];
const FROM = [BLANK, LABEL, LABEL, BLANK]; // of a part's `flow`, as rcmviz/ctc_decoding/frame_mass.py numbers them
const TO = [BLANK, BLANK, LABEL, LABEL];

/**
 * Follows a context, by its name after `at` frames, through a run; gives what `lineage` gives.
 * @param {any} run
 * @param {{name: string, at: number}} followed
 */
export function frameLineage(run, { name, at }) {
  const contexts = run.columns.map((column) => column.map(() => 0));
  const ends = run.columns.map((column) => column.map(() => [0, 0])); // the shares of what ends in a blank, a label
  const { length } = run.steps;
  const isBar = at < length && run.columns[at].some((bar) => bar.name === name);

  function share(i, part) {
    if (i < at) return 0;
    if (i === at) return Number(isBar ? run.columns[at][part.into]?.name === name : part.one?.name === name);
    if (part.flow === null) return contexts[i - 1][part.origin] ?? meanOf(i - 1, (bar, k) => contexts[i - 1][k]);
    const kind = FROM[part.flow];
    return ends[i - 1][part.origin]?.[kind] ?? meanOf(i - 1, (bar, k) => ends[i - 1][k][kind]);
  }

  function meanOf(i, value) {
    const mass = run.columns[i].reduce((total, bar) => total + bar.mass, 0);
    return mass > 0 ? run.columns[i].reduce((total, bar, k) => total + bar.mass * value(bar, k), 0) / mass : 0;
  }

  run.steps.forEach(({ parts }, k) => {
    const i = k + 1;
    const all = run.columns[i].map(() => [0, 0]);
    const drawn = run.columns[i].map(() => [0, 0]); // followed mass and mass as they are drawn
    for (const part of parts.filter(({ into }) => into >= 0)) {
      const found = share(i, part);
      drawn[part.into][0] += found * part.mass;
      drawn[part.into][1] += part.mass;
      if (part.flow === null) continue;
      ends[i][part.into][TO[part.flow]] += found * part.proposed;
      all[part.into][TO[part.flow]] += part.proposed;
    }
    ends[i] = ends[i].map((two, bar) => two.map((mass, kind) => (all[bar][kind] > 0 ? mass / all[bar][kind] : 0)));
    contexts[i] = drawn.map(([mine, mass]) => (mass > 0 ? mine / mass : 0));
  });
  const last = run.steps[length - 1].parts.filter(({ into }) => into >= 0);
  const end = last.reduce((mass, part) => mass + share(length, part) * part.mass, 0);
  return { name, at, labels: [], isWhole: false, contexts, share, end };
}
