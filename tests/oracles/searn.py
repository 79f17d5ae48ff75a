"""Learning to search by its definitions, in plain Python: every roll-out runs to its end, nothing is shared.

Labels are numbers. A policy is a ``Policy`` of weights; ``None`` is the oracle, which takes the right label.
"""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Policy:
    """``emission[i][y]`` at position i · ``windows`` {(suffix, begins, y): weight}, of all suffixes up to ``order``."""

    width: int
    order: int
    emission: tuple
    windows: dict

    def score(self, i, past, y):
        """The sum of what fires: the last 0 … n labels; and, less than n after the begin, all of them from there on."""
        known = tuple(past[max(0, i - self.order) : i])
        total = self.emission[i][y] + sum(
            self.windows.get((known[len(known) - k :], False, y), 0) for k in range(len(known) + 1)
        )
        return total + (self.windows.get((known, True, y), 0) if i < self.order else 0)

    def action(self, i, past):
        """The best label, the lowest of equal ones."""
        scores = [self.score(i, past, y) for y in range(self.width)]
        return scores.index(max(scores))


def run(acting, gold, prefix=()):
    """Return the output that begins with ``prefix`` and continues by each position's policy."""
    output = list(prefix)
    for i in range(len(prefix), len(gold)):
        output.append(gold[i] if acting[i] is None else acting[i].action(i, output))
    return tuple(output)


def completed(inside, outside_at, gold, width):
    """(roll-in, {(i, a): output}): at position i the policies ``outside_at[i]`` roll out, from i + 1 on."""
    labels = run(inside, gold)
    return labels, {(i, a): run(outside_at[i], gold, (*labels[:i], a)) for i in range(len(gold)) for a in range(width)}


def hamming(truth, output, names):
    """How many labels are wrong."""
    return sum(a != b for a, b in zip(truth, output, strict=True))


def zero_one(truth, output, names):
    """0 where all labels are right, else 1."""
    return int(tuple(truth) != tuple(output))


def chunks(labels, names):
    """{(begin, end, type)} of B-, I-, O labels; a label of another form is inside a chunk of its name."""
    found, begin, kind = set(), None, None
    for i, name in enumerate([*(names[y] for y in labels), "O"]):
        prefix, _, rest = name.partition("-")
        tagged = prefix in ("B", "I") and rest != ""
        here = None if name == "O" else rest if tagged else name
        if begin is not None and (here != kind or (tagged and prefix == "B")):
            found.add((begin, i, kind))
            begin = None
        if here is not None and begin is None:
            begin, kind = i, here
    return found


def one_less_f1(truth, output, names):
    """Return 1 − F1 of chunks as a fraction; 0 without chunks."""
    right, found = chunks(truth, names), chunks(output, names)
    return 1 - Fraction(2 * len(right & found), len(right) + len(found)) if right or found else Fraction(0)


def edits(truth, output, names):
    """Return Levenshtein's distance, by recursion on the last symbols."""
    if not truth or not output:
        return len(truth) + len(output)
    shorter = edits(truth[:-1], output[:-1], names) + (truth[-1] != output[-1])
    return min(shorter, edits(truth[:-1], output, names) + 1, edits(truth, output[:-1], names) + 1)


LOSSES = {"hamming": hamming, "zero-one": zero_one, "chunks": one_less_f1, "edit": edits}


def pair_value(costs, a):
    """v_a of weighted all pairs: ∫ dt / N(t) from the least cost to that of a, piece by piece."""
    ends = sorted({cost for cost in costs if cost <= costs[a]})
    pieces = zip(ends, ends[1:], strict=False)
    return sum((Fraction(right - left) / sum(cost <= left for cost in costs) for left, right in pieces), Fraction(0))


def classification_loss(reduction, scores, costs):
    """Return a linear classifier's loss for one example."""
    regret = [cost - min(costs) for cost in costs]
    actions = range(len(costs))
    if reduction == "margin":
        best = max(scores[a] for a in actions if regret[a] == 0)
        return max(regret[a] * max(0.0, 1 + scores[a] - best) for a in actions)
    if reduction == "regression":
        return sum((scores[a] + regret[a]) ** 2 / 2 for a in actions)
    values = [float(pair_value(costs, a)) for a in actions]
    return sum(
        (values[b] - values[a]) * max(0.0, 1 - scores[a] + scores[b]) ** 2 / 2
        for a in actions
        for b in actions
        if values[b] > values[a]
    )


def mixture(beta, iterations):
    """Weights of the oracle and of each classifier after all iterations of π ← (1 − β) π + β f."""
    return [(1 - beta) ** iterations] + [beta * (1 - beta) ** (iterations - k) for k in range(1, iterations + 1)]


def vote(policies, weights, T, width):
    """The output by a vote at every position, the lowest of equal labels."""
    output = []
    for i in range(T):
        votes = [Fraction(0)] * width
        for policy, weight in zip(policies, weights, strict=True):
            votes[policy.action(i, output)] += weight
        output.append(votes.index(max(votes)))
    return tuple(output)
