// A search at one of its pops: its queue, additions and losses.
//
// A run has `pops`, the node that each took, and columns `nodes` of {parent, label, score, rest, born, gone, fate,
// complete, made}: born and gone are the numbers of pops, gone −1 where the search ended before; made is how many
// extensions a node had, of which the payload may leave out those never shown.

export const runOf = (view) => view.payload.runs[view.run];
export const scoreOf = ({ nodes }, node) => nodes.score[node] + nodes.rest[node];

const inQueue = ({ born, gone }, n, pop) => born[n] <= pop && (gone[n] < 0 || gone[n] > pop);
const hypothesesWhere = ({ nodes }, holds) => nodes.born.map((_, n) => n).filter(holds);
const sortByScore = (run, found) => found.sort((a, b) => scoreOf(run, b) - scoreOf(run, a) || a - b);

// The queue at a pop, the best first, the older of equal ones first.
export const queueAt = (run, pop) =>
  sortByScore(
    run,
    hypothesesWhere(run, (n) => inQueue(run.nodes, n, pop)),
  );

// The hypotheses that fell off at a pop, the best first.
export function lostAt(run, pop) {
  const { gone, fate } = run.nodes;
  return sortByScore(
    run,
    hypothesesWhere(run, (n) => gone[n] === pop && fate[n] === "dropped"),
  );
}

// A node's state at a pop: "later", "queued", or its fate.
export function fateAt({ nodes }, n, pop) {
  if (nodes.born[n] > pop) return "later";
  return inQueue(nodes, n, pop) ? "queued" : nodes.fate[n];
}

// The path from the start to a node, without the start.
export function pathTo({ nodes }, node) {
  const path = [];
  for (let n = node; n > 0; n = nodes.parent[n]) path.unshift(n);
  return path;
}

// The nodes along these labels, as far as the search has made them.
export function wayOf({ nodes }, labels) {
  const way = [];
  for (const label of labels) {
    const above = way.at(-1) ?? 0;
    const next = nodes.parent.findIndex((parent, n) => n > 0 && parent === above && nodes.label[n] === label);
    if (next < 0) break;
    way.push(next);
  }
  return way;
}

export const spellLabels = ({ payload }, labels) => labels.map((label) => payload.labels[label]).join(payload.glue);

export function nameOf(view, node) {
  const run = runOf(view);
  const labels = pathTo(run, node).map((n) => run.nodes.label[n]);
  return labels.length ? spellLabels(view, labels) : "the start";
}

// The best complete output that was taken by a pop, {pop, labels, score}, or null.
export function answerBy(run, pop) {
  const taken = run.answers.filter((one) => one.pop <= pop);
  return taken.length ? taken.reduce((best, one) => (one.score > best.score ? one : best)) : null;
}
