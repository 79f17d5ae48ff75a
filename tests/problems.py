"""Random small problems for hypothesis, and the bridge from an exact problem to the engine and back.

``$RCMVIZ_EXAMPLES`` scales the number of problems of every test (1 by default); the seeds are fixed.
"""

import os
from fractions import Fraction

import oracle
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

import rcmviz as rv

NAMES = "abcd"
TIES = [Fraction(*pair) for pair in ((1, 1), (1, 1), (2, 1), (1, 2), (3, 1), (1, 3), (4, 1), (6, 1))]
PRIMES = [Fraction(p, q) for p in (2, 7, 13, 29, 53, 97) for q in (3, 11, 17, 31, 61)]
FAR = [Fraction(2) ** power for power in (-1150, -500, -1, 0, 0, 1, 3, 400, 1150)]  # logs up to ±797
ROOT_WEIGHTS = [*TIES, Fraction(0), Fraction(1, 1000), FAR[0], FAR[-1]]
POOLS = {"ties": TIES, "generic": PRIMES, "far": FAR, "ones": [Fraction(1)]}


def problems_of(examples):
    """Hypothesis settings for one test: fixed seeds, no clock, no stored examples."""
    scaled = max(1, int(examples * float(os.environ.get("RCMVIZ_EXAMPLES", "1"))))
    unhurried = list(HealthCheck)
    return settings(max_examples=scaled, derandomize=True, deadline=None, database=None, suppress_health_check=unhurried)


def prefixes(labels, order, mode):
    """Window prefixes (n symbols) of the given mode, as a strategy."""
    known = st.lists(st.sampled_from(labels), max_size=order).map(tuple)
    if mode == "single":
        return st.tuples(known, st.integers(0, order)).map(lambda pair: _single(*pair, order))
    return st.tuples(known, st.booleans()).map(lambda pair: _additive(*pair, order))


def _single(known, begins, order):
    begins = min(begins, order - len(known))
    return (oracle.BEGIN,) * begins + (oracle.FORGOTTEN,) * (order - begins - len(known)) + known


def _additive(known, begin, order):
    middle = (oracle.BEGIN,) if begin and len(known) < order else ()
    return (oracle.FORGOTTEN,) * (order - len(middle) - len(known)) + middle + known


@st.composite
def problems(draw, pools=("ties", "ties", "generic", "far"), max_length=6, zeros=True, max_labels=4):
    """A ``Problem``: V 1–4, T 1–6, order 1–4, both modes, up to 25 windows, often with ties, zeros or huge ranges."""
    labels = tuple(NAMES[: draw(st.integers(1, max_labels))])
    order, mode = draw(st.integers(1, 4)), draw(st.sampled_from(["single", "additive"]))
    values = POOLS[draw(st.sampled_from(pools))]
    weight = st.sampled_from(values)
    unary = st.sampled_from(values + [Fraction(0)] * 2) if zeros and draw(st.booleans()) else weight
    window = st.tuples(prefixes(labels, order, mode), st.sampled_from(labels)).map(lambda pair: (*pair[0], pair[1]))
    windows = draw(st.dictionaries(window, weight, max_size=25))
    row = st.tuples(*[unary] * len(labels))
    emit = tuple(draw(st.lists(row, min_size=1, max_size=max_length)))
    return oracle.Problem(labels, order, mode, windows, emit)


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
        asked = oracle.Rule("rcms", pin=tuple(pin))
        banned = draw(st.lists(contexts_of(problem, cut=cut), max_size=3))
        forbid += [(i, what) for i, what in banned if what not in asked.pinned(i)]
    return {"pin": tuple(pin), "forbid": tuple(forbid)}


budget_sizes = st.one_of(st.integers(1, 8), st.integers(1, 3), st.just(oracle.HUGE))


@st.composite
def rules(draw, problem, methods=("rcms", "rcms", "beam"), plain=False):
    """A ``Rule`` with any of the builders' options."""
    method, options = draw(st.sampled_from(methods)), {}
    options["budget"] = draw(budget_sizes)
    if plain:
        return oracle.Rule(method, **options)
    if problem.T > 1:
        options["budgets"] = draw(st.dictionaries(st.integers(1, problem.T - 1), st.integers(1, 8), max_size=2))
    options["deduplicate"] = draw(st.booleans())
    repaired = method == "rcms" and draw(st.integers(0, 3)) == 0
    if repaired:
        options["root_weight"] = draw(st.sampled_from(ROOT_WEIGHTS))
    if draw(st.booleans()):
        options |= draw(edits(problem, full=repaired or method == "beam", cut=options["deduplicate"]))
    return oracle.Rule(method, **options)


@st.composite
def cases(draw, plain=False, methods=("rcms", "rcms", "beam"), **options):
    """A problem and a rule."""
    problem = draw(problems(**options))
    return problem, draw(rules(problem, methods, plain))


def model_of(problem):
    """The engine's model of a problem."""
    weights = {window: oracle.log(weight) for window, weight in problem.windows.items()}
    return rv.NgramModel.from_windows(problem.labels, problem.order, weights, mode=problem.mode)


def log_emit_of(problem):
    """The engine's emissions of a problem: T rows of Y logs."""
    return [[oracle.log(value) for value in row] for row in problem.emit]


def build(problem, rule, record=True, passes=1):
    """Run the engine's builder: (lattice, trace)."""
    model, log_emit = model_of(problem), log_emit_of(problem)
    if rule.method == "exact":
        return rv.exact(model, log_emit, pin=rule.pin, forbid=rule.forbid, record=record)
    options = {name: getattr(rule, name) for name in ("budget", "budgets", "deduplicate", "pin", "forbid")}
    if rule.method == "beam":
        return rv.beam(model, log_emit, **options, record=record)
    root_weight = None if rule.root_weight is None else oracle.log(rule.root_weight)
    return rv.rcms(model, log_emit, **options, passes=passes, root_weight=root_weight, record=record)


def machine_of(problem, rule, lattice):
    """The exact machine over the context sets that the engine chose."""
    columns = tuple(frozenset(map(lattice.context, ids(lattice, i))) for i in range(problem.T))
    return oracle.Machine(problem.edited(rule.pin, rule.forbid), columns, rule.root_weight)


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
