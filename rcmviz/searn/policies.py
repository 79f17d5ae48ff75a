"""Policies: what takes an action in a state; and their mixture with the oracle.

A state is a position with its features and the last n labels. Its labels have the address of an additive
``NgramModel``, so that a linear policy *is* such a model, read greedily from left to right.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rcmviz.core.models.model import DENSE_LIMIT, NgramModel
from rcmviz.core.shared.frozen import CopyableMixin
from rcmviz.kernels.searn import rollouts as kernel

MOST_DECISIONS = 50_000_000  # of an estimator that is no model of ours, asked in all states
MOST_DENSE = 250_000_000  # features of all positions for an estimator that takes no sparse ones; 2 GB


class State(NamedTuple):
    """A state: its row, and its labels as numbers, the oldest first."""

    row: int
    labels: tuple


@dataclass(frozen=True, eq=False)
class States(CopyableMixin):
    """The states of sequences of ``labels`` of which the last ``order`` count."""

    labels: tuple
    order: int

    @cached_property
    def model(self):
        """The model without weights whose windows are the states; ValueError where they are too many."""
        width = len(self.labels)
        found = NgramModel(self.labels, self.order, "additive", np.zeros(0, np.int64), np.zeros((0, width)))
        if not found.is_dense:
            raise ValueError(
                f"order {self.order} with {width} labels has {found.size * width:,} weights, the limit is "
                f"{DENSE_LIMIT:,}; lower the order"
            )
        return found

    @cached_property
    def shape(self):
        """(first row of the states by depth, powers of Y), each (n+1,)."""
        return np.array([self.model.base[i, i] for i in range(self.order + 1)]), np.array(self.model.powers)

    def rows(self, i, codes):
        """Rows of the states at position i of their sequences."""
        return self.shape[0][min(i, self.order)] + codes

    def after(self, i, codes, labels):
        """Codes of the states that these labels at position i lead to."""
        return (codes * len(self.labels) + labels) % self.shape[1][min(i + 1, self.order)]

    def each(self):
        """Every ``State`` of labels."""
        width = len(self.labels)
        for depth, first in enumerate(self.shape[0].tolist()):
            for code in range(width**depth):
                yield State(first + code, tuple(code // width**k % width for k in range(depth - 1, -1, -1)))


@dataclass(frozen=True, eq=False)
class LinearPolicy(CopyableMixin):
    """The best of emission scores plus window weights: ``model``, an additive ``NgramModel``, read greedily."""

    model: NgramModel

    @cached_property
    def table(self):
        """Weights of the states in single precision, those of all suffixes added up (R, Y)."""
        return self.model.log_table.astype(np.float32)

    def add_scores(self, data, wanted, score):
        """Emission scores of the positions in ``wanted`` into ``score (N, Y)``."""
        emission = np.ascontiguousarray(self.model.emission, np.float32)
        kernel.add_scores(wanted, data.start, data.feature, data.amounts, emission, score)

    def reader(self, data):
        """A function of positions of the data and rows of their states that says which actions it takes."""
        score = np.zeros((data.positions, len(data.labels)), np.float32)
        self.add_scores(data, np.arange(data.positions), score)
        return lambda at, rows: (score[at] + self.table[rows]).argmax(axis=1)


@dataclass(frozen=True, eq=False)
class EstimatorPolicy:
    """A fitted classifier of scikit-learn; its features are those of the position and which labels were last."""

    estimator: object
    states: States

    def features(self, data, at, rows):
        """Sparse rows (len(at), F + n (Y + 1)): one of Y + 1 for each of the last n labels, the last for none."""
        return state_features(self.states, data, at, rows)

    def reader(self, data):
        """The method of a ``LinearPolicy``."""
        return lambda at, rows: self._predict(data, at, rows)

    def _predict(self, data, at, rows):
        found = dense_if_needed(self.estimator, self.features(data, at, rows))
        return np.asarray(self.estimator.predict(found), np.int64)

    def decisions(self, data, wanted):
        """Its actions at the positions in ``wanted`` in all states (len(wanted), R); ValueError where they are many."""
        size = self.states.model.size
        if len(wanted) * size > MOST_DECISIONS:
            raise ValueError(
                f"an estimator is asked in all states: {len(wanted):,} positions times {size:,} states, the limit is "
                f"{MOST_DECISIONS:,}; lower the order, or take fewer sequences"
            )
        found = np.zeros((len(wanted), size), np.int16)
        depth_at = np.minimum(places(data)[wanted], self.states.order)
        for state in self.states.each():
            here = np.flatnonzero(depth_at == len(state.labels))
            if len(here):
                found[here, state.row] = self._predict(data, wanted[here], np.full(len(here), state.row))
        return found


def places(data):
    """The position of every position in its sequence, from 0 (N,)."""
    return np.arange(data.positions) - np.repeat(data.offset[:-1], np.diff(data.offset))


def state_features(states, data, at, rows):
    """Features of states for an estimator of scikit-learn: sparse features of positions, and then their last labels."""
    from scipy.sparse import csr_array, hstack

    width, order = len(states.labels), states.order
    past = np.full((states.model.size, order), width)
    for state in states.each():
        past[state.row, order - len(state.labels) :] = state.labels
    given = csr_array((data.value, data.feature, data.start), shape=(data.positions, data.F))[at]
    columns = past[rows] + np.arange(order) * (width + 1)
    starts = np.arange(len(at) + 1) * order
    last = csr_array((np.ones(columns.size), columns.ravel(), starts), shape=(len(at), order * (width + 1)))
    found = hstack([given, last]).tocsr()
    if max(found.nnz, *found.shape) < 2**31:  # most of scikit-learn takes no others
        found.indices, found.indptr = found.indices.astype(np.int32), found.indptr.astype(np.int32)
    return found


def dense_if_needed(estimator, features):
    """Sparse features, in full where an estimator takes no sparse ones; ValueError where those are too many."""
    from sklearn.utils import get_tags

    if not hasattr(estimator, "__sklearn_tags__") or get_tags(estimator).input_tags.sparse:
        return features
    rows, columns = features.shape
    if rows * columns > MOST_DENSE:
        raise ValueError(
            f"learner {estimator!r}: it takes no sparse features, and {rows:,} positions with {columns:,} each are too "
            "many in full; choose one that does, such as LogisticRegression(), or give fewer"
        )
    return features.toarray()


@dataclass(frozen=True, eq=False)
class Mixture:
    """``weights (K+1,)`` of the oracle and of K learned ``policies``, of which one is drawn for every position."""

    policies: tuple = ()
    weights: tuple = (1.0,)

    def joined_by(self, policy, beta):
        """(1 − β) of this mixture and β of the policy."""
        return Mixture((*self.policies, policy), (*(weight * (1 - beta) for weight in self.weights), beta))

    @property
    def learned(self):
        """Weights of the learned policies alone, which sum to one: the mixture without the oracle (K,)."""
        weights = np.array(self.weights[1:])
        return weights / weights.sum()

    def draw(self, size, random):
        """The learned policy and whether the oracle acts in its place, for ``size`` positions: (int, bool) arrays."""
        drawn = random.choice(len(self.weights), size=size, p=np.array(self.weights) / np.sum(self.weights))
        if not self.policies:
            return np.zeros(size, np.int64), np.ones(size, bool)
        learned = np.where(drawn > 0, drawn - 1, random.choice(len(self.policies), size=size, p=self.learned))
        return learned, drawn == 0
