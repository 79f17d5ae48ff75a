// What a payload left out when it was sent, found again from the rest: derived.py says what, and how that is exact.

const LONGEST = 40; // labels of a context that are sent, as in labels.py
const KEPT = 0;
const UNITS = 1e10; // of one: logs have ten decimals
const DIGITS = 6; // of a share
const TENS = Array.from({ length: 23 }, (_, k) => Number("1e" + k)); // those that are floats

// Fills in what is missing, in its place: runs that are whole, as on a second view of the same, stay as they are.
export function fillIn({ runs }) {
  for (const run of runs.filter(({ derives }) => derives)) {
    run.columns.forEach((column, i) => fillInColumn(run, column, run.columns[i - 1]));
    delete run.derives;
  }
}

function fillInColumn(run, column, above) {
  const { sums } = column;
  const share = (mass) => less(mass, sums.whole);
  const posterior = (mass, k) => less(both(mass, sums.backward[k]), run.logZ);
  column.forward = sharesOf(sums.forward.map(share), column.forward);
  column.posterior = sharesOf(sums.forward.map(posterior), column.posterior);
  if (!column.candidates) return;
  column.candidates = whole(column.candidates, sums.whole, above);
  sums.own = ownOf(column, sums.own);
}

function whole({ label, most, mass, sums: sent, ...rest }, all, above) {
  const parents = sent.parents.map((parent) => parentOf(parent, above));
  const of = sent.parent.map((place) => parents[place]);
  const length = of.map(([[, known]]) => Math.min(known + 1, most ?? Infinity));
  const labels = of.map(([[known]], k) => [...known, label[k]].slice(-Math.min(length[k], LONGEST)));
  const emission = sent.emission && byLabel(label, sent.emission);
  const logs = of.map(([, parent], k) =>
    massOf(emission ? [parent, sent.window[k], emission[k]] : [parent, sent.window[k]], sent.mass ? sent.mass[k] : 0),
  );
  const shares = sharesOf(
    logs.map((log) => less(log, all)),
    mass,
  );
  return { labels, length, mass: shares, ...rest, sums: { ...sent, parents, emission, mass: logs } };
}

// [[labels, length, id], mass]: by its place in the column before, or as it is.
function parentOf([place, id], above) {
  if (typeof place !== "number") return [place, id];
  return [[above.labels[place], above.length[place], id], above.sums.forward[place]];
}

// A value per label, in the order in which labels come first.
function byLabel(label, values) {
  const found = new Map();
  for (const y of label) if (!found.has(y)) found.set(y, values[found.size]);
  return label.map((y) => found.get(y));
}

// The sum of its factors' logs and of what that misses, in whole numbers; in brackets it is what it is.
function massOf(factors, missed) {
  if (typeof missed !== "number") return missed[0];
  if (factors.includes(null)) return null;
  return factors.reduce((sum, log) => sum + Math.round(log * UNITS), missed) / UNITS;
}

// The mass of a context's own candidate: of candidates that were sent, then of the others.
function ownOf({ labels, candidates: { into, fate, sums } }, others) {
  const own = labels.map(() => undefined);
  into.forEach((place, k) => fate[k] === KEPT && place >= 0 && (own[place] = sums.mass[k]));
  let next = 0;
  return own.map((mass) => (mass === undefined ? others[next++] : mass));
}

const less = (log, by) => (log === null || by === null ? null : log - by);
const both = (log, other) => (log === null || other === null ? null : log + other);

// Exponentials of logs, but for those that were sent.
function sharesOf(logs, sent) {
  const shares = logs.map(shareOf);
  for (const [k, share] of sent ?? []) shares[k] = share;
  return shares;
}

// With six digits: a whole number by a power of ten is the float that is read from them, and no text is made.
function shareOf(log) {
  if (log === null) return 0;
  const share = Math.exp(log);
  const ten = TENS[DIGITS - 1 - Math.floor(Math.log10(share))];
  return ten ? Math.round(share * ten) / ten : Number(share.toPrecision(DIGITS));
}
