"""Random small problems of CTC for hypothesis, and their conversion for the engine."""

import math
import random
import warnings
from itertools import product

import numpy as np
from hypothesis import strategies as st

import rcmviz as rv
from oracles.ctc import BLANK, START, Machine, Problem, log_sum
from oracles.ngrams import BEGIN, END, UNKNOWN, Table
from problems.ngrams import SEEDS, dyadic, lm_of, random_table
from rcmviz.ctc_decoding.contexts import Prefixes

FRAMES = {1: 6, 2: 5, 3: 4}  # at most, by labels: all alignments are written out
LOGS = ([0.0], [-1.0, -1.0, -2.0], [-0.3, -1.1, -2.4, -0.9, -5.2], [-0.5, -1.5, -math.inf])


def deep_problem(rng):
    """Thirty frames of two labels, a language model of order 4 that gives all of them some probability."""
    labels, order = ("a", "b"), 4
    grams = [gram for length in range(1, order + 1) for gram in product(labels, repeat=length)]
    listed = {gram: (rng.choice([-0.5, -1.25, -3.0]), rng.choice([0.0, -0.25, 0.5])) for gram in grams}
    emit = tuple({symbol: -rng.random() * 2 for symbol in (*labels, BLANK)} for _ in range(30))
    return Problem(labels, emit, Table(order, labels, listed))


def random_problem(rng, max_order=4):
    """1–6 frames, 1–3 labels, a language model or none, ties, impossible symbols."""
    table = dyadic(random_table(rng, 30, max_order=max_order)) if rng.random() < 0.8 else None
    words = [word for word in table.vocabulary if word not in (BEGIN, END, UNKNOWN)] if table else list("abc")
    labels = tuple(rng.sample(words, rng.randint(1, min(3, len(words)))))
    logs = rng.choice(LOGS)
    frames = rng.randint(1, FRAMES[len(labels)])
    emit = tuple({symbol: rng.choice(logs) for symbol in (*labels, BLANK)} for _ in range(frames))
    end = table is not None and END in table.vocabulary and rng.random() < 0.7
    return Problem(labels, emit, table, rng.choice([1.0, 0.5, 2.0]), rng.choice([0.0, 0.7, -0.4]), end)


def frame_problems(**options):
    """Strategy of random problems."""
    return st.builds(lambda seed: random_problem(random.Random(seed), **options), SEEDS)


def deep_problems():
    """Strategy of problems with many contexts that are suffixes of others."""
    return st.builds(lambda seed: deep_problem(random.Random(seed)), SEEDS)


def read(problem, method="rcms", budget=10, blank=-1, passes=1):
    """Return the engine's input."""
    symbols = list(problem.labels)
    symbols.insert(blank % (len(symbols) + 1), BLANK)
    frames = np.array([[row[symbol] for symbol in symbols] for row in problem.emit])
    lm = lm_of(problem.table) if problem.table else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of logs that look like probabilities
        return rv.ctc(
            frames,
            problem.labels,
            lm,
            budget,
            method=method,
            passes=passes,
            blank=blank,
            lm_weight=problem.weight,
            label_bonus=problem.bonus,
            end=problem.end,
        )


def machine_of(problem, transcript):
    """The problem under the contexts that the engine kept."""
    table, merging = transcript.alignments, transcript.method == "rcms"
    offset, is_whole = table.links[0], isinstance(table.names, Prefixes)
    spelt = [_spelt(table.names, key, problem.labels) for key in table.keys.tolist()]
    sets = tuple(set(spelt[start:stop]) for start, stop in zip(offset, offset[1:], strict=False))
    assert sum(map(len, sets)) == len(spelt)  # contexts are unique
    return Machine(problem, sets, merging, math.inf if is_whole else problem.remembered)


def _spelt(names, key, labels):
    if isinstance(names, Prefixes):
        return (START, *(labels[a] for a in names.spelt(key)))
    (history,) = names.histories(np.array([key])).tolist()
    return tuple((*labels, START)[a] for a in history if a >= 0)


def name_of(context):
    """Return the name of a context in the picture."""
    if context[0] == START:
        return "".join(context[1:]) or "^"
    return "*" + "".join(context)


def share_through(machine, t, name):
    """The share of all mass at the end that was in a context after t frames, by enumeration of alignments."""
    whole = {way: mass + machine.problem.last_gain(context) for way, (context, mass) in machine.columns[-1][0].items()}
    inside = {way for way, (context, _) in machine.columns[t][0].items() if name_of(context) == name}
    mine = log_sum(mass for way, mass in whole.items() if way[:t] in inside)
    return math.exp(mine - log_sum(whole.values()))
