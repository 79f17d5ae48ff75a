"""Random high-order HMMs for hypothesis, and automata of the engine as plain data."""

import math
import random
from dataclasses import replace
from itertools import product

from hypothesis import strategies as st

import rcmviz as rv
from oracles import ars
from oracles.ngrams import BEGIN, END, UNKNOWN
from problems.ngrams import LOGS, SEEDS, lm_of, random_table

OBSERVATIONS = ([0.0], [-0.5, -1.0, -1.0, 0.25], [-0.1, -0.7, -1.9, -3.3, -6.1], [-math.inf, -2.0, 0.0, -0.3])
STRATEGIES = ("sweep", "worst", "jump")
WAYS = [{"strategy": strategy, "look_ahead": ahead} for strategy, ahead in product(STRATEGIES, (False, True))]


def random_problem(rng, size=20, max_length=5, possible=True, **options):
    """1–5 positions with 1–4 candidates each, over a ``random_table``; with a sequence that is possible, or without."""
    while True:
        end = rng.random() < 0.6
        table = random_table(rng, size, ends=end or None, **options)
        words = [word for word in table.vocabulary if word not in (BEGIN, END)]
        words += ["odd", "strange"] * (UNKNOWN in words)
        candidates = [rng.sample(words, rng.randint(1, min(4, len(words)))) for _ in range(rng.randint(1, max_length))]
        observed = rng.choice(OBSERVATIONS)
        log_obs = [[rng.choice(observed) for _ in row] for row in candidates]
        temperature = rng.choice([1.0, 1.0, 0.5, math.log(10)])
        problem = ars.Problem(table, tuple(candidates), tuple(log_obs), end, temperature)
        if bool(problem.log_p) == possible:
            return problem


def long_problem(rng):
    """8–14 positions, orders up to 4, every word a candidate everywhere: too many sequences to write out."""
    table = random_table(rng, 60, max_order=4, ends=True)
    words = [word for word in table.vocabulary if word not in (BEGIN, END)]
    unigrams = {(word,): (rng.choice(LOGS[1]), -0.5) for word in table.vocabulary if word != BEGIN}
    table = replace(table, listed=unigrams | {gram: pair for gram, pair in table.listed.items() if min(pair) > -50})
    length = rng.randint(8, 14)
    log_obs = [[rng.uniform(-3, 0) for _ in words] for _ in range(length)]
    return ars.Problem(table, (tuple(words),) * length, tuple(log_obs))


def problems(**options):
    """Strategy of random problems; failures shrink towards small models."""
    sizes = st.sampled_from([2, 6, 20, 60])
    return st.builds(lambda seed, size: random_problem(random.Random(seed), size, **options), SEEDS, sizes)


def asked(problem, **options):
    """The arguments of a problem, as all functions of ``rcmviz.ars`` take them: positional ones, options."""
    return (lm_of(problem.table), problem.candidates, problem.log_obs), {
        "end": problem.end,
        "temperature": problem.temperature,
        **options,
    }


def run(function, problem, **options):
    """Call ``rv.ars_decode``, ``rv.ars_kbest`` or ``rv.ars_sample`` on a problem."""
    arguments, options = asked(problem, **options)
    return function(*arguments, **options)


def columns_of(lattice):
    """An automaton as plain data: per column ``{context: {word: (context that follows, log score)}}``."""
    columns = []
    for i in range(lattice.T + 1):
        contexts = range(*lattice.column(i).indices(lattice.C))
        columns.append({lattice.context(c): _edges(lattice, i, c) for c in contexts})
        assert len(columns[-1]) == len(contexts), f"a context of column {i} stands there twice"
    return columns


def _edges(lattice, i, c):
    if i == lattice.T:
        return {}
    offered = [y for y in range(lattice.score.shape[1]) if lattice.choices[i, y] >= 0]
    return {lattice.name_of(i, y): (lattice.context(lattice.target[c, y]), float(lattice.score[c, y])) for y in offered}


def best_of(problem, **options):
    """``(Best, ArsTrace)`` of ``rv.ars_decode``."""
    return run(rv.ars_decode, problem, **options)


def draws_of(problem, **options):
    """``(Draws, ArsTrace)`` of ``rv.ars_sample``."""
    return run(rv.ars_sample, problem, **options)
