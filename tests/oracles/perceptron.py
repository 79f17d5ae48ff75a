"""The structured perceptron by enumeration, in exact rationals; imports nothing of rcmviz.

Weights, features and examples are those of ``oracles.learning``. Given the context sets ``columns`` of positions
0 … T−1, a prefix of ``cut`` labels is an example of its own over the first ``cut`` of them. The prediction is the
heaviest output, of equals the first in the order of labels.
"""

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from oracles.learning import fell_off


def score(counts, weights):
    """Σ count · weight, exactly."""
    return sum((Fraction(count) * Fraction(weights.get(name, 0)) for name, count in counts.items()), Fraction(0))


def outputs(example, columns, root=False):
    """[(labels, counts)] of all outputs that the context sets allow, in the order of labels."""
    return [
        (path.labels, example.counts(path.labels, path.contexts, root)) for path in example.machine(columns, root).paths
    ]


def gold_counts(example, columns, root=False):
    """The gold's counts along its contexts; along its full histories once it has fallen off."""
    if fell_off(example, columns, root):
        return example.counts(example.gold, [example.gold[:i] for i in range(len(example.gold))], root)
    return next(counts for labels, counts in outputs(example, columns, root) if labels == example.gold)


def predict(example, columns, weights, root=False):
    """(labels, counts) of the prediction."""
    return max(outputs(example, columns, root), key=lambda output: score(output[1], weights))  # the first of equals


def violations(example, columns, weights, root=False):
    """Yield the gap between the best score and the gold's after 1 … T labels."""
    for cut in range(1, len(example.gold) + 1):
        prefix = example.cut(cut)
        best = score(predict(prefix, columns[:cut], weights, root)[1], weights)
        yield best - score(gold_counts(prefix, columns[:cut], root), weights)


def cut_of(update, example, columns, weights, root=False):
    """How many labels an update looks at."""
    if update == "early":
        return fell_off(example, columns, root) or len(example.gold)
    if update == "max-violation":
        behind = [round(by, 9) for by in violations(example, columns, weights, root)]  # counts are sums of floats
        return max(range(len(behind)), key=lambda i: (behind[i], i)) + 1
    return len(example.gold)


@dataclass(frozen=True)
class Update:
    """The prediction of the first ``cut`` labels, its lead over the gold, and the difference of counts."""

    cut: int
    predicted: tuple
    lead: Fraction
    difference: dict
    wrong: int

    @property
    def norm(self):
        """The difference's sum of squares."""
        return sum(Fraction(count) ** 2 for count in self.difference.values())

    def step(self, mira=0):
        """One, or the passive-aggressive step: what removes the loss, at most ``mira``."""
        if not mira:
            return Fraction(1)
        return min(Fraction(mira), max(self.lead + self.wrong, Fraction(0)) / self.norm) if self.norm else Fraction(0)

    def applied(self, weights, mira=0):
        """The weights after the step."""
        moved = {name: self.step(mira) * Fraction(count) for name, count in self.difference.items()}
        return {name: Fraction(weights.get(name, 0)) + moved.get(name, 0) for name in {*weights, *moved}}


def update(rule, example, columns, weights, root=False):
    """The ``Update`` by this rule; without a difference where the prefix is predicted rightly."""
    cut = cut_of(rule, example, columns, weights, root)
    prefix = example.cut(cut)
    labels, counts = predict(prefix, columns[:cut], weights, root)
    gold = gold_counts(prefix, columns[:cut], root)
    difference = Counter({name: Fraction(count) for name, count in gold.items()})
    difference.subtract({name: Fraction(count) for name, count in counts.items()})
    if labels == prefix.gold:
        difference = Counter()
    lead = score(counts, weights) - score(gold, weights)
    wrong = sum(a != b for a, b in zip(labels, prefix.gold, strict=True))
    return Update(cut, labels, lead, {name: count for name, count in difference.items() if count}, wrong)


def exact_columns(example):
    """Every context of the last n labels."""
    return tuple(frozenset(product(example.labels, repeat=min(i, example.order))) for i in range(len(example.gold)))


def beam_columns(example, weights, budget):
    """The heaviest full histories, of equals the first in the order of labels."""
    columns = [((),)]
    for _ in range(1, len(example.gold)):
        grown = [history + (label,) for history in columns[-1] for label in example.labels]
        ranked = sorted(grown, key=lambda history: -score(_history_counts(example, history), weights))
        columns.append(sorted(ranked[:budget], key=lambda history: [example.labels.index(label) for label in history]))
    return tuple(map(frozenset, columns))


def _history_counts(example, labels):
    return example.cut(len(labels)).counts(labels, [labels[:i] for i in range(len(labels))])


def mean(vectors):
    """The mean of weights, each a dict."""
    names = {name for vector in vectors for name in vector}
    return {
        name: sum((Fraction(vector.get(name, 0)) for vector in vectors), Fraction(0)) / len(vectors) for name in names
    }


def expected(example, columns, weights, temperature, root=False):
    """Observed less expected counts where an output's probability is ∝ exp(score / temperature)."""
    found = Counter(gold_counts(example, columns, root))
    every = outputs(example, columns, root)
    scores = [score(counts, weights) for _, counts in every]
    highest = max(scores)
    shares = [math.exp((value - highest) / Fraction(temperature)) for value in scores]
    total = math.fsum(shares)
    for (_, counts), share in zip(every, shares, strict=True):
        for name, count in counts.items():
            found[name] -= share / total * count
    return dict(found)
