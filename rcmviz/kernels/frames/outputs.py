"""One output among all: its alignments through a table of contexts, label by label; ``links``, ``scores`` as in sweeps.

A beginning y of an output has ``at (N, K)``, the contexts in which it can be after ``first``, first + 1, … frames, by
their length less one (−1 for none), and ``mass (N, K, 2)``, the logs of the summed scores of its alignments that end
there. Frames that do not matter are left out: those where all masses with their ``worth (C, 2)``, a log, are lighter
than the heaviest of them by more than ``drop``; with an infinite ``drop`` those before and behind all mass. These two
are ``matters = (worth, drop)``, and a ``beginning = (first, at, mass)``.
"""

import numpy as np

from rcmviz.kernels.chain.contexts import log_add
from rcmviz.kernels.frames.columns import BLANK, LABEL
from rcmviz.kernels.kernel import kernel
from rcmviz.kernels.rows import largest


@kernel()
def heaviest(worth, at, mass, t):
    """The heaviest mass with its worth in row t."""
    highest = -np.inf
    for k in range(at.shape[1]):
        if at[t, k] >= 0:
            for ends in (BLANK, LABEL):
                highest = max(highest, mass[t, k, ends] + worth[at[t, k], ends])
    return highest


@kernel()
def extent(matters, at, mass, start, stop):
    """The first of the rows ``[start, stop)`` that matters, and the one after the last."""
    worth, drop = matters
    lead = np.empty(max(stop - start, 0))
    for t in range(start, stop):
        lead[t - start] = heaviest(worth, at, mass, t)
    top = largest(lead) if lead.size else -np.inf
    if top == -np.inf:
        return start, start
    while lead[stop - 1 - start] == -np.inf or lead[stop - 1 - start] < top - drop:
        stop -= 1
    begin = start
    while lead[begin - start] == -np.inf or lead[begin - start] < top - drop:
        begin += 1
    return begin, stop


@kernel()
def nothing(links, scores, matters, at, mass):
    """The beginning of length zero, blanks only, into rows 0 … T; returns the extent of those that matter."""
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
    return extent(matters, at, mass, 0, len(emit) + 1)


@kernel()
def leaves(mass, t, k, label, last):
    """Log mass of the alignments in slot k after t frames that may show ``label`` next as a new one."""
    return mass[t, k, BLANK] if label == last else log_add(mass[t, k, BLANK], mass[t, k, LABEL])


@kernel()
def append(links, scores, matters, beginning, last, label, next_at, next_mass):
    """The beginning with one label more, into rows of 0 … T; returns the extent of those that matter.

    ``last`` is the label before it, −1 for none. Behind the last row of the shorter one, nothing arrives any more, and
    what is left only wanes.
    """
    _, stay, child, _, row, length = links
    (emit, table), (worth, drop), (first, at, mass) = scores, matters, beginning
    width, arrives, t = child.shape[1], first + len(at), first
    top = -np.inf
    next_at[t, :] = -1
    next_mass[t, :, :] = -np.inf
    while t < len(emit):
        next_at[t + 1, :] = -1
        next_mass[t + 1, :, :] = -np.inf
        for k in range(at.shape[1]):
            c = at[t - first, k] if t < arrives else -1
            if c >= 0 and child[c, label] >= 0:
                to = child[c, label]
                arriving = leaves(mass, t - first, k, label, last) + emit[t, label] + table[row[c], label]
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
        t += 1
        here = heaviest(worth, next_at, next_mass, t)
        top = max(top, here)
        if t >= arrives and (here == -np.inf or here < top - drop):
            break
    return extent(matters, next_at, next_mass, first, t + 1)


@kernel()
def whole(links, scores, beginning):
    """Log of the summed scores of the alignments that write this beginning and nothing more."""
    _, _, child, _, row, _ = links
    (emit, table), (first, at, mass) = scores, beginning
    end, total = len(emit) - first, -np.inf
    if end != len(at) - 1:
        return total
    for k in range(at.shape[1]):
        if at[end, k] >= 0:
            here = log_add(mass[end, k, BLANK], mass[end, k, LABEL])
            total = log_add(total, here + table[row[at[end, k]], child.shape[1]])
    return total


@kernel()
def continuations(links, scores, beta, log_z, beginning, last, labels, share):
    """``share (n,)``: probability that the output begins with y and goes on with each of ``labels (n,)``.

    Each enters at one frame.
    """
    _, _, child, _, row, _ = links
    (emit, table), (first, at, mass) = scores, beginning
    share[:] = 0.0
    for t in range(min(len(at), len(emit) - first)):
        for k in range(at.shape[1]):
            c = at[t, k]
            if c < 0 or mass[t, k, BLANK] == mass[t, k, LABEL] == -np.inf:
                continue
            for n, a in enumerate(labels):
                if child[c, a] >= 0:
                    ahead = emit[first + t, a] + table[row[c], a] + beta[child[c, a], LABEL]
                    share[n] += np.exp(leaves(mass, t, k, a, last) + ahead - log_z)


@kernel()
def improve(t, found, best, came, j, k, ends, origin):
    """Take a better way to label j in slot k, and note where it comes from."""
    if found > best[j, k, ends]:
        best[j, k, ends] = found
        came[t, j, k, ends] = origin


@kernel()
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


@kernel(inline="always")
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
