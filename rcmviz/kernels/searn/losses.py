"""Losses of a completed output against the truth, both label numbers."""

from typing import NamedTuple

import numpy as np

from rcmviz.kernels.bare_arrays import bare
from rcmviz.kernels.kernel import kernel, part

HAMMING, ZERO_ONE, CHUNKS, EDIT = 0, 1, 2, 3
OUTSIDE, BEGINS, INSIDE = 0, 1, 2  # ``kinds (Y, 2)``: which of these a label is, and the number of its chunk's type


@kernel()
def loss_of(loss, truth, output, kinds):
    """`output_loss` of arrays of numpy."""
    return output_loss(loss, *bare((truth, output, kinds)))


@part()
def output_loss(loss, truth, output, kinds):
    """The loss of one output; ``kinds`` matters to chunks only."""
    if loss == CHUNKS:
        return chunk_loss(truth, output, kinds)
    if loss == EDIT:
        return edit_distance(truth, output)
    errors = 0
    for i in range(truth.size):
        errors += truth[i] != output[i]
    return float(errors if loss == HAMMING else min(errors, 1))


@part(_nrt=False)
def kind_of(label, kinds):
    """What a label is; the last row is of one that training has not seen, −1."""
    return kinds[label if label >= 0 else kinds.shape[0] - 1]


@part(_nrt=False)
def begins_chunk(labels, i, kinds):
    """Whether a chunk begins at position i: at B, and at I that continues none of its type."""
    kind = kind_of(labels[i], kinds)[0]
    if kind != INSIDE:
        return kind == BEGINS
    if i == 0:
        return True
    before = kind_of(labels[i - 1], kinds)
    return before[0] == OUTSIDE or before[1] != kind_of(labels[i], kinds)[1]


@part(_nrt=False)
def ends_chunk(labels, i, kinds):
    """Whether the chunk that position i belongs to ends there."""
    if i + 1 == labels.size:
        return True
    return kind_of(labels[i + 1], kinds)[0] == OUTSIDE or begins_chunk(labels, i + 1, kinds)


class Chunks(NamedTuple):
    """How many chunks there are, a chunk being where it begins and ends and its type."""

    of_truth: int
    of_output: int
    right: int  # in both


@kernel()
def count_chunks(truth, output, kinds):
    """The `Chunks` of an output and the truth."""
    truth, output, kinds = bare((truth, output, kinds))
    of_truth, of_output, right, same = 0, 0, 0, False
    for i in range(truth.size):
        here, there = kind_of(truth[i], kinds)[0] != OUTSIDE, kind_of(output[i], kinds)[0] != OUTSIDE
        new, found = here and begins_chunk(truth, i, kinds), there and begins_chunk(output, i, kinds)
        of_truth, of_output = of_truth + new, of_output + found
        if new or found:
            same = new and found and kind_of(truth[i], kinds)[1] == kind_of(output[i], kinds)[1]
        if same and here and there:
            last, end = ends_chunk(truth, i, kinds), ends_chunk(output, i, kinds)
            right += last and end
            same = not last and not end
    return Chunks(of_truth, of_output, right)


@kernel(inline="always")
def chunk_loss(truth, output, kinds):
    """1 − F1 of the chunks; 0 where neither has any."""
    chunks = count_chunks(truth, output, kinds)
    if chunks.of_truth + chunks.of_output == 0:
        return 0.0
    return 1.0 - 2.0 * chunks.right / (chunks.of_truth + chunks.of_output)


@kernel(inline="always")
def edit_distance(truth, output):
    """Least number of insertions, deletions and substitutions (Levenshtein)."""
    row = np.empty(output.size + 1, np.int64)
    for j in range(row.size):
        row[j] = j
    for i in range(truth.size):
        corner, row[0] = row[0], i + 1
        for j in range(output.size):
            other = corner + (truth[i] != output[j])
            corner = row[j + 1]
            row[j + 1] = min(other, min(row[j], corner) + 1)
    return float(row[output.size])
