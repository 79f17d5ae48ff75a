"""Tables of readers and trainers: the listed n-grams of one order, a row each.

Natural logs; a missing back-off is 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin, freeze


@dataclass(frozen=True, eq=False)
class NgramTable(CopyableMixin):
    """The n-grams of order k, M of them without duplicates and in any order.

    ``words (M, k)`` int32 ids into the vocabulary, oldest first · ``log_prob (M,)`` of the last word after the others,
    −inf allowed · ``back_off (M,)`` log weight of the n-gram as a context, 0 at the highest order · ``max_log_prob``
    and ``max_back_off (M,)`` the two columns of a MAX-ARPA file (docs/language-models.md), or None.
    ValueError where shapes differ.

    >>> table = NgramTable(np.array([[0, 1], [1, 1]]), [-0.5, -1.5])
    >>> table.order, len(table), table.back_off.tolist()
    (2, 2, [0.0, 0.0])
    """

    words: np.ndarray
    log_prob: np.ndarray
    back_off: np.ndarray | None = None
    max_log_prob: np.ndarray | None = None
    max_back_off: np.ndarray | None = None

    def __post_init__(self):
        put = object.__setattr__
        if np.ndim(self.words) != 2:
            raise ValueError(f"words has the shape {np.shape(self.words)}; give one row of word ids per n-gram, (M, k)")
        put(self, "words", checks.integers("words", self.words, -(2**31), 2**31, np.int32, 2, "word ids"))
        if self.back_off is None:
            put(self, "back_off", np.zeros(len(self.words)))
        for name in ("log_prob", "back_off", "max_log_prob", "max_back_off"):
            if getattr(self, name) is not None:
                put(self, name, np.asarray(getattr(self, name), np.float64))
                if getattr(self, name).shape != self.words.shape[:1]:
                    raise ValueError(f"{name} has the shape {getattr(self, name).shape} for {len(self)} n-grams")
        freeze(self)

    def __len__(self):
        return len(self.words)

    @property
    def order(self):
        """Number of words of an n-gram, k."""
        return self.words.shape[1]


def tables_of_weights(
    labels: tuple[str, ...], weights: Mapping, begin: str
) -> tuple[tuple[str, ...], list[NgramTable]]:
    """(vocabulary, tables by order) of ``{window: weight}``; labels without a window of their own weigh 0.

    ``begin`` stands before the first label of a sequence, in windows that say so.

    >>> words, tables = tables_of_weights(("a", "b"), {("^", "a"): 1.0, ("b",): 2.0}, "^")
    >>> words, [table.words.tolist() for table in tables], tables[0].log_prob.tolist()
    (('a', 'b', '^'), [[[0], [1]], [[2, 0]]], [0.0, 2.0])
    """
    vocabulary = labels if begin in labels else (*labels, begin)
    index = {label: y for y, label in enumerate(vocabulary)}
    listed: dict[int, dict[tuple, float]] = {1: {(y,): 0.0 for y in range(len(labels))}}
    for window, weight in weights.items():
        ids = _ids_of(window, index, begin)
        name, limit = f"window {window!r}: its weight", f"a number of at most {checks.LARGEST:,.0f} in size"
        value = checks.number(name, weight, limit, least=-checks.LARGEST, most=checks.LARGEST)
        listed.setdefault(len(ids), {})[ids] = value
    tables = []
    for k in range(1, max(listed) + 1):
        rows = listed.get(k, {})
        ids = np.array(list(rows), np.int32).reshape(-1, k)
        tables.append(NgramTable(ids, np.array(list(rows.values()), np.float64)))
    return vocabulary, tables


def _ids_of(window, index, begin):
    """The ids of a window; ValueError names its fault."""
    if not isinstance(window, (tuple, list)) or not window:
        raise ValueError(f"window {window!r:.60}: expected a tuple of labels, the predicted one last")
    with checks.hashable(f"window {window!r:.60}", "give labels"):
        strange = [label for label in window if label not in index]
    if strange:
        raise ValueError(f"window {window!r:.60}: {strange[0]!r} is not one of the labels")
    if begin in window[1:] or tuple(window) == (begin,):
        raise ValueError(f"window {window!r:.60}: {begin} marks the beginning and stands first, before a label")
    return tuple(index[label] for label in window)
