"""Windows that an example meets on vectors of sixteen lanes: each is scored once, single or additive.

``rows = (score (M rows), far (M,), log (M + 1 rows), shorter (M,), chain)``: exponentials of a window's score begin
where its gradient does in its pile (``lane_weights.py``), ``far`` is the largest square of a score. A context is scored
by the row of its longest window, so contexts that share that share the row.

Where windows are additive, ``log`` are their scores and ``shorter`` the row of the next shorter window that fires
wherever one does, NONE where there is none, which comes before it: a score is that of the shorter one and the window's
own weights, and what contexts leave in the gradient of their longest window is handed on to the shorter ones, once for
each window. ``chain`` is room, and the last row of ``log`` is all zeros.

``windows = (address, shift, labels)``, ``address`` as in ``lane_contexts.py``.
"""

import numpy as np

from rcmviz.kernels.chain.lane_emissions import exponentials
from rcmviz.kernels.kernel import kernel, part
from rcmviz.kernels.lanes import LANES, counted, highest, larger, load, splat, store, where
from rcmviz.kernels.learn.lane_weights import claim, exponentiate_row, row_of

NONE = -1


@part(error_model="numpy", _nrt=False)
def next_shorter(window, address):
    """The address of the next shorter window that fires wherever this one does, NONE of the shortest.

    Those of the last k labels stand one length after the other, behind them complete histories, the longest first.
    """
    powers, base, _ = address
    order = powers.size - 1
    k = order
    if window >= base[order, order] + powers[order]:
        k = order - 1
        while window >= base[k, k] + powers[k]:
            k -= 1
        return base[order, k] + window - base[k, k]
    while window < base[order, k]:
        k -= 1
    return base[order, k - 1] + (window - base[order, k]) % powers[k - 1] if k > 0 else np.int64(NONE)


@part(error_model="numpy", _nrt=False)
def score_sum(weight, at, labels, shift, beneath, to, rows):
    """A window's scores, its weights from ``at`` on and the scores from ``beneath`` on, and their exponentials, into
    the rows from ``to`` on; returns the largest square. Padded with ones.
    """
    score, _, log, _, _ = rows
    far, zero = splat(np.float32(0)), splat(np.float32(0))
    for y in range(0, 1 << shift, LANES):
        is_label = counted() < splat(np.int32(labels - y))
        logs = where(is_label, load(weight, at + y), zero) + load(log, beneath + y)
        far = larger(far, logs * logs)
        store(log, to + y, logs)
        store(score, to + y, exponentials(logs))
    return highest(far)


@kernel(error_model="numpy", _nrt=False, inline="always")
def meet_single(window, weight, windows, index, rows, pile):
    """Where the rows of a window begin, which is scored if it was not met before."""
    _, shift, labels = windows
    known = pile[3][0]
    to = claim(window, shift, pile)
    if pile[3][0] > known:
        rows[1][to >> shift] = exponentiate_row(weight, row_of(window, index) * labels, labels, shift, rows[0], to)
    return to


@part(error_model="numpy", _nrt=False)
def meet_additive(window, weight, windows, index, rows, pile):
    """`meet_single` where windows are additive: those that were not met before are scored, the shorter one first."""
    address, shift, labels = windows
    _, far, _, shorter, chain = rows
    place, many = pile[0], np.int64(0)
    while window != NONE and place[np.uint64(window)] == 0:
        chain[many] = window
        many += 1
        window = next_shorter(window, address)
    at = np.int64(place[np.uint64(window)]) - 1 if window != NONE else np.int64(NONE)
    for j in range(many - 1, -1, -1):
        beneath = at << shift if at != NONE else far.size << shift
        to = claim(chain[j], shift, pile)
        here = to >> shift
        far[here] = score_sum(weight, row_of(chain[j], index) * labels, labels, shift, beneath, to, rows)
        shorter[here] = at
        at = here
    return at << shift


@kernel(error_model="numpy", _nrt=False, inline="always")
def hand_on(shift, rows, pile):
    """Add the gradient of each window to that of the next shorter one, which is before it."""
    shorter, (_, _, gradient, many) = rows[3], pile
    for j in range(many[0] - 1, -1, -1):
        if shorter[j] != NONE:
            here, there = j << shift, shorter[j] << shift
            for y in range(0, 1 << shift, LANES):
                store(gradient, there + y, load(gradient, there + y) + load(gradient, here + y))
