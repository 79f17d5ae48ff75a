"""Sums over all alignments that a table of contexts has: backward masses, and which symbol each frame shows."""

from typing import Any, NamedTuple

import numpy as np

from rcmviz.kernels.bare_arrays import bare
from rcmviz.kernels.chain.masses import log_add
from rcmviz.kernels.ctc.columns import BLANK, LABEL
from rcmviz.kernels.kernel import kernel
from rcmviz.kernels.rows import fill


class Links(NamedTuple):
    """The contexts of all frames, numbered through: where columns begin, and per context the ones after it by staying
    and by label, its last label, its row of scores and its length. Links lead into the next column, −1 nowhere.
    """

    offset: Any  # (T+2,)
    stay: Any  # (C,)
    child: Any  # (C, V)
    last: Any  # (C,)
    row: Any  # (C,)
    length: Any  # (C,)


class LinkScores(NamedTuple):
    """Logs of the frames' symbols, the blank last, and of the labels after each row's history, the end last."""

    emit: Any  # (T, V+1)
    table: Any  # (R, V+1)


@kernel(_nrt=False)
def backward(links, scores, beta):
    """``beta (C, 2)``: log of the summed scores of all that may follow a context, by what the last frame is."""
    links, scores, beta = bare((links, scores, beta))
    offset, stay, child, last, row = links.offset, links.stay, links.child, links.last, links.row
    emit, table, frames, width = scores.emit, scores.table, scores.emit.shape[0], links.child.shape[1]
    for c in range(offset[frames], offset[frames + 1]):
        beta[c, BLANK] = beta[c, LABEL] = table[row[c], width]
    for t in range(frames - 1, -1, -1):
        for c in range(offset[t], offset[t + 1]):
            blank = again = -np.inf
            if stay[c] >= 0:
                blank = emit[t, width] + beta[stay[c], BLANK]
                if last[c] >= 0:
                    again = emit[t, last[c]] + beta[stay[c], LABEL]
            others, same = -np.inf, -np.inf
            for a in range(width):
                if child[c, a] < 0:
                    continue
                ahead = emit[t, a] + table[row[c], a] + beta[child[c, a], LABEL]
                if a == last[c]:
                    same = ahead
                else:
                    others = log_add(others, ahead)
            others = log_add(others, blank)
            beta[c, BLANK] = log_add(others, same)
            beta[c, LABEL] = log_add(others, again)


@kernel(_nrt=False)
def symbols(links, scores, alpha, beta, log_z, share):
    """``share (T, V+1)``: probability that frame t shows each symbol, the blank last; the gradient of log Z in emit."""
    links, scores, alpha, beta, share = bare((links, scores, alpha, beta, share))
    offset, stay, child, last, row = links.offset, links.stay, links.child, links.last, links.row
    emit, table, width = scores.emit, scores.table, links.child.shape[1]
    fill(share.ravel(), 0.0)
    for t in range(emit.shape[0]):
        for c in range(offset[t], offset[t + 1]):
            either = log_add(alpha[c, BLANK], alpha[c, LABEL]) - log_z
            if stay[c] >= 0:
                share[t, width] += np.exp(either + emit[t, width] + beta[stay[c], BLANK])
                if last[c] >= 0:
                    again = alpha[c, LABEL] - log_z + emit[t, last[c]] + beta[stay[c], LABEL]
                    share[t, last[c]] += np.exp(again)
            for a in range(width):
                if child[c, a] >= 0:
                    before = alpha[c, BLANK] - log_z if a == last[c] else either
                    share[t, a] += np.exp(before + emit[t, a] + table[row[c], a] + beta[child[c, a], LABEL])
