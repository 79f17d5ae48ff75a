"""Sweeps over all alignments of a table: sums backward, which symbol each frame shows, the heaviest way to each state.

A state is a context and what the last frame is, numbered ``context · 2 + ends``.
"""

import numpy as np

from rcmviz.kernels.bare_arrays import bare
from rcmviz.kernels.chain.masses import log_add
from rcmviz.kernels.ctc.columns import BLANK, LABEL
from rcmviz.kernels.kernel import kernel, part
from rcmviz.kernels.rows import fill


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


@kernel(_nrt=False)
def heaviest(links, scores, best, came):
    """``best (C, 2)``: the heaviest alignment into each state, as a log; ``came (C, 2)``: the state before, −1: none.

    Ties go to the lower context, then to the blank, the label again, the lower new label.
    """
    links, scores, best, came = bare((links, scores, best, came))
    offset, stay, child, last = links.offset, links.stay, links.child, links.last
    emit, width = scores.emit, links.child.shape[1]
    fill(best.ravel(), -np.inf)
    fill(came.ravel(), -1)
    best[0, BLANK] = 0.0
    for t in range(emit.shape[0]):
        for c in range(offset[t], offset[t + 1]):
            for ends in range(2):
                here, state = best[c, ends], 2 * c + ends
                if here == -np.inf:
                    continue
                if stay[c] >= 0:
                    enter(best, came, stay[c], BLANK, here + emit[t, width], state)
                    if ends == LABEL:
                        enter(best, came, stay[c], LABEL, here + emit[t, last[c]], state)
                for a in range(width):
                    if child[c, a] >= 0 and not (ends == LABEL and a == last[c]):
                        enter(best, came, child[c, a], LABEL, here + emit[t, a] + scores.table[links.row[c], a], state)


@part(_nrt=False)
def enter(best, came, c, ends, found, state):
    """Take a heavier way into a state."""
    if found > best[c, ends]:
        best[c, ends] = found
        came[c, ends] = state


@kernel(_nrt=False)
def written(came, last, c, ends, output):
    """The labels that the heaviest alignment into a state writes, into the end of ``output``; returns where they begin.

    A frame that shows a label shows a new one, unless the frame before shows the same.
    """
    came, last, output = bare((came, last, output))
    begin = output.size
    while came[c, ends] >= 0:
        before, ended = came[c, ends] >> 1, came[c, ends] & 1
        if ends == LABEL and not (ended == LABEL and last[before] == last[c]):
            begin -= 1
            output[begin] = last[c]
        c, ends = before, ended
    return begin
