"""Random models and emissions."""

import numpy as np

WINDOWS, HEAVIEST = 3_000, 4.0
KNOWN = 100  # labels that windows begin with: each of them takes a row of weights for all labels


def random_model(width, order, seed=0):
    """Random weights on pairs of labels, and on as many windows of the whole order."""
    import rcmviz as rv

    rng = np.random.default_rng(seed)
    labels = [f"w{y}" for y in range(width)]
    weights = {}
    for length in {1, order}:
        known, missing = rng.integers(0, min(width, KNOWN), (WINDOWS, length)), ("*",) * (order - length)
        for window, y, weight in zip(known, rng.integers(0, width, WINDOWS), rng.uniform(-1, 1, WINDOWS), strict=True):
            weights[*missing, *(labels[k] for k in window), labels[y]] = HEAVIEST * weight
    return rv.NgramModel.from_windows(labels, order, weights)


def random_emissions(positions, width, seed=1, deviation=2.0):
    """Log emissions (T, V), normal, in single precision."""
    return np.random.default_rng(seed).normal(0, deviation, (positions, width)).astype(np.float32)


def peaked_emissions(positions, width, height, seed=1):
    """N(0, 1) with a peak at a random label of each position."""
    log_emit = random_emissions(positions, width, seed, 1.0)
    log_emit[np.arange(positions), np.random.default_rng(seed).integers(0, width, positions)] += height
    return log_emit
