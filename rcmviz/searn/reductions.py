"""Cost-sensitive classification by reduction: one interface, our linear learner or any classifier of scikit-learn.

A learner has ``learn(data, examples, states, seed, before, report)`` → (policy, mistakes): ``examples`` is a list of
``Examples`` of the same data, ``before`` the last policy or None, ``mistakes`` the share of positions whose best action
is none of the cheapest, NaN where unknown.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rcmviz.kernels.chain.state import RowAddress
from rcmviz.kernels.searn import costs as kernel
from rcmviz.learn.tables import fill, make_tables, to_model
from rcmviz.searn.policies import EstimatorPolicy, LinearPolicy, dense_if_needed, places, state_features
from rcmviz.searn.settings import REDUCTIONS

STRETCH = 2_000  # sequences between two looks at what a person wants


@dataclass(frozen=True)
class LinearLearner:
    """A linear classifier by AdaGrad; ``settings`` are a ``SearchTraining``."""

    settings: Any

    def learn(self, data, examples, states, seed, before=None, report=lambda share: None):
        """The policy, and its mistakes in the last epoch. ValueError where numbers are too large."""
        s, reduction = self.settings, REDUCTIONS.index(self.settings.reduction)
        tables = make_tables(states.model, data.F, hashed=False, averaging=s.average)
        if s.warm and before is not None:
            none, model = np.zeros((0, 0)), before.model
            fill(tables, model.keys, (model.weights, none, none), (model.emission, none, none), (none,) * 3)
        targets = [self._targets(one.cost) for one in examples]
        heaviest = max(float(target.max()) for target in targets)
        random, steps = np.random.default_rng(seed), np.zeros(1, np.int64)
        address = RowAddress(states.model.powers, states.model.base, np.zeros(0, np.int64), True)
        arrays = kernel.Entries(data.offset, data.start, data.feature, data.amounts)
        how = kernel.Reduction(reduction, heaviest, int(random.integers(2**31)))
        groups, rate = (tables.windows, tables.emission), kernel.CostRate(s.eta, s.delta, s.average)
        scratch = kernel.cost_scratch(len(data.labels), states.model.order)
        mistakes, done, all_of_it = 0, 0, s.epochs * len(examples) * len(data)
        for _ in range(s.epochs):
            mistakes = 0
            for one, target in zip(examples, targets, strict=True):
                visits = random.permutation(len(data))
                for begin in range(0, len(visits), STRETCH):
                    visit = visits[begin : begin + STRETCH]
                    call = arrays, one.codes, target, how, address, *groups, rate, steps, scratch
                    mistakes += kernel.learn_costs(visit, *call)
                    done += len(visit)
                    report(done / all_of_it)
        model = to_model(tables, states.model, int(steps[0]) if s.average else 0, {}, "f4")
        return LinearPolicy(model), mistakes / (len(examples) * data.positions)

    def _targets(self, cost):
        """Costs above the least, or what weighs pairs of actions."""
        if self.settings.reduction in ("margin", "regression"):
            return cost - cost.min(axis=1, keepdims=True)
        value = np.zeros_like(cost)
        kernel.pair_values(cost, value)
        return value


@dataclass(frozen=True)
class EstimatorLearner:
    """Any classifier of scikit-learn whose ``fit`` takes ``sample_weight``: the cheapest action, weighed by what a mean
    other one costs more; positions where all cost the same are left out.
    """

    estimator: Any

    def learn(self, data, examples, states, seed, before=None, report=lambda share: None):
        """The policy, and NaN. ValueError where no action matters."""
        from scipy.sparse import vstack
        from sklearn.base import clone

        at, place = np.arange(data.positions), places(data)
        parts = []
        for one in examples:
            cost = one.cost
            weight = (cost.sum(axis=1) - cost.min(axis=1)) / max(cost.shape[1] - 1, 1) - cost.min(axis=1)
            rows = states.shape[0][np.minimum(place, states.order)] + one.codes
            kept = np.flatnonzero(weight > 0)
            parts.append((state_features(states, data, at[kept], rows[kept]), cost[kept].argmin(axis=1), weight[kept]))
        X = vstack([part[0] for part in parts]).tocsr()
        y, weight = (np.concatenate([part[k] for part in parts]) for k in (1, 2))
        if not len(y):
            raise ValueError("every action costs the same everywhere: there is nothing to learn from; change the loss")
        fitted = clone(self.estimator)
        if "random_state" in fitted.get_params():
            fitted.set_params(random_state=int(np.random.default_rng(seed).integers(2**31)))
        fitted.fit(dense_if_needed(fitted, X), y, sample_weight=weight)
        report(1.0)
        return EstimatorPolicy(fitted, states), float("nan")


def check_estimator(estimator):
    """The estimator, if it can be a learner; a ValueError says what it lacks."""
    from sklearn.utils.validation import has_fit_parameter

    if isinstance(estimator, type) or not all(hasattr(estimator, name) for name in ("fit", "predict", "get_params")):
        raise ValueError(f"learner {estimator!r}: give a classifier of scikit-learn, such as LogisticRegression()")
    if not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(f"learner {estimator!r}: its fit takes no sample_weight, which passes the costs")
    return estimator
