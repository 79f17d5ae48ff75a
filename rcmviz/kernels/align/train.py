"""Learning alignments: one AdaGrad step per example, on what its observed letters expect minus what the model expects.

The gradient of log p(y | x) is E[φ | x, y] − E[φ | x], both under the contexts that were chosen (Steinhardt & Liang
2015, eq. 7).
"""

import numpy as np

from rcmviz.kernels.align.features import NODES
from rcmviz.kernels.align.scores import gather_gradient, touch
from rcmviz.kernels.bare_arrays import bare
from rcmviz.kernels.kernel import kernel
from rcmviz.kernels.learn.weights import ABSENT, ascend, enter_rows

LEAST_SLOPE = 1e-7  # a smaller one makes no new row: the step would be 2e-6


@kernel(inline="always")
def claim_node(node, trie, store):
    """Give a node a row of weights, its shorter features first; ``enter_rows`` is still to come.

    A row that the forward pass did not find is in no slot, so none is looked for.
    """
    parent, row, used = trie.parent, trie.row, store.used
    while row[node] == ABSENT:
        top = node
        while parent[top] >= 0 and row[parent[top]] == ABSENT:
            top = parent[top]
        above = ABSENT if parent[top] < 0 else row[parent[top]]
        row[top] = used[0]
        store.owner[used[0]] = (above + 1) << 24 | trie.mark[top]
        used[0] += 1


@kernel(_nrt=False)
def step_nodes(scorer, rate, steps):
    """One step on the weights of every node whose slope counts; ``steps (1,)`` are one more. The squared norm."""
    scorer, steps = bare((scorer, steps))
    trie, store, group = scorer.trie, scorer.store, scorer.weights
    row, slope, stepped = trie.row, trie.gradient, trie.stepped
    gather_gradient(scorer)
    many, known = 0, store.used[0]
    for node in range(scorer.counters[NODES]):
        own, steep = slope[node], 0
        for y in range(own.size):  # a count, as a maximum does not vectorise
            steep += np.int64(abs(own[y]) >= LEAST_SLOPE)
        if steep == 0:
            continue
        claim_node(node, trie, store)
        stepped[many] = row[node]
        into = slope[many]
        for y in range(own.size):
            into[y] = own[y]
        many += 1
    enter_rows(known, store, row)  # the rows of nodes have been used: all that step are in ``stepped``
    touch(group.square, stepped[:many], trie.score)
    norm = ascend(group, stepped[:many], slope, rate, steps[0])
    steps[0] += 1
    return norm
