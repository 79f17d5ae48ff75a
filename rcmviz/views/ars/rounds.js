// Queries of a trace: a round's path through q at that time, the states of q, the sequences found so far.
// Rounds, columns and states count from 0 here; on the screen rounds count from 1.

export function readTrace(payload) {
  const { T, names, sequences, rounds, states } = payload;
  const key = (origin, word) => origin * names.length + word;
  const root = Array.from({ length: T + 1 }, (_, column) =>
    states.column.findIndex((other, s) => other === column && !states.length[s]),
  );
  const children = new Map(states.origin.map((origin, s) => [key(origin, states.word[s]), s]));
  const made = new Map();
  states.born.forEach((r, s) => {
    if (r >= 0) made.set(r, [...(made.get(r) || []), s]);
  });
  const memory = {
    R: rounds.logQ.length,
    root,
    words: (r) => sequences.words[sequences.of[r]],
    truth: (r) => sequences.logProb[sequences.of[r]],
    logP: (r) => sequences.logP[sequences.of[r]],
    // A batch is drawn from one q: states added by its rejections exist from the next batch on.
    isThere: (s, r) => states.born[s] < 0 || rounds.batch[states.born[s]] < rounds.batch[r],
    madeBy: (r) => made.get(r) || [],
  };
  memory.walk = remembering((r) => walk(memory, (origin, word) => children.get(key(origin, word)), T, r));
  memory.remembered = remembering((s) => rememberedWords(states, s));
  memory.slacks = remembering((r) => rounds.bound[r].map((bound, i) => slackOf(bound, memory.truth(r)[i])));
  return Object.assign(memory, foundOf(payload), countsOf(payload));
}

export function remembering(compute) {
  const known = new Map();
  return (at) => {
    if (!known.has(at)) known.set(at, compute(at));
    return known.get(at);
  };
}

// Per column the states that are suffixes of the history, the shortest first, with those that this round adds. The
// round's path goes through the longest of the earlier ones.
function walk(memory, child, T, r) {
  const words = memory.words(r);
  const ends = [[memory.root[0]]];
  for (let i = 0; i < T; i += 1) {
    const longer = ends[i]
      .map((s) => child(s, words[i]))
      .filter((s) => s !== undefined && (memory.isThere(s, r) || memory.madeBy(r).includes(s)));
    ends.push([memory.root[i + 1], ...longer]);
  }
  return { ends, path: ends.map((chain) => chain.findLast((s) => memory.isThere(s, r))) };
}

function rememberedWords(states, s) {
  const words = [];
  for (let at = s; states.length[at] > 0; at = states.origin[at]) words.unshift(states.word[at]);
  return words;
}

// How far a bound lies above the exact value, in nats; infinite for impossible words.
function slackOf(bound, truth) {
  if (truth === null) return bound === null ? 0 : Infinity;
  return Math.abs(bound - truth) < 2e-4 ? 0 : bound - truth; // numbers are sent to a ten thousandth
}

// The sequences by their probability, when each was found and drawn, and the best one up to each round.
function foundOf({ sequences, rounds, mode }) {
  const ranked = sequences.logP
    .map((_, k) => k)
    .filter((k) => sequences.logP[k] !== null)
    .sort((a, b) => sequences.logP[b] - sequences.logP[a]);
  const drawn = sequences.words.map(() => []);
  sequences.of.forEach((k, r) => {
    if (rounds.accepted[r] && mode === "sample") drawn[k].push(r);
  });
  const best = [];
  sequences.of.forEach((k, r) => {
    const before = r ? best[r - 1] : -1;
    const better = sequences.logP[k] !== null && (before < 0 || sequences.logP[k] > sequences.logP[before]);
    best.push(better ? k : before);
  });
  return { ranked, drawn, best: (r) => best[r], draws: (k, r) => countUpTo(drawn[k], r) };
}

function countUpTo(sorted, r) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= r) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Acceptance so far and over the last hundred, and its estimate of Z: a trial of q is accepted with probability Z /
// Z_q.
function countsOf({ rounds }) {
  const accepted = [0];
  rounds.accepted.forEach((yes, r) => accepted.push(accepted[r] + yes));
  const share = (from, to) => (accepted[to] - accepted[from]) / (to - from);
  let chances = -Infinity;
  const logChances = rounds.upper.map((mass) => (chances = logAdd(chances, -mass)));
  return {
    accepted: (r) => accepted[r + 1],
    acceptance: (r) => share(0, r + 1),
    acceptance100: (r) => share(Math.max(0, r - 99), r + 1),
    estimate: (r) => (accepted[r + 1] ? Math.log(accepted[r + 1]) - logChances[r] : null),
  };
}

function logAdd(a, b) {
  const [low, high] = a < b ? [a, b] : [b, a];
  return low === -Infinity ? high : high + Math.log1p(Math.exp(low - high));
}

// Per position the words of the draws so far with their shares, the most frequent first.
export function marginals(view) {
  const {
    memory,
    payload: { T, sequences },
    now,
  } = view;
  const total = memory.accepted(now);
  const counts = Array.from({ length: T }, () => new Map());
  memory.ranked.forEach((k) => {
    const count = memory.draws(k, now);
    if (count) sequences.words[k].forEach((word, i) => counts[i].set(word, (counts[i].get(word) || 0) + count));
  });
  return counts.map((words) => [...words].map(([word, count]) => [word, count / total]).sort((a, b) => b[1] - a[1]));
}
