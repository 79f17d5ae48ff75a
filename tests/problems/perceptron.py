"""Random small perceptrons for hypothesis: weights and features that are exact in binary, so that scores tie often."""

import random
from dataclasses import dataclass

from hypothesis import strategies as st

import rcmviz as rv
from oracles import learning, perceptron
from problems.chain import NAMES
from problems.learning import Case, columns_of
from rcmviz.core.methods import TRAINABLE

VALUES = (0, 0, 1, -1, 1, -1, 0.5, 2, -0.25)
SEARCHES = ("exact", "greedy", "beam")  # whose contexts the oracle finds by itself


def updates_of(method):
    """The rules that a method can have."""
    return [rule for rule in ("standard", "early", "max-violation") if rule != "early" or TRAINABLE[method].drops]


@dataclass(frozen=True)
class Course:
    """Examples of the same labels, order and number of features, and how a perceptron is trained on them."""

    examples: tuple
    F: int
    settings: rv.Training

    def columns(self, example, weights):
        """The contexts of an example, by the oracle."""
        if self.settings.method == "exact":
            return perceptron.exact_columns(example)
        return perceptron.beam_columns(example, weights, self.settings.budget)


@st.composite
def tied_cases(draw, method, rule):
    """One example, where the weights stand, and a rule: Y 1–3, T 1–4, order 1–3."""
    rng = random.Random(draw(st.integers(0, 10**9)))
    example, F = _example(rng, tuple(NAMES[: rng.choice([1, 2, 2, 3, 3])]), rng.randint(1, 3), rng.randint(0, 3))
    weights = {name: rng.choice(VALUES) for name in _names(rng, example, F)}
    return Case(example, F, weights, _settings(rng, method, example, rule))


@st.composite
def courses(draw, method, rule):
    """Three examples, from weights of zero."""
    rng = random.Random(draw(st.integers(0, 10**9)))
    labels, order, F = tuple(NAMES[: rng.choice([2, 3])]), rng.randint(1, 2), rng.randint(0, 3)
    mode = rng.choice(["single", "additive"])
    examples = tuple(_example(rng, labels, order, F, mode)[0] for _ in range(3))
    return Course(examples, F, _settings(rng, method, examples[0], rule, epochs=3, average=True, mira=0.0))


def generic(case, rule):
    """A case of ``problems.learning``, whose weights do not tie, as a perceptron."""
    s = case.settings
    how = {"method": s.method, "mode": s.mode, "order": s.order, "budget": s.budget, "passes": s.passes}
    how |= {"deduplicate": s.deduplicate, "objective": "perceptron", "update": rule, "epochs": 1, "shuffle": False}
    return Case(case.example, case.F, case.weights, rv.Training(**how))


def update_of(case, columns=None):
    """The oracle's update of a case, over the contexts of the stepwise builder by default."""
    columns = columns_of(case) if columns is None else columns
    return perceptron.update(case.settings.update, case.example, columns, case.weights, case.root)


def _example(rng, labels, order, F, mode=None):
    length = rng.choice([1, 2, 3, 3, 4, 4])
    rows = tuple({f: rng.choice(VALUES) or 1 for f in range(F) if rng.random() < 0.6} for _ in range(length))
    mode = mode or rng.choice(["single", "additive"])
    return learning.Example(labels, order, mode, rows, tuple(rng.choices(labels, k=length))), F


def _names(rng, example, F):
    names = {("emission", f, label) for f in [*range(F), learning.BIAS] for label in example.labels}
    for _ in range(rng.choice([0, 30, 100])):
        i = rng.randint(0, example.order)
        context = tuple(rng.choices(example.labels, k=rng.randint(0, i)))
        names |= {("window", (*prefix, rng.choice(example.labels))) for prefix in example.problem.fired(i, context)}
    return sorted(names, key=str)


def _settings(rng, method, example, rule, **more):
    how = {"budget": rng.choice([1, 2, 2, 3, 10**4]), "mode": example.mode, "order": example.order, "epochs": 1}
    how |= {"mira": rng.choice([0.0, 0.0, 0.25, 2.0]), "shuffle": False, "objective": "perceptron", "update": rule}
    return rv.Training(method, **how | more)
