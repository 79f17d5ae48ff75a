"""Sums of numbers that are known by their logs."""

import numpy as np


def log_sum(values, axis=None):
    """Log of Σ exp(``values``), of all or along an axis; −inf for an empty sum.

    >>> float(np.exp(log_sum(np.log([0.25, 0.5])))), float(log_sum(np.full((2, 2), -np.inf)))
    (0.75, -inf)
    """
    highest = np.max(values, axis=axis, keepdims=True, initial=-np.inf)
    highest = np.where(np.isneginf(highest), 0.0, highest)
    with np.errstate(divide="ignore"):
        return np.log(np.exp(values - highest).sum(axis=axis)) + highest.squeeze(axis)
