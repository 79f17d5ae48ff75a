"""Bounds on the rest of an HMM after all contexts of a few words, by the bounds of adaptive rejection."""

import numpy as np

from rcmviz.kernels.ars.bounds import bound_of
from rcmviz.kernels.bare_arrays import bare
from rcmviz.kernels.kernel import kernel

ROUNDING = 1e-6  # relative; bounds have single precision


@kernel()
def fill_rests(problem, i, known, ids, ahead, highest, ranked, out):
    """``out[c]``: the most that position i and those behind it can add after the ``known`` words of context c.

    c counts through the candidates of the positions before, the last one fastest · ``ahead`` the same of position i + 1
    · ``highest[y]`` is no less than what candidate y and all behind it can add after any context, and ``ranked`` are
    the candidates by it: those that cannot be the best are not looked at · ``ids (T+1,)`` has `<s>` first and is
    scribbled on.
    """
    problem, ids, ahead, highest, ranked, out = bare((problem, ids, ahead, highest, ranked, out))
    words, widths = problem.words, problem.widths
    for c in range(out.size):
        rest = c
        for back in range(1, known + 1):
            ids[i + 1 - back] = words[i - back, rest % widths[i - back]]
            rest //= widths[i - back]
        best = -np.inf
        for place in range(ranked.size):
            y = ranked[place]
            if highest[y] + ROUNDING * (1.0 + abs(highest[y])) < best:
                break
            behind = problem.emit[i, y] + ahead[(c * ranked.size + y) % ahead.size]
            if behind > -np.inf:
                best = max(best, problem.scale * bound_of(problem, i, ids, known, words[i, y]) + behind)
        out[c] = best
