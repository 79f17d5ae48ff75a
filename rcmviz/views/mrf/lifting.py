"""A small text as a ring, the star it is lifted to, and its bound as it is tightened: JSON for the Lifting view."""

import numpy as np

from rcmviz.mrf.chain_bound import ChainBound
from rcmviz.mrf.moments import count_moments, ring
from rcmviz.mrf.reference import ring_log_z
from rcmviz.mrf.star import star_bound
from rcmviz.mrf.tightening import tighten
from rcmviz.mrf.training import FieldTrainer, FieldTraining
from rcmviz.mrf.vocabulary import read_corpus
from rcmviz.views.word.payload import digest, number

MOST_TOKENS, MOST_WORDS = 24, 12
MOST_STEPS = 40  # of tightening
LEARNING = 60  # training steps of the field of a small text
L2 = 0.3
CLOSE = 1e-5  # nats per token: where a step gains less, the bound is tight


def build_lifting(sentences, order, *, code=None):
    """Build the payload of the Lifting view for a text.

    ``sentences`` of a few words each · ``order`` K · ``code`` shown by "show code". A field of full rank is learnt from
    the text; its bound is then tightened from messages 0 on. ValueError for a text without words, with more than 24
    tokens or 12 different ones, or with 2K tokens or fewer.
    """
    vocabulary, corpus = read_corpus(sentences)
    line = ring(corpus, order)
    if len(line) > MOST_TOKENS or len(vocabulary) > MOST_WORDS:
        raise ValueError(
            f"the text has {len(line)} tokens and {len(vocabulary)} different ones, separators included: the picture "
            f"has room for {MOST_TOKENS} and {MOST_WORDS}; shorten it, or lower K"
        )
    potentials = small_field(corpus, order, len(vocabulary))
    payload = {
        "kind": "lifting",
        "title": " / ".join(" ".join(words) for words in sentences),
        "words": list(vocabulary.words),
        "ring": line.tolist(),
        "order": order,
        "exact": number(ring_log_z(potentials, len(line))[0]),
        "chain": number(_chain(potentials, len(line))),
        "steps": [_step_payload(potentials, delta) for delta in messages(potentials)],
        "code": code,
    }
    return payload | {"id": digest(payload)}


def small_field(corpus, order, size):
    """Potentials of full rank learnt from a small text."""
    settings = FieldTraining(order=order, rank=None, l2=L2, max_steps=LEARNING, dtype="float64")
    return FieldTrainer(count_moments([corpus], order, size), settings=settings).advance(LEARNING).potentials


def messages(potentials):
    """The messages (K, C) after 0, 1, 2 … steps of tightening, until a step gains less than ``CLOSE``."""
    found = [np.zeros((potentials.order, potentials.size))]
    for steps in range(1, MOST_STEPS + 1):
        tight = tighten(potentials, steps=steps)
        found.append(tight.delta)
        if len(tight.bounds) == 1 or tight.bounds[-2] - tight.bounds[-1] < CLOSE:
            break
    return found


def _chain(potentials, tokens):
    delta = ChainBound(potentials, tokens, "asymptotic").tighten().delta
    return ChainBound(potentials, tokens).at(delta).bound


def _step_payload(potentials, delta):
    star = star_bound(potentials, delta)
    return {"bound": number(star.bound), "delta": _rows(delta), "nodes": _rows(star.nodes)}


def _rows(table):
    return [[number(value) for value in row] for row in table]
