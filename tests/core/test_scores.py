"""A user-defined model: a score for each pair of labels at several distances."""

import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from problems.chain import problems_of
from rcmviz.core.models.scores import check_rows
from rcmviz.core.models.suffix_scores import FORGOTTEN, START, SuffixScores


class Pairs:
    """``weights[k][x, y]`` of label y where x was k + 1 labels back, ``first[y]`` of the first label."""

    choices = None

    def __init__(self, labels, weights, first):
        self.labels, self.weights, self.first = labels, weights, first

    def check_emissions(self, log_emit):
        return check_rows(log_emit, self.labels)

    def scores(self, log_emit, root_weight=0.0):
        return PairScores(self, log_emit)

    def log_score(self, context, position, label):
        """Return the score by definition, of a context after ``position`` labels; forgotten labels weigh 0."""
        known = context[-len(self.weights) :]
        total = sum(self.weights[k][known[-1 - k], label] for k in range(len(known)))
        return total + (self.first[label] if position == 0 else 0.0)


class PairScores(SuffixScores):
    def __init__(self, model, log_emit):
        super().__init__(model.labels, None, len(model.weights), log_emit)
        self.model = model

    def log_scores(self, i, suffixes):
        table = np.zeros((len(suffixes), len(self.labels)))
        for k, weights in enumerate(self.model.weights):
            label = suffixes[:, -1 - k]
            table += np.where(label[:, None] >= 0, weights[label], 0.0)
        return table + np.where(suffixes[:, -1:] == START, self.model.first, 0.0)


def random_pairs(rng):
    """2 or 3 labels, distances up to 3, 1 to 5 positions; some labels impossible at a position."""
    width, order, length = rng.randint(2, 3), rng.randint(1, 3), rng.randint(1, 5)
    normal = np.random.default_rng(rng.randrange(2**32)).normal
    log_emit = normal(0, 1, (length, width))
    log_emit[:, 1:][normal(0, 1, (length, width - 1)) > 1.5] = -np.inf
    return Pairs("abc"[:width], normal(0, 1, (order, width, width)), normal(0, 1, width)), log_emit


def enumerated(model, log_emit):
    """``{output: log score}`` of every output."""
    outputs = itertools.product(range(len(model.labels)), repeat=len(log_emit))
    return {
        output: sum(log_emit[i, y] + model.log_score(output[:i], i, y) for i, y in enumerate(output))
        for output in outputs
    }


ALL = 10**6
BUILDERS = {
    "exact": lambda model, log_emit: rv.exact(model, log_emit)[0],
    "beam": lambda model, log_emit: rv.beam(model, log_emit, ALL)[0],
    "rcms": lambda model, log_emit: rv.rcms(model, log_emit, ALL)[0],
    "joined": lambda model, log_emit: rv.rcms(model, log_emit, ALL, deduplicate=True, passes=2)[0],
}


@pytest.mark.parametrize("builder", BUILDERS.values(), ids=BUILDERS.keys())
@problems_of(60)
@given(rng=st.randoms(use_true_random=False))
def test_every_builder_decodes_a_new_kind_of_model(builder, rng):
    model, log_emit = random_pairs(rng)
    log_score = enumerated(model, log_emit)
    lattice = builder(model, log_emit)
    total = np.logaddexp.reduce(list(log_score.values()))
    best = max(log_score, key=log_score.get)
    assert rv.log_z(lattice) == pytest.approx(total, abs=1e-9)
    assert rv.viterbi(lattice).log_score == pytest.approx(log_score[best], abs=1e-9)
    for output, expected in log_score.items():
        found = rv.log_prob(lattice, [model.labels[y] for y in output])
        assert found == pytest.approx(expected - total, abs=1e-9)


@problems_of(60)
@given(rng=st.randoms(use_true_random=False), budget=st.integers(1, 4))
def test_forgotten_labels_score_zero(rng, budget):
    """Every arc of a small lattice is the model's score of what its context remembers."""
    model, log_emit = random_pairs(rng)
    for lattice, trace in (rv.rcms(model, log_emit, budget, passes=2), rv.beam(model, log_emit, budget)):
        for c in range(lattice.C - 1):
            i, context = lattice.column_of(c), lattice.indices(c)
            for y in range(lattice.width):
                expected = log_emit[i, y] + model.log_score(context, i, y)
                assert lattice.score[c, y] == pytest.approx(expected, abs=1e-9)
        again, _ = rv.read_trace(trace.to_json())
        assert rv.log_z(again) == rv.log_z(lattice) and np.all(lattice.row == -1)


def test_labels_are_pinned_and_contexts_forbidden():
    model, log_emit = random_pairs(random.Random(3))
    log_emit = np.zeros((4, len(model.labels)))
    lattice, _ = rv.rcms(model, log_emit, ALL, pin=[(2, "b")], forbid=[(3, ("b", "a"))])
    assert rv.posterior(lattice).label[1].tolist()[:2] == pytest.approx([0, 1])
    assert ("b", "a") not in [lattice.context(c) for c in range(lattice.offset[3], lattice.offset[4])]


def test_its_emissions_are_checked_and_its_windows_never_fire():
    model, log_emit = random_pairs(random.Random(4))
    for wrong, message in (
        (None, "log_emit is missing"),
        ([[0.0]], "has 1 column, the model 2 labels"),
        (log_emit * math.nan, "is nan"),
    ):
        with pytest.raises(ValueError, match=message):
            rv.rcms(model, wrong, 3)
    with pytest.raises(ValueError, match="no windows fire"):
        rv.expected_counts(rv.exact(model, log_emit)[0], model)


def test_suffixes_are_right_aligned_and_know_where_they_began():
    seen = []

    class Recording(PairScores):
        def log_scores(self, i, suffixes):
            seen.append(suffixes.tolist())
            return super().log_scores(i, suffixes)

    model = Pairs("ab", np.zeros((2, 2, 2)), np.zeros(2))
    model.scores = lambda log_emit, root_weight: Recording(model, log_emit)
    rv.rcms(model, [[0.0, -1.0]] * 3, 1)
    assert seen == [
        [[FORGOTTEN, START]],
        [[FORGOTTEN, FORGOTTEN], [START, 0]],
        [[FORGOTTEN, FORGOTTEN], [0, 0]],
    ]
    with pytest.raises(NotImplementedError):
        SuffixScores("ab", None, 1, np.zeros((1, 2))).log_scores(0, np.zeros((1, 1), int))
