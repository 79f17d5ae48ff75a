"""Random small fields, and the bridge to the oracle."""

import numpy as np

from rcmviz.mrf.potentials import FullRank, LowRank


def random_field(seed, low_rank=None, spread=1.0, most=4):
    """(potentials, messages (K, C)): K 1–3, C 2–4, sharp or flat."""
    random = np.random.default_rng(seed)
    order, size, rank = random.integers(1, 4), random.integers(2, most + 1), random.integers(1, 4)
    scale = spread * random.choice([0.3, 1.0, 2.0])
    node, delta = random.normal(0, scale, size), random.normal(0, scale, (order, size))
    if low_rank if low_rank is not None else random.random() < 0.5:
        return LowRank(node, random.normal(0, scale, (size, rank)), random.normal(0, scale, (order, size, rank))), delta
    return FullRank(node, random.normal(0, scale, (order, size, size))), delta


def tables(potentials):
    """The field of the oracle."""
    edges = [np.asarray(potentials.edges(back)).tolist() for back in range(1, potentials.order + 1)]
    return np.asarray(potentials.node).tolist(), edges


def centred(delta):
    """Messages whose sum over the distances is 0."""
    return delta - delta.mean(axis=0)
