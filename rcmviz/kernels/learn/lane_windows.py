"""Windows that an example meets on vectors of sixteen lanes: each is scored once, single or additive.

A context is scored by the row of its longest window, so contexts that share that share the row; ``windows`` are those
of ``lane_state.py``. Where windows are additive, a score is that of the next shorter window, which fires wherever one
does and comes before it, and the window's own weights; what contexts leave in the gradient of their longest window is
handed on to the shorter ones, once for each window.
"""

import numpy as np

from rcmviz.kernels.chain.lane_emissions import exponentials
from rcmviz.kernels.kernel import part
from rcmviz.kernels.lanes import LANES, counted, highest, larger, load, splat, store, where
from rcmviz.kernels.learn.lane_weights import claim, row_of

NONE = np.int64(-1)


@part(error_model="numpy", _nrt=False)
def next_shorter(window, address):
    """The address of the next shorter window that fires wherever this one does, NONE of the shortest.

    Those of the last k labels stand one length after the other, behind them complete histories, the longest first.
    """
    powers, base = address.powers, address.base
    k = order = powers.size - 1
    if window >= base[order, order] + powers[order]:
        k = order - 1
        while window >= base[k, k] + powers[k]:
            k -= 1
        return base[order, k] + window - base[k, k]
    while window < base[order, k]:
        k -= 1
    return base[order, k - 1] + (window - base[order, k]) % powers[k - 1] if k > 0 else NONE


@part(error_model="numpy", _nrt=False)
def score_row(weight, at, labels, shift, beneath, to, windows):
    """A window's scores, its weights from ``at`` on and the scores from ``beneath`` on, and their exponentials, into
    the rows from ``to`` on; returns the largest square. Padded with ones.
    """
    far, zero = splat(np.float32(0)), splat(np.float32(0))
    for y in range(0, 1 << shift, LANES):
        is_label = counted() < splat(np.int32(labels - y))
        logs = where(is_label, load(weight, at + y), zero) + load(windows.log, beneath + y)
        far = larger(far, logs * logs)
        store(windows.log, to + y, logs)
        store(windows.score, to + y, exponentials(logs))
    return highest(far)


@part(error_model="numpy", _nrt=False)
def meet(window, model, labels, shift, windows, pile):
    """Where the rows of a window begin; if it was not met before it is scored, after the shorter ones that were not."""
    weight, index, far, place = model.weights.windows.weight, model.indices.windows, windows.far, pile.place
    zeros, shorter = far.size << shift, windows.shorter
    if shorter.size == 0:
        is_new = place[window] == 0
        at = claim(window, shift, pile)
        if is_new:
            far[at >> shift] = score_row(weight, row_of(window, index) * labels, labels, shift, zeros, at, windows)
        return at
    chain, many = windows.chain, 0
    while window != NONE and place[window] == 0:
        chain[many] = window
        many += 1
        window = next_shorter(window, model.address)
    at = place[window] - 1 if window != NONE else NONE
    for j in range(many - 1, -1, -1):
        beneath = at << shift if at != NONE else zeros
        to = claim(chain[j], shift, pile)
        here = to >> shift
        far[here] = score_row(weight, row_of(chain[j], index) * labels, labels, shift, beneath, to, windows)
        shorter[here] = at
        at = here
    return at << shift


@part(error_model="numpy", _nrt=False)
def hand_on(shift, shorter, pile):
    """Add the gradient of each window to that of the next shorter one, which is before it."""
    gradient = pile.gradient
    for j in range(pile.many[0] - 1, -1, -1):
        if shorter[j] != NONE:
            here, there = j << shift, shorter[j] << shift
            for y in range(0, 1 << shift, LANES):
                store(gradient, there + y, load(gradient, there + y) + load(gradient, here + y))
