"""From a table of windows, suffixes summed, back to the weights that it was made of."""

import numpy as np


def of_weights(model, of_table):
    """Gradient in a model's weights.

    Parameters
    ----------
    model : NgramModel
        The model of R rows of weights.
    of_table : ndarray of shape (rows, Y)
        The gradient of a value in ``model.log_table``.

    Returns
    -------
    ndarray of shape (R, Y)
        The gradient of the same value in ``model.weights``: what a table adds up from suffixes is handed back to
        each of them, in the opposite order.
    """
    gradient = np.array(of_table, dtype=np.float64)
    for rows, shorter in reversed(list(_additions(model))):
        np.add.at(gradient, shorter, gradient[rows])
    return gradient[model.keys] if model.is_dense else gradient[: len(model.keys)]


def _additions(model):
    """Which rows a finished table adds to which others, in the order of ``log_table``: longer, shorter."""
    if not model.additive:
        return
    n, base, powers = model.order, model.base, model.powers
    for i, k in [(n, k) for k in range(1, n + 1)] + [(i, i) for i in range(n)]:
        first, codes, known = base[i, k], np.arange(powers[k]), k - 1 if i == n else k
        if not model.is_dense:
            stored = (model.keys >= first) & (model.keys < first + powers[k])
            codes = model.keys[stored] - first
        yield model.rows(i, k, codes), model.rows(n, known, codes)
