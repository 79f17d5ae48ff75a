"""One call of a compiled kernel per stretch of examples: which kernel a training needs, and with what.

``visit_examples(trainer, visit, measures)`` trains on the examples ``visit (n,)`` and leaves in ``measures (n, 4)``
what each was like before its step.
"""

import numpy as np

from rcmviz.core.methods import NO_CAP
from rcmviz.kernels.chain.state import Pruning, RowAddress, States
from rcmviz.kernels.learn import perceptron, perceptron_dense, train_dense
from rcmviz.kernels.learn import train as likelihood
from rcmviz.kernels.learn.feature_sums import Examples
from rcmviz.kernels.learn.lane_state import Rate
from rcmviz.kernels.learn.perceptron_step import PerceptronRate
from rcmviz.kernels.packed import pack
from rcmviz.learn import lane_visits
from rcmviz.learn.settings import LOST_GOLD, UPDATES
from rcmviz.learn.tables import MOST_DRIFT, LaneTables

NO_KEYS = np.zeros(0, np.int64)


def visit_examples(trainer, visit, measures):
    """Train on these examples, in single precision where the settings ask for it and the kernel can."""
    if isinstance(trainer.tables, LaneTables):
        lane_visits.visit_lanes(trainer, visit, _arrays(trainer.data), _rate(trainer.settings), measures, _visit_double)
    else:
        _visit_double(trainer, visit, measures)


def _arrays(data):
    return Examples(data.offset, data.start, data.feature, data.amounts, data.gold)


def _visit_double(trainer, visit, measures):
    data, shape = _arrays(trainer.data), trainer.shape
    address = RowAddress(shape.powers, shape.base, NO_KEYS, shape.additive)
    (_visit_selecting if trainer.method.selects else _visit_dense)(trainer, visit, data, address, measures)


def _visit_selecting(trainer, visit, data, address, measures):
    """Visits of a full hashed table wait until it has grown."""
    s = trainer.settings
    pruning = Pruning(trainer.budget, s.deduplicate, trainer.method.rule(s.order if s.deduplicate else NO_CAP))
    if s.objective == "perceptron":
        module, kernel, rate = perceptron, perceptron.perceptron_stretch, _perceptron_rate(trainer)
        how = perceptron.Plan(s.passes, UPDATES.index(s.update), pruning)
    else:
        module, kernel, rate = likelihood, likelihood.train_stretch, _rate(s)
        how = likelihood.Plan(s.passes, LOST_GOLD.index(s.lost_gold), pruning)
    longest = int(np.diff(trainer.data.offset)[visit].max(initial=0))
    until, first = trainer.step + len(visit), trainer.step
    while True:
        done, weights = trainer.step - first, trainer.tables.for_kernels
        work = module.make_work(visit[done:], data, weights, how, s.order)
        call = *map(pack, (visit[done:], data, weights)), how, rate
        kernel(*call, *map(pack, (address, trainer.steps, measures[done:], work)))
        del weights, work, call  # else those that are replaced would stay
        if trainer.step == until:
            return
        trainer.tables.grow(longest * (trainer.budget + 2) * (s.order + 2))


def _visit_dense(trainer, visit, data, address, measures):
    s, shape = trainer.settings, trainer.shape
    at = np.minimum(np.arange(int(np.diff(trainer.data.offset).max()) + 1), s.order)
    states = States(shape.base[at, at], shape.powers[at])
    if s.objective != "perceptron":
        weights = trainer.tables.for_kernels
        work = train_dense.make_dense_work(visit, data, weights, states)
        call = *map(pack, (visit, data, weights, states)), _rate(s)
        train_dense.train_dense_stretch(*call, *map(pack, (address, trainer.steps, measures, work)))
        return
    update, until, first = UPDATES.index(s.update), trainer.step + len(visit), trainer.step
    while True:
        done = trainer.step - first
        weights, rate = trainer.tables.for_kernels, _perceptron_rate(trainer)
        work = perceptron_dense.make_work(visit[done:], data, weights, states, address)
        call = *map(pack, (visit[done:], data, weights, states)), update, rate
        perceptron_dense.perceptron_dense_stretch(*call, *map(pack, (address, trainer.steps, measures[done:], work)))
        if trainer.step == until:
            return
        trainer.tables.widen()


def _rate(settings):
    return Rate(settings.eta, settings.delta, settings.l2, settings.average)


def _perceptron_rate(trainer):
    return PerceptronRate(float(trainer.settings.mira), trainer.settings.average, trainer.tables.farthest)


def counts_only(trainer):
    """Whether a perceptron adds up only counts that 32-bit integers hold, example by example."""
    data, s = trainer.data, trainer.settings
    if trainer.method.selects or s.mira or data.amounts.tolist() != [1.0]:
        return False
    most = 2 * int((np.diff(data.start[data.offset]) + np.diff(data.offset)).max())  # of one example, of both paths
    steps = s.epochs * len(data)
    return most * steps < MOST_DRIFT
