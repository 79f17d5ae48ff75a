"""Training on one example by enumeration: log-likelihood and gradient; imports nothing of rcmviz.

A weight is named by what fires it: ``("window", window)``, ``("emission", feature, label)`` with the feature ``BIAS``
that every position has, ``ROOT`` for entering the root. The ``counts`` of an output say how often each fires along its
path of contexts; its log score is Σ count · weight. With the context sets held fixed this is a log-linear model over
the outputs of an ``oracle.Machine``, and the gradient of log p(gold) is observed − expected counts.
"""

import math
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction

from oracles.chain import Machine, Problem

BIAS, ROOT = "bias", ("root",)


@dataclass(frozen=True)
class Example:
    """One labelled sequence: ``features`` T dicts {number: value}, ``gold`` T of the ``labels``."""

    labels: tuple
    order: int
    mode: str
    features: tuple
    gold: tuple

    @property
    def problem(self):
        """The problem in which every output weighs 1: its paths are all that is asked of it."""
        ones = ((Fraction(1),) * len(self.labels),) * len(self.gold)
        return Problem(self.labels, self.order, self.mode, {}, ones)

    def machine(self, columns, root=False):
        """The outputs and their contexts through the sets ``columns``; ``root``: entering the root has a weight."""
        return Machine(self.problem, tuple(columns), Fraction(1) if root else None)

    def cut(self, length):
        """Return the first ``length`` positions of the example."""
        return replace(self, features=self.features[:length], gold=self.gold[:length])

    def counts(self, output, contexts, root=False):
        """{weight: how often it fires} for the labels ``output`` after these ``contexts``."""
        found = Counter()
        for i, label in enumerate(output):
            found.update(("window", prefix + (label,)) for prefix in self.problem.fired(i, contexts[i]))
            for feature, value in present(self.features[i]):
                found["emission", feature, label] += value
            if root and i > 0 and contexts[i] == ():
                found[ROOT] += 1
        return found


def present(row):
    """The features of a position and their values, the bias among them."""
    return [*row.items(), (BIAS, 1.0)]


def fell_off(example, columns, root=False):
    """After how many labels the gold has no context any more; None where it always has one."""
    machine, context = example.machine(columns, root), ()
    for i, label in enumerate(example.gold):
        context = machine.follow(i, context, label)
        if context is None:
            return i + 1
    return None


def score(counts, weights):
    """Σ count · weight; weights that are missing are 0."""
    return math.fsum(count * weights.get(name, 0.0) for name, count in counts.items())


def log_sum(values):
    """log Σ exp."""
    highest = max(values)
    return highest + math.log(math.fsum(math.exp(value - highest) for value in values))


@dataclass(frozen=True)
class Objective:
    """log p of ``gold`` among ``outputs`` (all of them counts), less ½ l2 θ² of each weight in ``penalised``."""

    gold: dict
    outputs: tuple
    penalised: frozenset
    l2: float = 0.0

    def log_likelihood(self, weights):
        """Gold score − log Σ exp of the outputs' scores."""
        return score(self.gold, weights) - log_sum([score(counts, weights) for counts in self.outputs])

    def value(self, weights):
        """Return the objective of a step: log-likelihood minus penalty."""
        squares = math.fsum(weights.get(name, 0.0) ** 2 for name in self.penalised)
        return self.log_likelihood(weights) - 0.5 * self.l2 * squares

    def gradient(self, weights):
        """{weight: observed − expected count − l2 · weight}."""
        found = Counter(self.gold)
        scores = [score(counts, weights) for counts in self.outputs]
        log_z = log_sum(scores)
        for counts, log_score in zip(self.outputs, scores, strict=True):
            share = math.exp(log_score - log_z)
            for name, count in counts.items():
                found[name] -= share * count
        for name in self.penalised if self.l2 else ():
            found[name] -= self.l2 * weights.get(name, 0.0)
        return dict(found)


def objective(example, columns, lost_gold="numerator", root=False, l2=0.0):
    """Return the objective of one step, given the context sets ``columns`` of positions 0 … T−1; None: no step.

    Where the gold has fallen off it is scored by its full history, and ``lost_gold`` says how: in the ``numerator``
    only; in ``both``, as one more output; ``early``, the example ends where it fell off; ``skip``, not at all.
    """
    fallen = fell_off(example, columns, root)
    if fallen and lost_gold == "skip":
        return None
    if fallen and lost_gold == "early":
        return objective(example.cut(fallen), columns[:fallen], root=root, l2=l2)
    machine = example.machine(columns, root)
    contexts = tuple(example.gold[:i] for i in range(len(example.gold)))
    if not fallen:
        contexts = next(path.contexts[:-1] for path in machine.paths if path.labels == example.gold)
    gold = example.counts(example.gold, contexts, root)
    outputs = [example.counts(path.labels, path.contexts, root) for path in machine.paths]
    outputs += [gold] * bool(fallen and lost_gold == "both")
    penalised = touched(example, columns, contexts) | ({ROOT} if root else set())
    return Objective(gold, tuple(outputs), penalised, l2)


def touched(example, columns, gold_contexts):
    """The weights of an example's rows: all labels after its contexts, those of the gold too, and its features."""
    prefixes = {
        prefix
        for i, (column, gold) in enumerate(zip(columns, gold_contexts, strict=True))
        for context in {*column, gold}
        for prefix in example.problem.fired(i, context)
    }
    features = {feature for row in example.features for feature, _ in present(row)}
    windows = {("window", prefix + (label,)) for prefix in prefixes for label in example.labels}
    return frozenset(windows | {("emission", feature, label) for feature in features for label in example.labels})


def difference(function, weights, direction, step=1e-5):
    """Central finite difference of ``function(weights)`` along ``direction`` {weight: how far}."""

    def moved(by):
        return {name: weights.get(name, 0.0) + by * direction.get(name, 0.0) for name in {*weights, *direction}}

    return (function(moved(step)) - function(moved(-step))) / (2 * step)
