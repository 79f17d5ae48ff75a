"""Bounds on the words of an HMM after all contexts of a few words: those of adaptive rejection, table by table.

``problem`` and ``ids`` are as in ``kernels/ars/bounds.py``.
"""

import numpy as np
from numba import njit

from rcmviz.kernels.ars.bounds import SCALE, WIDTHS, WORDS, bound_of, fill_first_bounds


@njit(cache=True, nogil=True)
def fill_bounds(problem, i, known, ids, out):
    """``out[c, y]``: bound on the language model's part of candidate y at position i after the ``known`` words of c.

    c counts through the candidates of the positions before, the last one fastest; ``ids (T+1,)`` has `<s>` first and is
    scribbled on.
    """
    words, scale, widths = problem[WORDS], problem[SCALE], problem[WIDTHS]
    if known == 0:
        row = np.empty(words.shape[1])
        fill_first_bounds(problem, i, ids, row)
        out[0] = row[: out.shape[1]]
        return
    for c in range(out.shape[0]):
        rest = c
        for back in range(1, known + 1):
            ids[i + 1 - back] = words[i - back, rest % widths[i - back]]
            rest //= widths[i - back]
        for y in range(out.shape[1]):
            out[c, y] = scale * bound_of(problem, i, ids, known, words[i, y])
