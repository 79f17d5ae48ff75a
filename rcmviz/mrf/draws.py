"""Draws of sentences of a given length: exact where the states can be summed over, else by Gibbs sampling."""

import numpy as np

from rcmviz.mrf.reference import MOST_STATES, SentenceModel

MOST_NUMBERS = 60_000_000  # of all states of a sentence
SWEEPS = 200


def can_be_exact(potentials, length):
    """Whether exact draws fit in memory: C^K numbers per word."""
    states = float(potentials.size) ** potentials.order
    return states <= MOST_STATES and length * states <= MOST_NUMBERS


def draw_exactly(potentials, length, count, random):
    """``count`` sentences (count, length) of word numbers: forward sums, then words from the last to the first."""
    sentences = SentenceModel(potentials)
    order, size = potentials.order, potentials.size
    state = np.zeros((size,) * order, sentences.dtype)
    state[(0,) * order] = 1.0
    states = []
    for _ in range(length):
        state, _ = sentences.step(state)
        state = state / state.max()
        states.append(state)
    ends = sentences.ends()
    last = states[-1].astype(np.float64) * np.exp(ends - ends.max())
    picked = np.searchsorted(np.cumsum(last.ravel()) / last.sum(), random.random(count), side="right")
    recent = np.stack(np.unravel_index(np.minimum(picked, last.size - 1), last.shape), axis=1)
    drawn = np.empty((count, length), np.int64)
    drawn[:, -min(order, length) :] = recent[:, -min(order, length) :]
    furthest = potentials.edges(order)
    for i in range(length - 2, -1, -1):  # the state at i + 1 is known: draw the word that it forgot
        place = (slice(None), *recent[:, :-1].T)
        weights = np.atleast_2d(states[i][place].T).astype(np.float64)
        scores = np.asarray(furthest[:, recent[:, -1]].T, np.float64)
        weights = weights * np.exp(scores - scores.max(axis=1, keepdims=True))
        sums = np.cumsum(weights, axis=1)
        older = (sums < random.random(count)[:, None] * sums[:, -1:]).sum(axis=1)
        recent = np.column_stack([older, recent[:, :-1]])
        if i - order + 1 >= 0:
            drawn[:, i - order + 1] = older
    return drawn


def draw_by_gibbs(potentials, length, count, random, sweeps=SWEEPS):
    """Draw ``count`` sentences, each at the end of a separate chain that started from words drawn at random.

    In a sweep every word is drawn again given its 2K neighbours, which are all that it depends on.
    """
    order, size = potentials.order, potentials.size
    node = np.asarray(potentials.node, np.float64).copy()
    node[0] = -np.inf
    weights = np.exp(node - node.max())
    line = np.zeros((count, length + 2 * order), np.int64)
    line[:, order:-order] = random.choice(size, (count, length), p=weights / weights.sum())
    for _ in range(sweeps):
        for i in range(order, order + length):
            scores = node + sum(
                potentials.edges(back, left=line[:, i - back]) + potentials.edges(back, right=line[:, i + back]).T
                for back in range(1, order + 1)
            )
            sums = np.cumsum(np.exp(scores - scores.max(axis=1, keepdims=True)), axis=1)
            line[:, i] = (sums < random.random(count)[:, None] * sums[:, -1:]).sum(axis=1)
    return line[:, order:-order]
