"""A chain with a table of transitions between labels, by enumeration."""

import math
from itertools import product


def log_z(log_emit, after, start):
    """Log of the sum of exp(score) over all outputs; lists of lists, −inf allowed in the emissions."""
    T, labels = len(log_emit), range(len(start))
    total = 0.0
    for output in product(labels, repeat=T):
        score = start[output[0]] + sum(after[a][b] for a, b in zip(output, output[1:], strict=False))
        total += math.exp(score + sum(row[y] for row, y in zip(log_emit, output, strict=True)))
    return math.log(total)


def forgotten(after):
    """Return a label's weight after a forgotten one: the log of the mean of exp over the previous labels."""
    return [math.log(sum(math.exp(row[y]) for row in after) / len(after)) for y in range(len(after))]
