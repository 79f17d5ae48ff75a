"""The heaviest windows and features of a model, by name."""

import numpy as np

from rcmviz.core.models.model import BEGIN, FORGOTTEN


def heaviest_windows(model, count):
    """The ``count`` windows of largest positive and of largest negative weight, as ``(window, weight)``, in this order.

    A window is as in ``NgramModel.from_windows``: n symbols and the predicted label.

    >>> from rcmviz.core.models.model import NgramModel
    >>> model = NgramModel.from_windows("ab", 2, {("^", "^", "a"): 1.0, ("*", "a", "b"): -2.0})
    >>> heaviest_windows(model, 2)
    [(('^', '^', 'a'), 1.0), (('*', 'a', 'b'), -2.0)]
    """
    groups = _groups(model)
    found = []
    for row, y in _extremes(model.weights, count):
        known, prefix = _window(model, groups, int(model.keys[row]))
        found.append(((*prefix, *known, model.labels[y]), float(model.weights[row, y])))
    return found


def heaviest_features(model, count, names=None):
    """The largest positive and negative emission weights, ``count`` of each, as ``(feature, label, weight)``.

    ``names`` of the features, numbers if they have none; the last row of the weights is the ``bias``.
    """
    names = [*(names or map(str, range(len(model.emission) - 1))), "bias"]
    return [(names[f], model.labels[y], float(model.emission[f, y])) for f, y in _extremes(model.emission, count)]


def _extremes(weights, count):
    """Places (row, column) of the largest positive weights, the largest first, then of the largest negative ones."""
    return [place for sign in (1, -1) for place in _largest_places(sign * weights, count)]


def _largest_places(weights, count):
    flat = weights.ravel()
    count = min(count, flat.size)
    places = np.argpartition(-flat, count - 1)[:count]
    places = places[np.argsort(-flat[places], kind="stable")]
    return [divmod(int(place), weights.shape[1]) for place in places if flat[place] > 0]


def _groups(model):
    """First address → (min(i, n), ℓ) of each group of rows; groups that several i share belong to i = n."""
    n = model.order
    return {int(model.base[i, k]): (i, k) for i in range(n + 1) for k in range(i + 1)}


def _window(model, groups, key):
    """The remembered labels, oldest first, and the symbols before them."""
    n, first = model.order, max(base for base in groups if base <= key)
    (i, k), code = groups[first], key - first
    known = [model.labels[code // int(model.powers[place]) % len(model.labels)] for place in reversed(range(k))]
    if model.additive:
        begins = [BEGIN] if i < n else []
        return known, [FORGOTTEN] * (n - k - len(begins)) + begins
    return known, [BEGIN] * (n - i) + [FORGOTTEN] * (i - k)
