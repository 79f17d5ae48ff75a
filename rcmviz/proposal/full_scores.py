"""What the full model scores outputs with nothing of them forgotten, whatever kind of model it is."""

import numpy as np

from rcmviz.kernels.chain import contexts as kernel

AT_ONCE = 2_000_000  # scores of one block of outputs, 16 MB


def arc_scores(scores, labels, i):
    """Log scores (n, Y) of the labels that may follow the first i of ``labels (n, T)``, emissions included.

    ``scores`` as of ``core/scores.py``. Made of one column of as many contexts as there are outputs, each of which
    remembers all that a score can see.
    """
    first = max(0, i + 1 - scores.order)  # columns before those that a score can see
    columns = [None] * first + [_column(scores, labels, j) for j in range(first, i + 1)]
    scores.place(i, columns[-1])
    return scores.arcs(i, columns[-1], scores.table(columns))


def output_scores(scores, labels):
    """Log scores (n,) of whole outputs ``labels (n, T)``, indices of their positions."""
    total, length = np.zeros(len(labels)), labels.shape[1]
    block = max(1, AT_ONCE // scores.log_emit.shape[1])
    for start in range(0, len(labels), block):
        some = slice(start, start + block)
        for i in range(length):
            total[some] += np.take_along_axis(arc_scores(scores, labels[some], i), labels[some, i : i + 1], 1)[:, 0]
    return total


def _column(scores, labels, j):
    """The contexts of the first j labels."""
    here = np.zeros((kernel.FIELDS, len(labels)), np.int64)
    here[kernel.PARENT] = here[kernel.LABEL] = here[kernel.ORIGIN] = -1
    here[kernel.LENGTH] = min(j, scores.order)
    if j:
        here[kernel.LABEL], here[kernel.ORIGIN] = labels[:, j - 1], np.arange(len(labels))
    here[kernel.CODE] = codes_of(labels[:, :j], scores)
    return here


def codes_of(labels, scores):
    """The last labels (n,) as numbers in base Y, as contexts carry them."""
    codes = np.zeros(len(labels), np.int64)
    for column in labels[:, -scores.order :].T:
        codes = extended_codes(codes, column, scores)
    return codes


def extended_codes(codes, labels, scores):
    """The codes (n,) of histories with one more label; zeros where they would not fit, as only windows read them."""
    width = scores.log_emit.shape[1]
    fits = (scores.order + 1) * np.log2(max(width, 2)) < 62
    return (codes * width + labels) % width**scores.order if fits else np.zeros(len(labels), np.int64)
