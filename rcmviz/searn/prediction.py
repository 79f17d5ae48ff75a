"""Outputs of a mixture without the oracle: by a vote at every position, or by one policy drawn for it."""

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.searn.policies import LinearPolicy
from rcmviz.searn.settings import PREDICTIONS


class PolicyReader:
    """Reads sequences with learned policies, all of them position by position; scores are computed once.

    ``predict(weights, how, seed)`` → label numbers (N,), ``weights (K,)`` of the policies.
    """

    def __init__(self, data, policies, states):
        self._data, self._states, self._policies = data, states, policies
        self._readers = {}

    def _actions(self, k, at, rows):
        if k not in self._readers:
            self._readers[k] = self._policies[k].reader(self._data)
        return self._readers[k](at, rows)

    def predict(self, weights, how="vote", seed=0):
        """The label numbers of all positions; where votes are equal the lower label wins."""
        checks.choice("prediction", how, PREDICTIONS)
        data, states = self._data, self._states
        lengths, labels = np.diff(data.offset), np.zeros(data.positions, np.int64)
        weights = np.asarray(weights, np.float64) / np.sum(weights)
        drawn = checks.generator(seed).choice(len(weights), size=data.positions, p=weights)
        codes = np.zeros(len(data), np.int64)
        for i in range(int(lengths.max())):
            there = np.flatnonzero(lengths > i)
            at, rows = data.offset[there] + i, states.rows(i, codes[there])
            labels[at] = self._vote(weights, at, rows) if how == "vote" else self._predict_drawn(drawn, at, rows)
            codes[there] = states.after(i, codes[there], labels[at])
        return labels

    def _vote(self, weights, at, rows):
        votes = np.zeros((len(at), len(self._states.labels)))
        for k in np.flatnonzero(weights):
            votes[np.arange(len(at)), self._actions(k, at, rows)] += weights[k]
        # votes of equal weight, summed in another order, differ in their last bits
        return (votes > votes.max(axis=1, keepdims=True) - 1e-12).argmax(axis=1)

    def _predict_drawn(self, drawn, at, rows):
        found = np.zeros(len(at), np.int64)
        for k in np.unique(drawn[at]):
            mine = drawn[at] == k
            found[mine] = self._actions(k, at[mine], rows[mine])
        return found


def predict(data, mixture, states, how="vote", seed=0):
    """Label numbers (N,) of a mixture without its oracle."""
    return PolicyReader(data, mixture.policies, states).predict(mixture.learned, how, seed)


def is_linear(mixture):
    """Whether all policies are ours, which can be kept in a file."""
    return all(isinstance(policy, LinearPolicy) for policy in mixture.policies)
