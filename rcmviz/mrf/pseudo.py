"""The paper's rival: stochastic gradients on the pseudo-likelihood, every token given its 2K neighbours.

log p(x_i | others) = θ⁰(x_i) + Σ_l θ_l(x_{i−l}, x_i) + θ_l(x_i, x_{i+l}) − log Σ_w e^{the same of w}: no log Z of the
ring, but every step sees a few tokens only and takes a softmax over all words for each. AdaGrad, in random order.
"""

import hashlib
import time

import numpy as np
from scipy import sparse

from rcmviz.mrf.moments import count_moments, ring
from rcmviz.mrf.potentials import LowRank
from rcmviz.mrf.training import DTYPES, FieldState, Stepwise, check_part, first_potentials

BATCHES = 50  # of a step: what lies between two states
ETA, DELTA = 0.1, 1e-6
MOST_HELD_OUT = 20_000  # tokens that the held-out pseudo-likelihood is taken of


class PseudoTrainer(Stepwise):
    """Learns a low-rank field from a ``NumberedText``, ``BATCHES`` batches a step; used as ``FieldTrainer`` is.

    ``bound`` and ``held_out`` of its states are mean log pseudo-likelihoods, no bounds; their messages are 0.
    ValueError for full rank.
    """

    FORMAT = "rcmviz/pseudo-training"

    def __init__(self, corpus, held_out, settings, size):
        if settings.rank is None:
            raise ValueError("the pseudo-likelihood is learnt with low-rank potentials: choose a rank")
        self.settings, self.step, self.seconds = settings, 0, 0.0
        self.data = fingerprint(corpus, size)
        began = time.perf_counter()
        moments = count_moments([corpus], settings.order, size)
        self.line, self.unseen = ring(corpus, settings.order), None
        if held_out is not None:
            self.unseen = ring(held_out, settings.order)[: MOST_HELD_OUT + 2 * settings.order]
        dtype = DTYPES[settings.dtype]
        self.parts = {name: part.astype(dtype) for name, part in first_potentials(moments, settings).parts.items()}
        self.squares = {name: np.zeros_like(part) for name, part in self.parts.items()}
        self.random, self.order_of_tokens = np.random.default_rng(settings.seed), np.zeros(0, np.int64)
        self.seconds = time.perf_counter() - began
        self.first = self.best = self._state(np.nan)

    def advance(self, steps=1):
        """Some steps, and then a ``FieldState``; ValueError where the training has come to an end."""
        self._check_going_on()
        for _ in range(steps):
            began, values = time.perf_counter(), []
            for _ in range(BATCHES):
                values.append(self._learn(self._next()))
            self.step += 1
            self.seconds += time.perf_counter() - began
            state = self._state(float(np.mean(values)))
            if self.unseen is None or not state.held_out <= self.best.held_out:
                self.best = state
            patience = self.settings.patience
            if self.unseen is not None and patience is not None and self.step - self.best.step >= patience:
                self.ended = "held-out"
            elif self.step >= self.settings.max_steps:
                self.ended = "steps"
            if self.done:
                break
        return state

    def _next(self):
        """Places of the next batch; all tokens of the ring once, in random order, then again."""
        if len(self.order_of_tokens) < self.settings.batch:
            self.order_of_tokens = self.random.permutation(len(self.line))
        batch, self.order_of_tokens = np.split(self.order_of_tokens, [self.settings.batch])
        return batch

    def _learn(self, places):
        value, gradient = pseudo_likelihood(self.parts, self.line, places)
        penalty = self.settings.l2 / len(self.line)
        for name, slope in gradient.items():
            if name != "node":
                slope = slope - penalty * self.parts[name]
            self.squares[name] += slope * slope
            self.parts[name] += self.settings.eta * slope / (np.sqrt(self.squares[name]) + DELTA)
        return value

    def _checkpoint_state(self):
        arrays = {f"{kind}.{name}": part for kind in ("parts", "squares") for name, part in getattr(self, kind).items()}
        return {"random": self.random.bit_generator.state}, arrays | {"waiting": self.order_of_tokens}

    @classmethod
    def resume(cls, path, corpus, held_out, size, *, max_steps=None):
        """Continue from a checkpoint, as ``FieldTrainer.resume`` does; the same text, held-out text and vocabulary."""

        def begin(settings):
            return cls(corpus, held_out, settings, size)

        return cls._resume_checkpoint(path, fingerprint(corpus, size), begin, max_steps)

    def _restore(self, head, arrays):
        for kind in ("parts", "squares"):
            for name, part in getattr(self, kind).items():
                check_part(f"{kind}.{name}", arrays[f"{kind}.{name}"], part.shape, part.dtype)
                part[:] = arrays[f"{kind}.{name}"]
        waiting = arrays["waiting"]
        check_part("waiting", waiting, (None,), np.int64)
        if len(waiting) and not 0 <= waiting.min() <= waiting.max() < len(self.line):
            raise ValueError("waiting names tokens that the text does not have")
        self.order_of_tokens, self.random.bit_generator.state = waiting, head["random"]

    def _state(self, value):
        held_out = np.nan
        if self.unseen is not None:
            held_out = pseudo_likelihood(self.parts, self.unseen, np.arange(len(self.unseen)), gradient=False)[0]
        potentials = LowRank(**{name: part.astype(np.float64) for name, part in self.parts.items()})
        left = self.seconds / max(self.step, 1) * (self.settings.max_steps - self.step)
        no_messages = np.zeros((potentials.order, potentials.size))
        return FieldState(
            self.step, value, held_out, value, np.nan, self.step * BATCHES, self.seconds, left, potentials, no_messages
        )


def fingerprint(corpus, size):
    """A fingerprint of a text and its vocabulary, to continue a checkpoint on the same text only."""
    found = hashlib.sha256(str(size).encode())
    found.update(np.ascontiguousarray(corpus.ids).tobytes() + np.ascontiguousarray(corpus.offset).tobytes())
    return found.hexdigest()


def pseudo_likelihood(parts, line, places, gradient=True):
    """(mean log pseudo-likelihood of the tokens at some ``places`` of a ring, its gradient by part or None)."""
    node, U, W = parts["node"], parts["U"], parts["W"]
    order, words = len(W), line[places]
    before = [line[(places - back) % len(line)] for back in range(1, order + 1)]
    behind = [line[(places + back) % len(line)] for back in range(1, order + 1)]
    from_right = sum(W[back][behind[back]] for back in range(order))
    scores = node + from_right @ U.T
    for back in range(order):
        scores += U[before[back]] @ W[back].T
    scores -= scores.max(axis=1, keepdims=True)
    at = np.arange(len(places))
    own = scores[at, words].astype(np.float64)
    np.exp(scores, out=scores)
    sums = scores.sum(axis=1, keepdims=True)
    value = float(np.mean(own - np.log(sums[:, 0])))
    if not gradient:
        return value, None
    scores /= -sums * len(places)
    scores[at, words] += 1.0 / len(places)  # observed minus expected
    of_U, of_W = scores.T @ from_right, np.empty_like(W)
    back_to_right = scores @ U
    for back in range(order):
        of_W[back] = scores.T @ U[before[back]] + _scatter(behind[back], back_to_right, len(node))
        of_U += _scatter(before[back], scores @ W[back], len(node))
    return value, {"node": scores.sum(axis=0), "U": of_U, "W": of_W}


def _scatter(words, rows, size):
    """Sums (C, D) of rows by word."""
    ones = np.ones(len(words), rows.dtype)
    return sparse.csr_array((ones, (words, np.arange(len(words)))), shape=(size, len(words))) @ rows
