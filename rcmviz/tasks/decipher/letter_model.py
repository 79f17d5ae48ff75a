"""Scores of letters and blanks by a letter n-gram model, as rows that the builders and EM can use.

Without blanks, for cryptograms whose words run together, a row is summed over all ways to put single blanks between the
letters of its window, as many as 2^n.
"""

from functools import lru_cache
from itertools import product

import numpy as np

from rcmviz.core.models.model import NgramModel
from rcmviz.core.shared import checks
from rcmviz.learn.discounting import END, additive_model
from rcmviz.lm.text import BLANK

LETTERS = "abcdefghijklmnopqrstuvwxyz"
ENDING = 0.01  # the chance of the end after any letter, where words run together: a constant tells nothing


@lru_cache(maxsize=8)
def letter_model(lm, order=2, *, blanks=True):
    """The ``NgramModel`` over a to z, ``_`` where ``blanks``, and the end, of a language model of characters.

    The latest are kept: one of order 3 takes 40 ms and 5 MB, and all who read cryptograms use the same. ValueError
    where ``lm`` lacks a letter, or has too few orders.

    >>> import rcmviz as rv
    >>> model = letter_model(rv.load_lm("lm-english-characters"), order=1)
    >>> model.labels[-3:], model.labels[int(model.log_table[model.base[1, 1] + 16].argmax())]  # after q
    (('z', '_', '</s>'), 'u')
    """
    missing = [letter for letter in (*LETTERS, BLANK, END) if letter not in lm]
    if missing:
        raise ValueError(f"the language model does not know {missing[0]!r}: take one of letters, lm-english-characters")
    most = min(lm.order - 1, 3)
    checks.whole("order", order, 1, most, f"letters are read with 1 to {most} letters of history")
    labels = (*LETTERS, BLANK, END)
    tables = [_rows(lm, labels, k) for k in range(order + 1)]
    begins = [_rows(lm, labels, i, begin=True) for i in range(order)]
    if not blanks:
        labels = (*LETTERS, END)
        tables = _run_together(tables)
        begins = tables[:order]
    shape = NgramModel(labels, order, "additive", np.zeros(0, np.int64), np.zeros((0, len(labels))))
    return additive_model(shape, tables, begins)


def _rows(lm, labels, k, begin=False):
    """``(codes, rows)``: what follows every k letters and blanks, after the start of a text where ``begin``."""
    ids, width = lm.ids(labels), len(labels)
    codes, history = _histories(width - 1, k, width)
    known = ids[history].reshape(len(history), k)
    if begin:
        known = np.hstack([np.full((len(known), 1), lm.begin, np.int32), known])
    words = np.hstack([np.repeat(known, width, axis=0), np.tile(ids, len(known))[:, None]])
    rows = np.exp(lm.score_ngrams(words)).reshape(-1, width)
    return codes, rows / rows.sum(axis=1, keepdims=True)


def _histories(letters, k, base):
    """``(codes (R,), labels (R, k))`` of every k labels below ``letters``, oldest first, as numbers in ``base``."""
    history = np.array(list(product(range(letters), repeat=k)), np.int64).reshape(letters**k, k)
    return history @ base ** np.arange(k)[::-1], history


def _run_together(tables):
    """The tables over letters and the end that follow from tables over letters, blanks and the end."""
    width, letters = len(LETTERS) + 2, len(LETTERS)
    spelt = [np.zeros((width,) * (k + 1)) for k in range(len(tables))]  # by oldest label first
    for k, (codes, rows) in enumerate(tables):
        spelt[k].reshape(-1, width)[codes] = rows
    joint = [_joint_probability(spelt, k) for k in range(1, len(tables) + 1)]
    found = []
    for k, together in enumerate(joint):
        rows = together.reshape(-1, letters)
        rows = rows / rows.sum(axis=1, keepdims=True) * (1 - ENDING)
        codes, _ = _histories(letters, k, letters + 1)
        found.append((codes, np.hstack([rows, np.full((len(rows), 1), ENDING)])))
    return found


def _joint_probability(spelt, k):
    """Probability of k letters in a row (26, …, 26), blanks between them summed out; the letters before are unknown."""
    letters, blank, total = len(LETTERS), len(LETTERS), 0.0
    for breaks in product((False, True), repeat=k - 1):
        window = [0]  # axes of the letters, None for a blank
        for axis, gap in enumerate(breaks, start=1):
            window += [None, axis] if gap else [axis]
        weight = np.ones((letters,) * k)
        for place in range(len(window)):
            seen = window[max(0, place + 1 - len(spelt)) : place + 1]
            row = spelt[len(seen) - 1][tuple(blank if axis is None else slice(letters) for axis in seen)]
            shape = [letters if axis in seen else 1 for axis in range(k)]
            weight = weight * row.reshape(shape)
        total = total + weight
    return total
