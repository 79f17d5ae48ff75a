"""One output among all: its alignments through a table of contexts, label by label; ``links``, ``scores`` as in sweeps.

A beginning y of an output has ``at (T+1, K)``, the contexts in which it can be after t frames, by their length less one
(−1 for none), and ``mass (T+1, K, 2)``, the logs of the summed scores of its alignments that end there.
"""

import numpy as np
from numba import njit

from rcmviz.kernels.chain.contexts import log_add
from rcmviz.kernels.frames.columns import BLANK, LABEL


@njit(cache=True, nogil=True)
def nothing(links, scores, at, mass):
    """The beginning of length zero: blanks only."""
    _, stay, child, _, _, length = links
    emit, _ = scores
    at[:, :] = -1
    mass[:, :, :] = -np.inf
    c, total = np.int64(0), 0.0
    for t in range(len(emit) + 1):
        at[t, length[c] - 1] = c
        mass[t, length[c] - 1, BLANK] = total
        if t == len(emit) or stay[c] < 0:
            break
        total += emit[t, child.shape[1]]
        c = stay[c]


@njit(cache=True, nogil=True)
def leaves(mass, t, k, label, last):
    """Log mass of the alignments in slot k after t frames that may show ``label`` next as a new one."""
    return mass[t, k, BLANK] if label == last else log_add(mass[t, k, BLANK], mass[t, k, LABEL])


@njit(cache=True, nogil=True)
def append(links, scores, at, mass, last, label, next_at, next_mass):
    """The beginning with one label more; ``last`` is the one before it, −1 for none."""
    _, stay, child, _, row, length = links
    emit, table = scores
    width = child.shape[1]
    next_at[:, :] = -1
    next_mass[:, :, :] = -np.inf
    for t in range(len(emit)):
        for k in range(at.shape[1]):
            c = at[t, k]
            if c >= 0 and child[c, label] >= 0:
                to = child[c, label]
                arriving = leaves(mass, t, k, label, last) + emit[t, label] + table[row[c], label]
                j = length[to] - 1
                next_at[t + 1, j] = to
                next_mass[t + 1, j, LABEL] = log_add(next_mass[t + 1, j, LABEL], arriving)
            c = next_at[t, k]
            if c >= 0 and stay[c] >= 0:
                j = length[stay[c]] - 1
                blank = log_add(next_mass[t, k, BLANK], next_mass[t, k, LABEL]) + emit[t, width]
                again = next_mass[t, k, LABEL] + emit[t, label]
                next_at[t + 1, j] = stay[c]
                next_mass[t + 1, j, BLANK] = log_add(next_mass[t + 1, j, BLANK], blank)
                next_mass[t + 1, j, LABEL] = log_add(next_mass[t + 1, j, LABEL], again)


@njit(cache=True, nogil=True)
def whole(links, scores, at, mass):
    """Log of the summed scores of the alignments that write this beginning and nothing more."""
    _, _, child, _, row, _ = links
    _, table = scores
    end, total = len(at) - 1, -np.inf
    for k in range(at.shape[1]):
        if at[end, k] >= 0:
            here = log_add(mass[end, k, BLANK], mass[end, k, LABEL])
            total = log_add(total, here + table[row[at[end, k]], child.shape[1]])
    return total


@njit(cache=True, nogil=True)
def continuations(links, scores, beta, log_z, at, mass, last, share):
    """``share (V,)``: probability that the output begins with y and then has this label: each enters at one frame."""
    _, _, child, _, row, _ = links
    emit, table = scores
    share[:] = 0.0
    for t in range(len(emit)):
        for k in range(at.shape[1]):
            c = at[t, k]
            if c < 0 or mass[t, k, BLANK] == mass[t, k, LABEL] == -np.inf:
                continue
            for a in range(share.size):
                if child[c, a] >= 0:
                    ahead = emit[t, a] + table[row[c], a] + beta[child[c, a], LABEL]
                    share[a] += np.exp(leaves(mass, t, k, a, last) + ahead - log_z)


@njit(cache=True, nogil=True)
def improve(t, found, best, came, j, k, ends, origin):
    """Take a better way to label j in slot k, and note where it comes from."""
    if found > best[j, k, ends]:
        best[j, k, ends] = found
        came[t, j, k, ends] = origin


@njit(cache=True, nogil=True)
def best_alignment(links, scores, labels, slots, symbol):
    """The heaviest alignment of one output, its symbols into ``symbol (T,)``, the blank as V; returns its log score.

    Viterbi's algorithm over (labels written, slot, what the last frame is); ties go to what is tried first: a new
    label, then the blank, then the label again.
    """
    _, stay, child, _, row, length = links
    emit, table = scores
    frames, width, count = len(emit), child.shape[1], labels.size
    came = np.full((frames + 1, count + 1, slots, 2), -1, np.int16)  # (slot · 2 + ends) · 2 + whether a label is new
    at = np.full((count + 1, slots), -1, np.int64)
    best = np.full((count + 1, slots, 2), -np.inf)
    at[0, length[0] - 1] = 0
    best[0, length[0] - 1, BLANK] = 0.0
    for t in range(frames):
        next_at, next_best = np.full(at.shape, -1, np.int64), np.full(best.shape, -np.inf)
        for j in range(count + 1):
            for k in range(slots):
                c = at[j, k]
                if c < 0:
                    continue
                for ends in (BLANK, LABEL):
                    here, origin = best[j, k, ends], (k * 2 + ends) * 2
                    if here == -np.inf:
                        continue
                    is_new = j < count and not (ends == LABEL and j > 0 and labels[j] == labels[j - 1])
                    if is_new and child[c, labels[j]] >= 0:
                        to = child[c, labels[j]]
                        next_at[j + 1, length[to] - 1] = to
                        found = here + emit[t, labels[j]] + table[row[c], labels[j]]
                        improve(t + 1, found, next_best, came, j + 1, length[to] - 1, LABEL, origin + 1)
                    if stay[c] >= 0:
                        to = stay[c]
                        next_at[j, length[to] - 1] = to
                        improve(t + 1, here + emit[t, width], next_best, came, j, length[to] - 1, BLANK, origin)
                        if ends == LABEL:
                            found = here + emit[t, labels[j - 1]]
                            improve(t + 1, found, next_best, came, j, length[to] - 1, LABEL, origin)
        at, best = next_at, next_best
    return walk_back(scores, row, labels, at, best, came, symbol)


@njit(cache=True, nogil=True, inline="always")
def walk_back(scores, row, labels, at, best, came, symbol):
    """The symbols of the heaviest way that `best_alignment` has found; returns its log score."""
    _, table = scores
    width, j = table.shape[1] - 1, labels.size
    highest, k, ends = -np.inf, 0, 0
    for slot in range(at.shape[1]):
        for last in (BLANK, LABEL):
            if at[j, slot] >= 0 and best[j, slot, last] + table[row[at[j, slot]], width] > highest:
                highest, k, ends = best[j, slot, last] + table[row[at[j, slot]], width], slot, last
    if highest == -np.inf:
        return highest
    for t in range(symbol.size, 0, -1):
        symbol[t - 1] = width if ends == BLANK else labels[j - 1]
        origin = came[t, j, k, ends]
        j -= origin & 1
        k, ends = origin >> 2, (origin >> 1) & 1
    return highest
