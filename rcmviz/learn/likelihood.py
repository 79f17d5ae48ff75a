"""Training by AdaGrad on the log-likelihood, with contexts selected by RCMS at the present weights.

The setting that reproduces the paper (Steinhardt & Liang 2015, §5): order 3, single windows, pixel × label emissions
with a bias, η = 0.2, δ = 1e-4, one word per step, words shuffled anew in each epoch.
"""

from dataclasses import dataclass

import numpy as np

from rcmviz.build import check_budget
from rcmviz.kernels import train
from rcmviz.model import DENSE_LIMIT, NgramModel


@dataclass(frozen=True)
class State:
    """After an epoch: ``epoch`` from 1, mean ``log_likelihood`` per word (each before its step), the ``model``."""

    epoch: int
    log_likelihood: float
    model: NgramModel


def train_rcms(
    features, gold, labels, *, order=3, budget=10, epochs=20, eta=0.2, delta=1e-4, seed=0, info=None
):
    """Train an n-gram model with emissions; yields one ``State`` per epoch.

    ``features`` a list of (T, F) arrays of 0/1, ``gold`` a list of label sequences of the same lengths, ``labels`` the
    alphabet. ValueError where they do not fit together or the table would be too large.
    """
    _check(features, gold, labels)
    empty = NgramModel(tuple(labels), order, "single", np.zeros(0, np.int64), np.zeros((0, len(labels))))
    if not empty.is_dense:
        raise ValueError(f"order {order} over {len(labels)} labels: more than {DENSE_LIMIT:,} weights; lower the order")
    data = _stack(features, gold, labels)
    shape, emission = (empty.size, len(labels)), (data[0].shape[1] + 1, len(labels))
    weights = np.zeros(shape), np.ones(shape), np.zeros(shape), np.zeros(emission), np.zeros(emission)
    rule = (True, True, np.iinfo(np.int64).max, 0.0)
    shuffle = np.random.default_rng(seed)
    for epoch in range(1, epochs + 1):
        visit = shuffle.permutation(len(gold))
        total = train.train_epoch(visit, data, weights, check_budget(budget), eta, delta, empty.address, rule)
        yield State(epoch, total / len(gold), _model(empty, weights, info))


def _check(features, gold, labels):
    if not len(gold) or len(features) != len(gold):
        raise ValueError(f"{len(features)} feature arrays, {len(gold)} gold sequences: as many of each, one or more")
    known = set(labels)
    for number, (pixels, truth) in enumerate(zip(features, gold, strict=True)):
        if len(pixels) != len(truth) or not len(truth):
            raise ValueError(f"sequence {number}: {len(pixels)} positions of features, {len(truth)} labels")
        strange = [label for label in truth if label not in known]
        if strange:
            raise ValueError(f"sequence {number}: {strange[0]!r} is not one of the labels")


def _stack(features, gold, labels):
    index = {label: y for y, label in enumerate(labels)}
    stacked = np.concatenate([np.asarray(pixels) != 0 for pixels in features])
    truth = np.array([index[label] for word in gold for label in word], dtype=np.int64)
    return stacked, truth, np.concatenate([[0], np.cumsum([len(word) for word in gold])]).astype(np.int64)


def _model(empty, weights, info):
    log_table, _, _, emission, _ = weights
    used = np.flatnonzero(np.any(log_table != 0, axis=1))
    # single precision halves the file; the rounding is 1e-7 of a weight, the spread over seeds 1e-1
    compact = log_table[used].astype(np.float32), emission.astype(np.float32)
    return NgramModel(empty.labels, empty.order, "single", used, *compact, dict(info or {}))
