"""The highest scores of a long row, in one pass over it."""

import numpy as np

from rcmviz.kernels.bare_arrays import bare
from rcmviz.kernels.kernel import helper, kernel
from rcmviz.kernels.rows import ZERO


@helper()
def weaker(scores, a, b):
    """Whether label a goes before label b does: its score is lower, or the same and its number higher."""
    return scores[a] < scores[b] or (scores[a] == scores[b] and a > b)


@helper()
def sink(scores, heap, size, k):
    """Move the label at place k down until none below it is weaker."""
    while 2 * k + 1 < size:
        below = 2 * k + 1
        if below + 1 < size and weaker(scores, heap[below + 1], heap[below]):
            below += 1
        if not weaker(scores, heap[below], heap[k]):
            return
        heap[k], heap[below] = heap[below], heap[k]
        k = below


@kernel(inline="always")
def order(scores, heap):
    """Make labels a heap with the weakest on top."""
    for k in range(heap.size // 2 - 1, -1, -1):
        sink(scores, heap, heap.size, k)


@kernel()
def heaviest(scores, found):
    """The labels with the highest scores (V,) into ``found (K,)``, in ascending order; returns how many.

    Ties go to the lower label; −inf is no score. ``found`` is a heap with the weakest label on top until all are seen.
    """
    scores, found = bare((scores, found))
    size = 0
    for y in range(scores.size):
        if size == found.size:
            if scores[y] > scores[found[0]]:
                found[0] = y
                sink(scores, found, size, ZERO)
        elif scores[y] > -np.inf:
            found[size] = y
            size += 1
            if size == found.size:
                order(scores, found)
    if size == found.size:
        weakest, size = found[0], 0
        for y in range(scores.size):
            if y == weakest or weaker(scores, weakest, y):
                found[size] = y
                size += 1
    return size


@kernel()
def rank(scores, labels):
    """Sort labels (K,) by their scores (V,), the highest first and ties by the lower label.

    A heap, as ``heaviest`` has it: numpy's sorting takes four seconds to compile.
    """
    order(scores, labels)
    for last in range(labels.size - 1, 0, -1):
        labels[0], labels[last] = labels[last], labels[0]
        sink(scores, labels, last, ZERO)
