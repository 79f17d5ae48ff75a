"""Random back-off tables for hypothesis, with the irregularities of real files, and their conversion for the engine."""

import math
import random
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from oracles.ngrams import BEGIN, END, UNKNOWN, Table
from rcmviz.lm.language_model import LanguageModel
from rcmviz.lm.table import NgramTable

NAMES = "abcd"
SEEDS = st.integers(0, 10**9)
NEVER = -99 * math.log(10)  # what toolkits write for <s>
LOGS = (
    [-0.5, -1.0, -1.0, -2.0],  # many ties
    [-0.3, -0.7, -1.5, -2.9, -4.1, -7.3, 0.0],
    [-math.inf, NEVER, -0.75, -1.25, -4.0],
)
BACK_OFFS = (
    [0.0],
    [-0.2, -0.9, -2.7],
    [0.4, 1.3, -0.6, 0.0],  # above 1 as after cut-offs
    [-math.inf, NEVER, 0.75, -1.0],
)


def random_table(rng, size=20, max_order=5, ends=None):
    """1–4 words, ``<s>``, ``</s>``, ``<unk>`` or not, orders 1–5, up to ``size`` n-grams with holes of every kind.

    ``ends``: whether there is a ``</s>``, None for now and then.
    """
    words = tuple(NAMES[: rng.randint(1, 4)]) + (UNKNOWN,) * (rng.random() < 0.3)
    begin = (BEGIN,) * (rng.random() < 0.85)
    end = (END,) * (rng.random() < 0.8 if ends is None else ends)
    order, logs, back_offs = rng.randint(1, max_order), rng.choice(LOGS), rng.choice(BACK_OFFS)
    grams = {(word,) for word in (*words, *begin, *end) if rng.random() < 0.9}
    grams |= {_gram(rng, order, words, begin, end) for _ in range(size)}
    listed = {gram: (rng.choice(logs), rng.choice(back_offs) if len(gram) < order else 0.0) for gram in sorted(grams)}
    vocabulary = [*words, *begin, *end]
    rng.shuffle(vocabulary)
    return Table(order, tuple(vocabulary), listed)


def _gram(rng, order, words, begin, end):
    """An n-gram as a text has it, or now and then, as some files do, with ``<s>`` where it cannot be."""
    gram = rng.choices(words, k=rng.randint(1, order))
    if begin and rng.random() < 0.3:
        gram[0 if rng.random() < 0.8 else rng.randrange(len(gram))] = BEGIN
    if end and rng.random() < 0.3:
        gram[-1] = END
    return tuple(gram)


def tables(**options):
    """Strategy of random tables; failures shrink towards few n-grams."""
    sizes = st.sampled_from([2, 6, 20, 60])
    return st.builds(lambda seed, size: random_table(random.Random(seed), size, **options), SEEDS, sizes)


def dyadic(table):
    """The table in multiples of 1/64: sums of such logs are exact in single precision too, so it breaks no tie."""

    def rounded(log):
        return round(log * 64) / 64 if log > -math.inf else log

    return replace(table, listed={gram: tuple(map(rounded, logs)) for gram, logs in table.listed.items()})


def lm_of(table):
    """The engine's model of a table."""
    number = {word: k for k, word in enumerate(table.vocabulary)}
    by_order = [[gram for gram in table.listed if len(gram) == k] for k in range(1, table.order + 1)]
    tables = []
    for k, grams in enumerate(by_order, start=1):
        words = np.array([[number[word] for word in gram] for gram in grams], np.int32).reshape(-1, k)
        log_prob, back_off = np.array([table.listed[gram] for gram in grams], float).reshape(-1, 2).T
        tables.append(NgramTable(words, log_prob, back_off))
    return LanguageModel.from_tables(table.vocabulary, tables)


def histories_of(table, rng, count):
    """Histories of all lengths, half of them contexts of listed n-grams, the others random; ``<s>`` is only first."""
    contexts = sorted({gram[:-1] for gram in table.listed if BEGIN not in gram[1:-1] and END not in gram[:-1]})
    found = [()]
    for k in range(count):
        if k % 2 and contexts:
            found.append(rng.choice(contexts))
        else:
            words = [word for word in table.before if word != BEGIN]
            start = (BEGIN,) * (BEGIN in table.vocabulary and rng.random() < 0.3)
            found.append((*start, *rng.choices(words, k=rng.randint(0, table.order))))
    return found
