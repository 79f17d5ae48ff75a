"""The exact chain of order 1 on vectors of sixteen lanes: what ``dense.py`` does, in single precision.

A step of the chain is a product of messages and the table. Words go together in groups of four, longest first: each
column of the table that is loaded is multiplied by the messages of all four, and while one sum waits for its last
product the others continue. So the table is read a quarter as often, which is what a step costs beyond the cache.

All arrays are flat. A row of ``lanes`` places, the labels rounded up to whole vectors, belongs to each word of a group,
four rows to each position, zeros beyond the last label. Words that are shorter than the first of their group take part
in products to the end, and their results are not used. ``lane_state.py`` names the arrays; ``place`` is where a row
begins, ``w`` a word of the batch.

Masses of a position sum to one, and so do messages, but they are divided after the product that they go into, so that
the next position does not wait for a sum and a division.

A word with a mass that is too small for single precision gets NaN for log Z, as in ``lane_words.py``.
"""

import numpy as np

from rcmviz.kernels.bare_arrays import bare
from rcmviz.kernels.chain.lane_contexts import LEAST_MASS
from rcmviz.kernels.chain.lane_emissions import START, copy
from rcmviz.kernels.chain.words import LOG_SCORE, LOG_Z, MEAN_LENGTH
from rcmviz.kernels.kernel import kernel, part
from rcmviz.kernels.lanes import LANES, first, highest, larger, load, splat, spread, store, total

FAR = np.float32(1e6)  # from one: rows that sum to less lose range, to more gain it
GROUP = 4  # words; their sums are eight registers of AVX2, as many as two products per cycle keep busy


@part(error_model="numpy", _nrt=False)
def multiply(panels, message, place, lanes, inverse, ahead):
    """``ahead[g, y] = Σ_a message[g, a] · table[a, y] · inverse[g]`` for the words of a group."""
    depth = panels.size // lanes
    for y in range(0, lanes, LANES):
        one = two = three = four = splat(np.float32(0))
        for a in range(depth):
            at, column = place + a, load(panels, y * depth + a * LANES)
            one = one + splat(message[at]) * column
            two = two + splat(message[at + lanes]) * column
            three = three + splat(message[at + 2 * lanes]) * column
            four = four + splat(message[at + 3 * lanes]) * column
        store(ahead, y, one * spread(inverse, 0))
        store(ahead, y + lanes, two * spread(inverse, 1))
        store(ahead, y + 2 * lanes, three * spread(inverse, 2))
        store(ahead, y + 3 * lanes, four * spread(inverse, 3))


@part(error_model="numpy", _nrt=False)
def maximise(panels, message, place, lanes, ahead):
    """``multiply`` with a maximum for the sum."""
    depth = panels.size // lanes
    for y in range(0, lanes, LANES):
        one = two = three = four = splat(np.float32(0))
        for a in range(depth):
            at, column = place + a, load(panels, y * depth + a * LANES)
            one = larger(one, splat(message[at]) * column)
            two = larger(two, splat(message[at + lanes]) * column)
            three = larger(three, splat(message[at + 2 * lanes]) * column)
            four = larger(four, splat(message[at + 3 * lanes]) * column)
        store(ahead, y, one)
        store(ahead, y + lanes, two)
        store(ahead, y + 2 * lanes, three)
        store(ahead, y + 3 * lanes, four)


@kernel(error_model="numpy", _nrt=False, inline="always")
def times(one, here, other, there, lanes, into, place):
    """The product of two rows into a third; returns its sum."""
    whole = splat(np.float32(0))
    for y in range(0, lanes, LANES):
        part = load(one, here + y) * load(other, there + y)
        store(into, place + y, part)
        whole = whole + part
    return total(whole)


@kernel(error_model="numpy", _nrt=False, inline="always")
def peak(row, place, lanes):
    """The largest of a row."""
    top = splat(np.float32(0))
    for y in range(0, lanes, LANES):
        top = larger(top, load(row, place + y))
    return highest(top)


@kernel(error_model="numpy", _nrt=False, inline="always")
def divide(row, place, lanes, by):
    """A row divided by a number; zeros by zero."""
    inverse = splat(np.float32(1) / by if by > 0 else np.float32(0))
    for y in range(0, lanes, LANES):
        store(row, place + y, load(row, place + y) * inverse)


@kernel(error_model="numpy", _nrt=False, inline="always")
def begin_product(logs):
    """A product of many factors for each word of a group: its log so far, and the factors not in the log yet."""
    for g in range(GROUP):
        logs[2 * g], logs[2 * g + 1] = 0, 1


@kernel(error_model="numpy", _nrt=False, inline="always")
def gather(logs, g, factor):
    """One more factor; NaN if it is too small to be trusted."""
    product = logs[2 * g + 1] * (factor if factor > LEAST_MASS else np.float32(np.nan))
    if not 1e-200 < product < 1e200:
        logs[2 * g] += np.log(product)
        product = 1.0
    logs[2 * g + 1] = product


@kernel(error_model="numpy", _nrt=False, inline="always")
def put_off(row, place, lanes, whole, inverse, g):
    """A row that sums to ``whole`` is divided by it after the next product, or at once where that is far from one."""
    if not 1 / FAR < whole < FAR:
        divide(row, place, lanes, whole)
        whole = np.float32(1)
    inverse[g] = np.float32(1) / whole


@part(error_model="numpy", _nrt=False)
def forward_group(offset, words, table, lanes, space):
    """Forward masses ``alpha`` of each position, up to a factor; log Z is gathered."""
    emit, alpha, ahead, inverse = space.emit, space.alpha, space.ahead, space.inverse
    begin_product(space.logs)
    for i in range(offset[words[0] + 1] - offset[words[0]]):
        here = i * GROUP * lanes
        if i > 0:
            multiply(table.forward, alpha, here - GROUP * lanes, lanes, inverse, ahead)
        for g in range(words.size):
            w, place = words[g], here + g * lanes
            if i < offset[w + 1] - offset[w]:
                if i > 0:
                    whole = times(ahead, g * lanes, emit, place, lanes, alpha, place)
                else:
                    whole = times(table.start, 0, emit, place, lanes, alpha, place)
                put_off(alpha, place, lanes, whole, inverse, g)
                gather(space.logs, g, whole)


@kernel(error_model="numpy", _nrt=False, inline="always")
def end_words(offset, words, i, lanes, ahead):
    """Nothing follows the last position: there all that lies ahead is one."""
    for g in range(words.size):
        if i == offset[words[g] + 1] - offset[words[g]] - 1:
            for y in range(g * lanes, (g + 1) * lanes, LANES):
                store(ahead, y, splat(np.float32(1)))


@part(error_model="numpy", _nrt=False)
def share(emit, alpha, place, ahead, message, row, lanes):
    """Masses of a position in place of ``alpha``, and the message to the one before it; returns the sums of both."""
    whole = sent = splat(np.float32(0))
    for y in range(0, lanes, LANES):
        rest = load(ahead, row + y)
        mass, arcs = load(alpha, place + y) * rest, load(emit, place + y) * rest
        store(alpha, place + y, mass)
        store(message, row + y, arcs)
        whole, sent = whole + mass, sent + arcs
    return total(whole), total(sent)


@part(error_model="numpy", _nrt=False)
def put_scaled(row, place, by, into, to, count):
    """``count`` places of a row of whole vectors, times a number, into another."""
    factor, last = splat(by), count - LANES
    for y in range(0, last, LANES):
        store(into, to + y, load(row, place + y) * factor)
    if last >= 0:
        store(into, to + last, load(row, place + last) * factor)
    else:
        for y in range(count):
            into[to + y] = row[place + y] * by


@part(error_model="numpy", _nrt=False)
def posterior_group(offset, words, table, lanes, space, posterior, scores):
    """Label posteriors of a group's words, from messages that go backward; nothing is left of ``alpha``.

    A mass that is too small to be trusted turns log Z among the ``scores`` into NaN.
    """
    emit, alpha, message, ahead, inverse = space.emit, space.alpha, space.message, space.ahead, space.inverse
    depth = table.backward.size // lanes
    for i in range(offset[words[0] + 1] - offset[words[0]] - 1, -1, -1):
        end_words(offset, words, i, lanes, ahead)
        for g in range(words.size):
            w, row, place = words[g], g * lanes, (i * GROUP + g) * lanes
            if i < offset[w + 1] - offset[w]:
                whole, sent = share(emit, alpha, place, ahead, message, row, lanes)
                if not whole > LEAST_MASS:
                    scores[w, LOG_Z] = np.nan
                inverse[GROUP + g] = np.float32(1) / whole if whole > LEAST_MASS else np.float32(0)
                put_off(message, row, lanes, sent, inverse, g)
        if i > 0:
            multiply(table.backward, message, START, lanes, inverse, ahead)
        for g in range(words.size):
            w, place = words[g], (i * GROUP + g) * lanes
            if i < offset[w + 1] - offset[w]:
                put_scaled(alpha, place, inverse[GROUP + g], posterior, (offset[w] + i) * depth, depth)


@part(error_model="numpy", _nrt=False)
def viterbi_group(offset, words, table, lanes, space, labels):
    """The best labels of a group's words, ties to the lower label at the earliest position; log scores are gathered."""
    emit, best, ahead = space.emit, space.alpha, space.ahead
    depth = table.forward.size // lanes
    begin_product(space.logs)
    for i in range(offset[words[0] + 1] - offset[words[0]] - 1, -1, -1):
        end_words(offset, words, i, lanes, ahead)
        for g in range(words.size):
            w, row, place = words[g], g * lanes, (i * GROUP + g) * lanes
            if i < offset[w + 1] - offset[w]:
                times(emit, place, ahead, row, lanes, best, place)
                top = peak(best, place, lanes)
                divide(best, place, lanes, top)
                gather(space.logs, g, top)
        if i > 0:
            maximise(table.backward, best, i * GROUP * lanes, lanes, ahead)
    for g in range(words.size):
        begin = offset[words[g]]
        label, top = best_label(table.start, START, np.int64(LANES), best, g * lanes, lanes)
        labels[begin] = label
        gather(space.logs, g, top)
        for i in range(1, offset[words[g] + 1] - begin):
            label, _ = best_label(table.forward, label * LANES, depth * LANES, best, (i * GROUP + g) * lanes, lanes)
            labels[begin + i] = label


@part(error_model="numpy", _nrt=False)
def best_label(weights, begin, stride, message, place, lanes):
    """The label of the largest product, the lowest of equals, and that product; vectors of weights lie apart."""
    label, top = 0, np.float32(-1)
    for y in range(0, lanes, LANES):
        arcs = load(weights, begin) * load(message, place + y)
        value = highest(arcs)
        if value > top:
            label, top = y + first(arcs == splat(value)), value
        begin += stride
    return label, top


@kernel(error_model="numpy", _nrt=False)
def infer_exact_lanes(thread, threads, emit, offset, order, table, outputs, space):
    """Every ``threads``-th group of words from ``thread`` on; ``order (W,)`` numbers words, the longest first.

    ``emit`` is flat. Other arguments are those of ``lane_state.py``.
    """
    emit, offset, order, table, outputs, space = bare((emit, offset, order, table, outputs, space))
    scores, lanes, logs = outputs.scores, table.start.size, space.logs
    depth = table.forward.size // lanes
    for begin in range(thread * GROUP, order.size, threads * GROUP):
        words = order[begin : begin + GROUP]
        for g in range(words.size):
            here = offset[words[g]]
            for i in range(offset[words[g] + 1] - here):
                copy(emit, (here + i) * depth, space.emit, (i * GROUP + g) * lanes, depth)
        forward_group(offset, words, table, lanes, space)
        for g in range(words.size):
            w = words[g]
            scores[w, LOG_Z] = logs[2 * g] + np.log(logs[2 * g + 1])
            if scores.shape[1] > MEAN_LENGTH:
                scores[w, MEAN_LENGTH] = offset[w + 1] - offset[w] > 1
        if outputs.posterior.size > 0:
            posterior_group(offset, words, table, lanes, space, outputs.posterior, scores)
        if outputs.labels.size > 0:
            viterbi_group(offset, words, table, lanes, space, outputs.labels)
            for g in range(words.size):
                scores[words[g], LOG_SCORE] = logs[2 * g] + np.log(logs[2 * g + 1])
                if np.isnan(scores[words[g], LOG_SCORE]):
                    scores[words[g], LOG_Z] = np.nan
