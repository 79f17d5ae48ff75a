"""Small language models and finished ARS runs on them, for the tests of the ARS page."""

import numpy as np

import rcmviz as rv

TEXT = (
    "the two dogs bark .",
    "the dog barks .",
    "two dogs bark at the dog .",
    "a dog sees the two cats .",
    "the cat sees a dog .",
    "cats see dogs .",
    "a cat barks at the two dogs .",
    "dogs see the cat .",
)
WORDS = sorted({word for line in TEXT for word in line.split()})


def toy_lm(order=3):
    return rv.train_lm(TEXT, order=order, cutoffs=(0,))


def toy_problem(seed=0, length=4, order=3):
    """``(lm, candidates, log_obs)`` with positions of different width, drawn at random."""
    random = np.random.default_rng(seed)
    candidates = [tuple(random.permutation(WORDS)[: random.integers(1, len(WORDS))].tolist()) for _ in range(length)]
    return toy_lm(order), candidates, [random.normal(0, 1, len(words)) for words in candidates]


def decoded(seed=0, length=4, order=3, **options):
    return rv.ars_decode(*toy_problem(seed, length, order), look_ahead=False, **options)


def sampled(seed=0, length=4, order=3, n=60, **options):
    return rv.ars_sample(*toy_problem(seed, length, order), n=n, seed=seed, look_ahead=False, batch=10, **options)
