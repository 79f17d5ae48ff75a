"""Sums and ratios of numbers that are known by their logs."""

import math

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


def subtract_logs(one, other):
    """``one`` − ``other``, elementwise; 0 where they are equal, which −inf and −inf are.

    >>> subtract_logs(np.array([-np.inf, 1.0]), np.array([-np.inf, 0.5])).tolist()
    [0.0, 0.5]
    """
    return np.subtract(one, other, out=np.zeros(np.shape(one)), where=np.not_equal(one, other))


def finite_or_none(value):
    """``value``, or None for an infinite one, which JSON has no number for."""
    return value if math.isfinite(value) else None
