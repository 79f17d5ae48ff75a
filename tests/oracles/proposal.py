"""Weighted draws by enumeration: weights, their variance, samples without replacement, maxima.

Stands on the enumeration of ``chain``; imports nothing of rcmviz.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product

from oracles import chain


def full_weights(problem):
    """{output: weight in the full model}; only positive ones."""
    return {path.labels: path.weight for path in chain.every_history(problem).paths}


def probabilities(machine):
    """{output: probability in the machine's own model}; only positive ones."""
    return {path.labels: path.weight / machine.z for path in machine.paths}


@dataclass(frozen=True)
class Maxima(chain.Problem):
    """The problem with every arc at its largest over all histories that end in its context."""

    def arc(self, i, context, label):
        if len(context) >= min(i, self.order):
            return super().arc(i, context, label)
        older = product(self.labels, repeat=i - len(context))
        return max(super(Maxima, self).arc(i, before + context, label) for before in older)


def maxima_of(problem):
    """The same problem as ``Maxima``."""
    return Maxima(problem.labels, problem.order, problem.mode, problem.windows, problem.emit)


def mixture(*parts):
    """{output: mean probability} of distributions that are drawn from equally often."""
    outputs = {labels for part in parts for labels in part}
    return {
        labels: sum((part.get(labels, Fraction(0)) for part in parts), Fraction(0)) / len(parts) for labels in outputs
    }


def variance(weights, part):
    """Variance of the weight {output: weight} of one draw from ``part``."""
    mean = sum((p * weights.get(labels, 0) for labels, p in part.items()), Fraction(0))
    return sum((p * weights.get(labels, 0) ** 2 for labels, p in part.items()), Fraction(0)) - mean**2


def without_replacement(part, size):
    """{set of outputs: probability} that they are the first ``size`` different outputs that are drawn."""
    found = {}
    for order in permutations(part, size):
        chance, left = Fraction(1), Fraction(1)
        for labels in order:
            chance *= part[labels] / left
            left -= part[labels]
        found[frozenset(order)] = found.get(frozenset(order), Fraction(0)) + chance
    return found
