"""Whole histories: what the full model, which forgets nothing, scores them, and the pass of a lattice that keeps them.

It is asked as the builders ask it (``scores.py``), so that any kind of model answers.
"""

import numpy as np

from rcmviz.core.builders.passes import ForwardPass, column_of
from rcmviz.kernels.chain import contexts as kernel

AT_ONCE = 2_000_000  # scores of one block of outputs, 16 MB


def arc_scores(scores, histories):
    """Log scores (K, Y) of the labels that may follow ``histories`` (K, i), emissions included."""
    count, i = histories.shape
    first = max(0, i + 1 - scores.order)  # columns before those that a score can see
    columns, codes = [None] * first, np.zeros(count, np.int64)
    for j in range(first, i + 1):
        if j == 0:
            columns.append(column_of(0, codes))
            continue
        codes = _extend_codes(scores, codes, histories[:, j - 1])
        columns.append(column_of(min(j, scores.order), codes, np.arange(count), histories[:, j - 1]))
    scores.place(i, columns[-1])
    return scores.arcs(i, columns[-1], scores.table(columns))


def output_scores(scores, outputs):
    """Log scores (K, T) of the labels of ``outputs`` (K, T), indices of their positions, each after all before it.

    −inf from an index on that its position does not offer.
    """
    offered = (outputs >= 0) & (outputs < scores.widths)
    written, found = np.where(offered, outputs, 0), np.empty(outputs.shape)
    block = max(1, AT_ONCE // scores.log_emit.shape[1])
    for start in range(0, len(outputs), block):
        rows = slice(start, start + block)
        for i in range(outputs.shape[1]):
            arcs = arc_scores(scores, written[rows, :i])
            found[rows, i] = np.take_along_axis(arcs, written[rows, i : i + 1], axis=1)[:, 0]
    return np.where(np.logical_or.accumulate(~offered, axis=1), -np.inf, found)


def history_pass(scores, origins, labels):
    """The pass that keeps these histories and drops all others.

    ``origins``, ``labels`` per position: which history of the column before each one extends, and by what. Those of the
    last position are outputs, which end together.
    """
    width, length = scores.log_emit.shape[1], len(origins)
    run, here = ForwardPass([], [], []), column_of(0, np.zeros(1, np.int64))
    for i in range(length):
        if i:
            origin, label = origins[i - 1], labels[i - 1]
            here = column_of(i, _extend_codes(scores, here[kernel.CODE, origin], label), origin, label)
        if here.shape[1]:  # a search may have found no output
            scores.place(i, here)
        run.contexts.append(here)
        run.table.append(scores.table(run.contexts))
        into = np.full((here.shape[1], width), -1, np.int64)
        into[origins[i], labels[i]] = np.arange(len(origins[i])) if i < length - 1 else 0
        run.target.append(into)
    return run


def _extend_codes(scores, codes, labels):
    """The codes (K,) of contexts with one more label: their last ``order`` labels as digits, the last one lowest.

    Of a model whose codes would not fit the number means nothing: it does not look for its rows by them.
    """
    width = scores.log_emit.shape[1]
    return (codes * width + labels) % min(width**scores.order, 2**62)
