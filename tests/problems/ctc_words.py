"""Random small problems of CTC with words for hypothesis, and their conversion for the engine."""

import math
import random
import warnings
from itertools import product

import numpy as np
from hypothesis import strategies as st

import rcmviz as rv
from oracles.ctc import BLANK, Machine
from oracles.ngrams import BEGIN, END, UNKNOWN, Table
from oracles.word_ctc import NOWHERE, Last, Whole, WordProblem
from problems.ctc import LOGS
from problems.ngrams import SEEDS, dyadic, lm_of, random_table
from rcmviz.ctc_decoding.contexts import Prefixes

LETTERS, SEPARATOR = "ab", "_"
SPELT = ("a", "b", "ab", "ba", "aa", "abb", "cab")  # the last one has a letter that is no label


def random_word_problem(rng):
    """1–6 frames over a letter or two and a separator; a table of words with holes, unknown words."""
    table = dyadic(random_table(rng, 30, max_order=3))
    own = [word for word in table.vocabulary if word not in (BEGIN, END, UNKNOWN)]
    called = dict(zip(own, rng.sample(SPELT, len(own)), strict=True))
    letters = LETTERS[: rng.randint(1, 2)]
    if not any(set(word) <= set(letters) for word in called.values()):
        called[own[0]] = letters[0]
    grams = {tuple(called.get(word, word) for word in gram): logs for gram, logs in table.listed.items()}
    table = Table(table.order, tuple(called.get(word, word) for word in table.vocabulary), grams)
    labels = [*letters, SEPARATOR]
    rng.shuffle(labels)
    logs = rng.choice(LOGS)
    emit = tuple({a: rng.choice(logs) for a in (*labels, BLANK)} for _ in range(rng.randint(1, 8 - len(labels))))
    end = END in table.vocabulary and rng.random() < 0.7
    weights = rng.choice([1.0, 0.5, 2.0]), rng.choice([0.0, 0.7]), rng.choice([0.0, 1.5])
    scores = (*weights, rng.choice([-4.0, -1.0, -math.inf]), rng.choice([0.0, -0.75]))
    return WordProblem(tuple(labels), emit, table, SEPARATOR, *scores, end)


def deep_word_problem(rng):
    """Twenty frames of two letters and a separator, words that begin alike, a model that has seen all pairs of them."""
    words, order = ("a", "ab", "ba", "bab", BEGIN, END), 3
    grams = [gram for length in range(1, order + 1) for gram in product(words, repeat=length)]
    listed = {gram: (rng.choice([-0.5, -1.25, -3.0]), rng.choice([0.0, -0.25, 0.5])) for gram in grams}
    labels = (*LETTERS, SEPARATOR)
    emit = tuple({symbol: -rng.random() * 2 for symbol in (*labels, BLANK)} for _ in range(20))
    return WordProblem(labels, emit, Table(order, words, listed), SEPARATOR, unknown=-2.0, letter=-0.5, end=True)


def deep_word_problems():
    """Strategy of problems with many contexts that are suffixes of others."""
    return st.builds(lambda seed: deep_word_problem(random.Random(seed)), SEEDS)


def word_problems():
    """Strategy of random problems of words."""
    return st.builds(lambda seed: random_word_problem(random.Random(seed)), SEEDS)


def read_words(problem, method="rcms", budget=10, passes=1):
    """Return the engine's input."""
    frames = np.array([[row[symbol] for symbol in (*problem.labels, BLANK)] for row in problem.emit])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of logs that look like probabilities
        return rv.ctc(
            frames,
            problem.labels,
            lm_of(problem.table),
            budget,
            method=method,
            passes=passes,
            lm_weight=problem.weight,
            label_bonus=problem.bonus,
            end=problem.end,
            separator=problem.separator,
            word_bonus=problem.word_bonus,
            unknown_score=problem.unknown,
            unknown_letter=problem.letter,
        )


def machine_of_words(problem, transcript):
    """The problem under the contexts that the engine kept."""
    table = transcript.alignments
    offset, names = table.links[0], table.names
    if isinstance(names, Prefixes):
        spelt = [tuple(problem.labels[a] for a in names.spelt(key)) for key in table.keys.tolist()]
        problem = Whole(problem)
    else:
        spelt = [_context_of(problem, names, key) for key in table.keys.tolist()]
    sets = tuple(set(spelt[start:stop]) for start, stop in zip(offset, offset[1:], strict=False))
    assert sum(map(len, sets)) == len(spelt)  # contexts are unique
    return Machine(problem, sets, transcript.method == "rcms", math.inf)


def _context_of(problem, names, key):
    words, _ = names.words(key)
    before = tuple(problem.table.vocabulary[word] if word >= 0 else NOWHERE for word in words)
    (_,), (cell,) = names.split(np.array([key]))
    letters = "".join(problem.labels[a] for a in names.lexicon.spelt(cell)) if cell != names.start else None
    is_forgotten = len(names.lexicon.parent) <= cell < names.start
    return before, Last(letters) if is_forgotten else letters
