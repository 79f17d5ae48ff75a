"""Random small problems for hypothesis, and their conversion for the engine and back.

``$RCMVIZ_EXAMPLES`` scales the number of problems of every test; planted bugs judge whether the fifth that is the
default suffices. The seeds are fixed. Below 1 a failing problem is shown as found, not shrunk first.
"""

import os
import random
from fractions import Fraction

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

import rcmviz as rv
from oracles import chain

NAMES = "abcd"
TIES = [Fraction(*pair) for pair in ((1, 1), (1, 1), (2, 1), (1, 2), (3, 1), (1, 3), (4, 1), (6, 1))]
PRIMES = [Fraction(p, q) for p in (2, 7, 13, 29, 53, 97) for q in (3, 11, 17, 31, 61)]
FAR = [Fraction(2) ** power for power in (-1150, -500, -1, 0, 0, 1, 3, 400, 1150)]  # logs up to ±797
WIDTHS = [1, 2, 2, 3, 3, 3, 4, 4]
BUDGETS = [1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, chain.HUGE]
METHODS = ("rcms", "rcms", "rcms", "beam", "beam", "repaired")
ROOT_WEIGHTS = [*TIES, Fraction(0), Fraction(1, 1000), FAR[0], FAR[-1]]
POOLS = {"ties": TIES, "generic": PRIMES, "far": FAR, "ones": [Fraction(1)]}


def problems_of(examples):
    """Hypothesis settings for one test: fixed seeds, no clock, no stored examples."""
    scale = float(os.environ.get("RCMVIZ_EXAMPLES", "0.2"))
    phases = [Phase.explicit, Phase.generate] + [Phase.shrink] * (scale >= 1)
    return settings(
        max_examples=max(1, int(examples * scale)),
        derandomize=True,
        deadline=None,
        database=None,
        phases=phases,
        suppress_health_check=list(HealthCheck),
    )


def prefixes(labels, order, mode):
    """Window prefixes (n symbols) of the given mode, as a strategy."""
    label = st.sampled_from(labels)
    known = st.sampled_from(range(order + 1)).flatmap(lambda length: st.tuples(*[label] * length))
    if mode == "single":
        return st.tuples(known, st.sampled_from(range(order + 1))).map(lambda pair: _single(*pair, order))
    return st.tuples(known, st.booleans()).map(lambda pair: _additive(*pair, order))


def _single(known, begins, order):
    begins = min(begins, order - len(known))
    return (chain.BEGIN,) * begins + (chain.FORGOTTEN,) * (order - begins - len(known)) + known


def _additive(known, begin, order):
    middle = (chain.BEGIN,) if begin and len(known) < order else ()
    return (chain.FORGOTTEN,) * (order - len(middle) - len(known)) + middle + known


@st.composite
def problems(
    draw, pools=("ties", "ties", "generic", "far"), max_length=6, zeros=True, max_labels=4, zero_windows=False
):
    """A ``Problem``: V 1–4, T 1–6, order 1–4, both modes, 0–80 windows, often with ties, zeros or huge ranges.

    Half of them are drawn number by number, so that failures shrink well, half from a seed, so that they are large.
    With ``zero_windows`` a fifth or more of the windows are impossible.
    """
    values = POOLS[draw(st.sampled_from(pools))]
    unary = values + [Fraction(0)] * 2 if zeros and draw(st.booleans()) else values
    values = values + [Fraction(0)] * 2 if zero_windows else values
    mode = draw(st.sampled_from(["single", "additive"]))
    if draw(st.booleans()):
        return seeded_problem(draw(st.integers(0, 10**9)), mode, values, unary, max_length, max_labels)
    labels = tuple(NAMES[: min(draw(st.sampled_from(WIDTHS)), max_labels)])
    order, size = draw(st.sampled_from([1, 2, 3, 4])), draw(st.sampled_from([0, 3, 8]))
    window = st.tuples(prefixes(labels, order, mode), st.sampled_from(labels)).map(lambda pair: (*pair[0], pair[1]))
    windows = dict(draw(st.lists(st.tuples(window, st.sampled_from(values)), min_size=size, max_size=size)))
    row = st.tuples(*[st.sampled_from(unary)] * len(labels))
    emit = draw(st.lists(row, min_size=1, max_size=max_length))
    return chain.Problem(labels, order, mode, windows, tuple(emit))


def seeded_problem(seed, mode="single", values=PRIMES, unary=PRIMES, max_length=6, max_labels=4):
    """A larger problem from a seed: V 2–4, T 3–6, 5–80 windows."""
    rng = random.Random(seed)
    labels, order = tuple(NAMES[: rng.randint(min(2, max_labels), max_labels)]), rng.randint(1, 4)
    windows = {}
    for _ in range(rng.choice([5, 30, 80])):
        known = tuple(rng.choices(labels, k=rng.randint(0, order)))
        begins = rng.randint(0, order)
        prefix = _single(known, begins, order) if mode == "single" else _additive(known, begins == order, order)
        windows[(*prefix, rng.choice(labels))] = rng.choice(values)
    emit = [tuple(rng.choices(unary, k=len(labels))) for _ in range(rng.randint(min(3, max_length), max_length))]
    return chain.Problem(labels, order, mode, windows, tuple(emit))


def generic_problems(**options):
    """Problems without zeros and, but for rare accidents, without ties."""
    return problems(pools=("generic",), zeros=False, **options)


def contexts_of(problem, full=False, cut=False):
    """``(position, context)`` for a pin or forbid: whole histories where ``full``, at most n labels where ``cut``."""
    longest = problem.order if cut else problem.T
    at = st.integers(1, min(problem.T - 1, longest) if full else problem.T - 1)
    labels = st.sampled_from(problem.labels)

    def suffix(position):
        lengths = st.just(position) if full else st.integers(1, min(position, longest))
        return lengths.flatmap(lambda n: st.tuples(st.just(position), st.tuples(*[labels] * n)))

    return at.flatmap(suffix)


@st.composite
def edits(draw, problem, full=False, cut=False):
    """Pins and forbids that do not contradict each other on contexts; labels may."""
    label_edit = st.tuples(st.integers(1, problem.T), st.sampled_from(problem.labels))
    pin, forbid = draw(st.lists(label_edit, max_size=1)), draw(st.lists(label_edit, max_size=2))
    if problem.T > 1:
        pin += draw(st.lists(contexts_of(problem, full, cut), max_size=2))
        asked = chain.Rule("rcms", pin=tuple(pin))
        banned = draw(st.lists(contexts_of(problem, cut=cut), max_size=3))
        forbid += [(i, what) for i, what in banned if what not in asked.pinned(i)]
    return {"pin": tuple(pin), "forbid": tuple(forbid)}


@st.composite
def rules(draw, problem, methods=METHODS, plain=False):
    """A ``Rule``, with any of the builders' options unless ``plain``."""
    method, options = draw(st.sampled_from(methods)), {}
    options["budget"] = draw(st.sampled_from(BUDGETS))
    if plain:
        return chain.Rule(method, **options)
    if problem.T > 1:
        options["budgets"] = draw(st.dictionaries(st.integers(1, problem.T - 1), st.integers(1, 8), max_size=2))
    options["deduplicate"] = draw(st.booleans())
    if draw(st.booleans()):
        options |= draw(edits(problem, full=method in ("beam", "repaired"), cut=options["deduplicate"]))
    if method == "repaired":
        return chain.Rule("rcms", root_weight=draw(st.sampled_from(ROOT_WEIGHTS)), **options)
    return chain.Rule(method, **options)


@st.composite
def cases(draw, plain=False, methods=METHODS, **options):
    """A problem and a rule."""
    problem = draw(problems(**options))
    return problem, draw(rules(problem, methods, plain))


def model_of(problem):
    """The engine's model of a problem."""
    weights = {window: chain.log(weight) for window, weight in problem.windows.items()}
    return rv.NgramModel.from_windows(problem.labels, problem.order, weights, mode=problem.mode)


def log_emit_of(problem):
    """The engine's emissions of a problem: T rows of Y logs."""
    return [[chain.log(value) for value in row] for row in problem.emit]


def build(problem, rule, record=True, passes=1, select="forward"):
    """Run the engine's builder: (lattice, trace)."""
    return build_of(model_of(problem), log_emit_of(problem), rule, record, passes, select)


def build_of(model, log_emit, rule, record=True, passes=1, select="forward"):
    """Run the engine's builder on its own input: (lattice, trace)."""
    if rule.method == "exact":
        return rv.exact(model, log_emit, pin=rule.pin, forbid=rule.forbid, record=record)
    options = {name: getattr(rule, name) for name in ("budget", "budgets", "deduplicate", "pin", "forbid")}
    if rule.method == "beam":
        return rv.beam(model, log_emit, **options, select=select, record=record)
    options["select"] = select
    root_weight = None if rule.root_weight is None else chain.log(rule.root_weight)
    return rv.rcms(model, log_emit, **options, passes=passes, root_weight=root_weight, record=record)


def machine_of(problem, rule, lattice):
    """The exact machine over the context sets that the engine chose."""
    columns = tuple(frozenset(map(lattice.context, ids(lattice, i))) for i in range(problem.T))
    return chain.Machine(problem.edited(rule.pin, rule.forbid), columns, rule.root_weight)


def names_of(lattice, column):
    """The contexts of a column, with their ids: ``{context: id}``."""
    return {lattice.context(c): c for c in ids(lattice, column)}


def ids(lattice, i):
    """The context ids of column i."""
    return range(*lattice.column(i).indices(lattice.C))


def solved(case, **options):
    """``(lattice, trace, machine)`` of a case."""
    problem, rule = case
    lattice, trace = build(problem, rule, **options)
    return lattice, trace, machine_of(problem, rule, lattice)
