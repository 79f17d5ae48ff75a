"""Exact values, where they can be computed: sentences given their length, and log Z of the whole ring.

The last K words are a state of C^K numbers; a step to the next word is K matrix products' worth of work: a matvec for
K = 1, one product C × C × C for K = 2. The log normaliser of a sentence depends on its length only (eq. 3).
"""

from functools import cached_property

import numpy as np

from rcmviz.mrf.chain_bound import growth, log_trace_of_power

MOST_STATES = 16_000_000  # C^K: 4,000 words for K = 2
SMALL = 250_000  # C^K below which double precision costs nothing
MOST_TRANSFER = 4_000  # C^K of a transfer matrix over states
CLOSE = {"float64": 1e-12, "float32": 1e-6}  # of λ from one iteration to the next


class SentenceModel:
    """Sentences under some potentials, given how long they are: K separators (number 0) before and behind.

    ``dtype``: double precision for few states, else single. ValueError for too many states.
    """

    def __init__(self, potentials, dtype=None):
        self.potentials, self.order, self.size = potentials, potentials.order, potentials.size
        states = float(self.size) ** self.order
        if states > MOST_STATES:
            raise ValueError(
                f"{self.size:,} words and order {self.order}: the exact normaliser sums over {states:.1g} states, at "
                f"most {MOST_STATES:,}; use the bound, fewer words or a lower order"
            )
        self.dtype = dtype or (np.float64 if states <= SMALL else np.float32)
        self.log_zs, self._state, self._scale = [], None, 0.0

    @cached_property
    def edges(self):
        """e^{θ_l − its maximum} per distance, and the sum of the maxima."""
        found, sum_of_maxima = [], 0.0
        for back in range(1, self.order + 1):
            edge = np.asarray(self.potentials.edges(back), np.float64)
            sum_of_maxima += edge.max()
            found.append(np.exp(edge - edge.max()).astype(self.dtype))
        return found, sum_of_maxima

    @cached_property
    def node(self):
        """e^{θ⁰ − its maximum} without the separator, and the maximum."""
        node = np.asarray(self.potentials.node, np.float64)
        highest = node[1:].max()
        weight = np.exp(node - highest)
        weight[0] = 0.0
        return weight.astype(self.dtype), highest

    def step(self, state):
        """(the state (C, …, C) after one more word, what its logs are to be raised by)."""
        edges, of_edges = self.edges
        weight, of_node = self.node
        state = np.tensordot(state, edges[-1], axes=(0, 0))
        for back in range(1, self.order):
            shape = [1] * self.order
            shape[-1 - back], shape[-1] = self.size, self.size
            state = state * edges[back - 1].reshape(shape)
        return state * weight, of_edges + of_node

    def log_z(self, length):
        """Log of the summed weight of all sentences of ``length`` words."""
        if self._state is None:
            self._state = np.zeros((self.size,) * self.order, self.dtype)
            self._state[(0,) * self.order] = 1.0
        while len(self.log_zs) < length:
            state, scale = self.step(self._state)
            highest = state.max()
            self._state, self._scale = state / highest, self._scale + scale + np.log(float(highest))
            self.log_zs.append(self._scale + self._log_end())
        return self.log_zs[length - 1]

    def _log_end(self):
        """Log Σ over states of their weight and of the edges to K separators behind them."""
        weight, highest = self._ends
        return float(np.log(np.sum(self._state * weight, dtype=np.float64)) + highest)

    @cached_property
    def _ends(self):
        ends = self.ends()
        return np.exp(ends - ends.max()).astype(self.dtype), ends.max()

    def ends(self):
        """Scores (C, …, C) of the edges from the last K words to the K separators behind them."""
        total = 0.0
        for back in range(1, self.order + 1):  # the word that is ``back`` places from the first separator
            distances = range(back, self.order + 1)
            of_word = sum(np.asarray(self.potentials.edges(far, right=[0])[:, 0], np.float64) for far in distances)
            of_word[0] = 0.0  # two separators are no part of a sentence
            shape = [1] * self.order
            shape[-back] = self.size
            total = total + of_word.reshape(shape)
        return total

    def score(self, ids):
        """Log weight of a sentence: its nodes, and all edges between its words and with separators."""
        return sentence_score(self.potentials, ids)

    def log_prob(self, ids):
        """Log probability of a sentence among all of its length."""
        return self.score(ids) - self.log_z(len(ids))


def sentence_score(potentials, ids):
    """Log weight of a sentence: its nodes, and the edges that touch a word of it, K separators on both sides."""
    order = potentials.order
    line = np.concatenate([np.zeros(order, np.int64), ids, np.zeros(order, np.int64)])
    total = float(np.sum(potentials.node[np.asarray(ids)], dtype=np.float64))
    inside = np.zeros(len(line), bool)
    inside[order:-order] = True
    for back in range(1, order + 1):
        touched = inside[:-back] | inside[back:]
        scores = potentials.of_pairs(back, line[:-back][touched], line[back:][touched])
        total += float(np.sum(scores, dtype=np.float64))
    return total


def ring_log_z(potentials, tokens):
    """(log Z / N of the ring in nats per token, whether it is exact for this N).

    Where a transfer matrix over C^K states can be held, the trace of its N-th power; else log λ_max by power iteration,
    the limit for large N.
    """
    order, size = potentials.order, potentials.size
    if tokens <= 2 * order:
        raise ValueError(f"N = {tokens}: a ring of order {order} has more than {2 * order} positions")
    if size**order <= MOST_TRANSFER:
        matrix, raised = _transfer(potentials)
        log_trace, _ = log_trace_of_power(matrix, tokens)
        return log_trace / tokens + raised, True
    return _log_of_growth(potentials), False


def _transfer(potentials):
    """(matrix (C^K, C^K) from the last K words to the next K, what the log of its entries is to be raised by)."""
    order, size = potentials.order, potentials.size
    sentences = SentenceModel(potentials, np.float64)
    sentences.node = _all_nodes(potentials)
    states = np.eye(size**order).reshape((size,) * order + (size**order,))
    rows = [sentences.step(states[..., k])[0].ravel() for k in range(size**order)]
    return np.array(rows), sentences.edges[1] + sentences.node[1]


def _all_nodes(potentials):
    """``SentenceModel.node`` with the separator as a word."""
    node = np.asarray(potentials.node, np.float64)
    return np.exp(node - node.max()), node.max()


def _log_of_growth(potentials):
    """log λ_max of the step from state to state: the mass that a position multiplies by, after many positions."""
    sentences = SentenceModel(potentials)
    weight, raised = _all_nodes(potentials)
    sentences.node = weight.astype(sentences.dtype), raised
    even = np.full((potentials.size,) * potentials.order, 1.0 / potentials.size**potentials.order, sentences.dtype)
    value, _ = growth(lambda state: sentences.step(state)[0], even, CLOSE[np.dtype(sentences.dtype).name])
    return float(np.log(value) + sentences.edges[1] + raised)
