"""Cost-sensitive classification by a linear model: what an example says about the scores of actions, steps of AdaGrad.

A score s is as good as its action is; c are costs above the least. ``gradient`` leads downhill on

* margin: max over a of c_a max(0, 1 + s_a − s_b), b the best scored of the actions that cost least;
* regression: Σ (s_a + c_a)² / 2, so that a score is the cost that is saved;
* all pairs: Σ over pairs, a the better one, of |v_a − v_b| max(0, 1 − s_a + s_b)² / 2, v as in ``pair_values``;
* costing: the same, each pair kept with a probability in proportion to its weight, and then of weight one.
"""

from typing import Any, NamedTuple

import numpy as np

from rcmviz.kernels.bare_arrays import bare
from rcmviz.kernels.kernel import kernel, part
from rcmviz.kernels.learn.feature_sums import value_at
from rcmviz.kernels.learn.weights import window_addresses
from rcmviz.kernels.rows import ZERO

MARGIN, REGRESSION, ALL_PAIRS, COSTING = 0, 1, 2, 3


class Entries(NamedTuple):
    """Features of all positions: those of position ``at`` are ``start[at]:start[at + 1]``."""

    offset: Any
    start: Any
    feature: Any
    value: Any


class Reduction(NamedTuple):
    """Which one, the heaviest of all pairs, and the seed of what costing keeps."""

    kind: int
    heaviest: float
    seed: int


class Costing(NamedTuple):
    """Whether pairs are kept at random; the others as of a ``Reduction``."""

    on: bool
    heaviest: float
    seed: int


class CostRate(NamedTuple):
    """Of AdaGrad; ``averaging``: whether drifts are kept."""

    eta: float
    delta: float
    averaging: bool


class CostScratch(NamedTuple):
    """What a position is learnt from in."""

    score: Any  # (Y,)
    gradient: Any  # (Y,)
    active: Any  # (Y,)
    fired: Any  # (1, n + 2)


def cost_scratch(width, order):
    """`CostScratch` for ``labels`` labels."""
    score, gradient = np.zeros((2, width))
    return CostScratch(score, gradient, np.zeros(width, np.int64), np.zeros((1, order + 2), np.int64))


def pair_values(cost, value):
    """The v of weighted all pairs, ``value (N, Y)``: |v_a − v_b| weighs the pair of actions a and b.

    v_a = ∫ dt / N(t) from 0 to the cost of a, N(t) the number of actions that cost at most t (Beygelzimer, Dani, Hayes,
    Langford and Zadrozny 2005); ``cost (N, Y)`` above the least.
    """
    order = np.argsort(cost, axis=1, kind="stable")
    steps = np.diff(np.take_along_axis(cost, order, axis=1), axis=1) / np.arange(1, cost.shape[1])
    np.put_along_axis(value, order, np.cumsum(np.pad(steps, ((0, 0), (1, 0))), axis=1), axis=1)


@kernel(inline="always")
def margin_gradient(score, cost, gradient):
    """Up for the best scored of the cheapest actions, down for its worst rival, as far as the rival costs more."""
    best, worst, furthest = 0, -1, 0.0
    for y in range(1, score.size):
        if cost[y] < cost[best] or (cost[y] == cost[best] and score[y] > score[best]):
            best = y
    for y in range(score.size):
        loss = (cost[y] - cost[best]) * (1.0 + score[y] - score[best])
        if loss > furthest:
            worst, furthest = y, loss
    if worst >= 0:
        gradient[best] = cost[worst] - cost[best]
        gradient[worst] = -gradient[best]


@kernel(inline="always")
def regression_gradient(score, cost, gradient):
    """Towards the negative cost above the least."""
    least = cost[0]
    for y in range(1, score.size):
        least = min(least, cost[y])
    for y in range(score.size):
        gradient[y] = least - cost[y] - score[y]


@kernel(inline="always")
def is_kept(seed, at, a, b, share):
    """Whether costing keeps the pair (a, b) of example ``at``: yes for a ``share`` of all, always the same answer."""
    mixed = np.uint64(seed) + np.uint64(at) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(a * 65_537 + b)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.float64((mixed ^ (mixed >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53 < share


@kernel(inline="always")
def pair_gradient(score, value, costing, at, gradient):
    """Apart by one, each pair as far as it weighs; ``costing`` as in ``Costing``."""
    how = Costing(*costing)
    for a in range(score.size):
        for b in range(score.size):
            weight, short = value[b] - value[a], 1.0 - score[a] + score[b]
            if weight > 0.0 and short > 0.0:
                if how.on:
                    weight = 1.0 if is_kept(how.seed, at, a, b, weight / how.heaviest) else 0.0
                gradient[a] += weight * short
                gradient[b] -= weight * short


@part(error_model="numpy")
def ascend_row(row, group, amount, gradient, active, many, rate, step):
    """AdaGrad on a row of weights, of a feature with value ``amount``, for the ``many`` labels in ``active``."""
    for j in range(many):
        y = active[j]
        slope = amount * gradient[y]
        group.square[row, y] += slope * slope
        change = rate.eta * slope / np.sqrt(rate.delta + group.square[row, y])
        group.weight[row, y] += change
        if rate.averaging:
            group.drift[row, y] += step * change


@kernel()
def learn_costs(visit, data, codes, target, reduction, address, windows, emission, rate, steps, scratch):
    """A step on every position of the sequences in ``visit``, in the states ``codes (N,)``.

    ``target (N, Y)`` are costs, or ``pair_values`` where the reduction is of pairs; ``windows`` and ``emission`` are
    groups as in ``kernels/learn/weights.py``. Returns at how many positions the best scored action was none of the
    cheapest.
    """
    visit, data, codes, target, address = bare((visit, data, codes, target, address))
    windows, emission, steps, scratch = bare((windows, emission, steps, scratch))
    offset, start, feature, value = data.offset, data.start, data.feature, data.value
    window, weight, kind = windows.weight, emission.weight, reduction.kind
    costing = Costing(kind == COSTING, reduction.heaviest, reduction.seed)
    bias, width, order, wrong = weight.shape[0] - 1, target.shape[1], address.powers.size - 1, 0
    score, gradient, active, fired = scratch.score, scratch.gradient, scratch.active, scratch.fired
    for j in range(visit.size):
        w = visit[j]
        for at in range(offset[w], offset[w + 1]):
            i = at - offset[w]
            windows_fired = window_addresses(address, i, min(i, order), codes[at], fired, ZERO)
            for y in range(width):
                score[y], gradient[y] = weight[bias, y], 0.0
            for entry in range(start[at], start[at + 1]):
                amount, row = value_at(value, entry), feature[entry]
                for y in range(width):
                    score[y] += amount * weight[row, y]
            for j in range(windows_fired):
                row = fired[0, j]
                for y in range(width):
                    score[y] += window[row, y]
            best, least = 0, target[at, 0]
            for y in range(1, width):
                best = y if score[y] > score[best] else best
                least = min(least, target[at, y])
            wrong += target[at, best] > least
            if kind == MARGIN:
                margin_gradient(score, target[at], gradient)
            elif kind == REGRESSION:
                regression_gradient(score, target[at], gradient)
            else:
                pair_gradient(score, target[at], costing, at, gradient)
            many = ZERO
            for y in range(width):
                if gradient[y] != 0.0:
                    active[many] = y
                    many += 1
            if many > 0:
                step = steps[0]
                for entry in range(start[at], start[at + 1]):
                    amount, row = np.float64(value_at(value, entry)), np.int64(feature[entry])
                    ascend_row(row, emission, amount, gradient, active, many, rate, step)
                ascend_row(bias, emission, 1.0, gradient, active, many, rate, step)
                for j in range(windows_fired):
                    ascend_row(fired[0, j], windows, 1.0, gradient, active, many, rate, step)
            steps[0] += 1
    return wrong
