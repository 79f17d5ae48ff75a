"""Everything that is asked of a lattice: log Z, posteriors, best outputs, draws, entropy, patterns, expected counts.

An output follows exactly one way through a lattice (the transition is a function), so sums over ways are sums over
outputs. Where no output has positive mass, log Z is −inf and the other questions raise ValueError.
"""

import heapq
from dataclasses import dataclass

import numpy as np

from rcmviz.kernels import sweep
from rcmviz.lattice import freeze

MAX_STATES = 4_096  # of a pattern's automaton
ROUNDING = 1e-9  # relative; what sums of log scores may be off by


@dataclass(frozen=True, eq=False)
class Posterior:
    """``log_z`` · ``label (T, Y)`` P(y_i = v), v by its index · ``context (C,)`` P(c) · ``forward``,
    ``backward (C,)`` log sums · ``entropy`` of the output in nats.
    """

    log_z: float
    label: np.ndarray
    context: np.ndarray
    forward: np.ndarray
    backward: np.ndarray
    entropy: float

    def __post_init__(self):
        freeze(self)


@dataclass(frozen=True, eq=False)
class Path:
    """``labels`` names · ``indices`` · ``log_score`` unnormalised · ``log_prob`` = log_score − log Z."""

    labels: tuple
    indices: tuple
    log_score: float
    log_prob: float


@dataclass(frozen=True, eq=False)
class Draws:
    """``labels (n, T)`` indices (``Lattice.name_of``) · ``log_prob (n,)``."""

    labels: np.ndarray
    log_prob: np.ndarray

    def __post_init__(self):
        freeze(self)


def log_z(lattice):
    """Log partition function of the lattice's own model; −inf where no output is possible.

    >>> import rcmviz as rv
    >>> lattice, _ = rv.exact(rv.NgramModel.from_windows("ab", 1, {}), [[0.0, 0.0]] * 3)
    >>> round(float(np.exp(rv.log_z(lattice))), 6)
    8.0
    """
    return float(_backward(lattice)[0])


def _backward(lattice):
    return sweep.backward_sums(lattice.offset, lattice.target, lattice.score)


def _possible(backward):
    if backward[0] == -np.inf:
        raise ValueError(
            "no output has positive probability, log Z is -inf: look for positions whose emissions are all -inf, "
            "or labels both pinned and forbidden"
        )
    return backward


def posterior(lattice):
    """Posterior of labels and contexts, a ``Posterior``; ValueError where no output is possible.

    >>> import rcmviz as rv
    >>> lattice, _ = rv.exact(rv.NgramModel.from_windows("ab", 1, {}), np.log([[0.25, 0.75]]))
    >>> rv.posterior(lattice).label.round(2).tolist()
    [[0.25, 0.75]]
    """
    backward = _possible(_backward(lattice))
    forward = sweep.forward_sums(lattice.offset, lattice.target, lattice.score)
    label = np.zeros((lattice.T, lattice.width))
    expected = sweep.arc_posteriors(lattice.offset, lattice.target, lattice.score, forward, backward, label)
    context = np.exp(forward + backward - backward[0])
    spread = max(0.0, float(backward[0] - expected))
    return Posterior(float(backward[0]), label, context, forward, backward, spread)


def entropy(lattice):
    """Entropy of the output in nats: log Z − E[log score]; ValueError where no output is possible."""
    return posterior(lattice).entropy


def viterbi(lattice):
    """The most probable output, a ``Path``; exact ties go to the lowest label at the earliest position."""
    return kbest(lattice, 1)[0]


def kbest(lattice, k):
    """The k most probable outputs, best first, as a list of ``Path``; fewer where fewer are possible.

    Best-first search over prefixes with the exact score of the best completion, so each output is met in order.
    ValueError for k < 1 or where no output is possible.
    """
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        raise ValueError(f"k {k!r}: ask for 1 output or more")
    total = float(_possible(_backward(lattice))[0])
    ahead = sweep.backward_maxima(lattice.offset, lattice.target, lattice.score)
    waiting, found = [(-ahead[0], (), 0, 0.0)], []
    while waiting and len(found) < k:
        _, indices, c, score = heapq.heappop(waiting)
        if len(indices) == lattice.T:
            labels = tuple(lattice.name_of(i, y) for i, y in enumerate(indices))
            found.append(Path(labels, indices, float(score), float(score - total)))
            continue
        into = lattice.target[c]
        through = score + np.where(into >= 0, lattice.score[c] + ahead[into], -np.inf)
        for y in _promising(through, k - len(found)).tolist():
            heapq.heappush(waiting, (-through[y], (*indices, y), int(into[y]), score + lattice.score[c, y]))
    return found


def _promising(through, count):
    """The arcs that can be among the ``count`` best, ascending: each better one leads to an output that comes first.

    Ties are decided on whole outputs, so arcs that are equal up to rounding all stay.
    """
    lowest = np.partition(through, -count)[-count] if count < through.size else -np.inf
    return np.flatnonzero((through > -np.inf) & (through >= lowest - ROUNDING * (1 + abs(lowest))))


def sample(lattice, n=1, seed=0):
    """n independent draws from the posterior, exact, as ``Draws``; ``seed`` an int or a numpy Generator.

    ValueError where no output is possible.
    """
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
        raise ValueError(f"n {n!r}: ask for 1 draw or more")
    backward = _possible(_backward(lattice))
    labels = np.empty((n, lattice.T), np.int64)
    uniform = np.random.default_rng(seed).random((n, lattice.T))
    sweep.walk_draws(lattice.target, lattice.score, backward, uniform, labels)
    return Draws(labels, _scores(lattice, labels) - backward[0])


def _scores(lattice, labels):
    """Log scores (n,) of outputs ``labels (n, T)``; −inf where an output was dropped."""
    at, score = np.zeros(len(labels), np.int64), np.zeros(len(labels))
    for i in range(lattice.T):
        y = labels[:, i]
        score += np.where(at >= 0, lattice.score[at, y], -np.inf)
        at = np.where(at >= 0, lattice.target[at, y], -1)
    return np.where(at >= 0, score, -np.inf)


def log_prob(lattice, labels):
    """Log probability of one output, given as label names; −inf where it was dropped or is impossible.

    ValueError for another length or an unknown label, or where no output is possible.
    """
    labels = tuple(labels)
    if len(labels) != lattice.T:
        raise ValueError(f"{len(labels)} labels for {lattice.T} positions")
    indices = lattice.indices_of(labels)
    total = _possible(_backward(lattice))[0]
    return -np.inf if -1 in indices else float(_scores(lattice, np.array([indices]))[0] - total)


def mass(lattice, pattern):
    """Probability that the output matches a pattern: ``?`` one label, ``*`` any run, also empty.

    ``pattern`` is a string of single characters, or a sequence of tokens where labels are longer (of an HMM with an
    end the last label is ``</s>``); a label that is itself called ``?`` cannot be asked for. ValueError for an unknown
    label, a pattern that is too tangled, or where no output is possible.

    >>> import rcmviz as rv
    >>> lattice, _ = rv.exact(rv.NgramModel.from_windows("ab", 1, {}), [[0.0, 0.0]] * 3)
    >>> round(rv.mass(lattice, "a*"), 6), round(rv.mass(lattice, "?bb"), 6)
    (0.5, 0.25)
    """
    step, accepting = pattern_automaton(tuple(pattern), lattice.labels)
    total = _possible(_backward(lattice))[0]
    choices = lattice.label_numbers
    matched = sweep.automaton_mass(lattice.offset, lattice.target, lattice.score, choices, step, accepting)
    return float(np.exp(min(matched - total, 0.0)))


def pattern_automaton(tokens, labels):
    """Deterministic automaton of a pattern: ``step (S, Y)`` next state or −1, ``accepting (S,)``; state 0 starts."""
    index = {label: y for y, label in enumerate(labels)}
    for token in tokens:
        if token not in index and token not in ("?", "*"):
            raise ValueError(f"pattern {' '.join(tokens)!r}: {token!r} is neither a label nor '?' nor '*'")

    def closed(places):
        places = set(places)
        for place in sorted(places):
            while place < len(tokens) and tokens[place] == "*":
                place += 1
                places.add(place)
        return frozenset(places)

    def after(places, y):
        moved = set()
        for place in places:
            if place < len(tokens) and (tokens[place] in ("?", "*") or index[tokens[place]] == y):
                moved.add(place if tokens[place] == "*" else place + 1)
        return closed(moved)

    states = [closed({0})]
    number, step = {states[0]: 0}, []
    named = sorted({index[token] for token in tokens if token in index})
    others = np.setdiff1d(np.arange(len(labels)), named)  # labels that the pattern does not name all do alike
    for state in states:
        row = np.empty(len(labels), np.int64)
        for alike in [[y] for y in named] + [others] * (len(others) > 0):
            following = after(state, alike[0])
            if following and following not in number:
                number[following] = len(states)
                states.append(following)
            row[alike] = number[following] if following else -1
        step.append(row)
        if len(states) > MAX_STATES:
            raise ValueError(f"pattern {' '.join(tokens)!r} is too tangled: use fewer '*'")
    return np.array(step, dtype=np.int64), np.array([len(tokens) in state for state in states])


def expected_counts(lattice, model):
    """Expected number of times each window fires, ``{window: count}``; the gradient of log Z in the window weights.

    Windows that never fire are left out. The context sets are held fixed. ValueError for a model with other labels, a
    lattice of an HMM, or where no output is possible.

    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {})
    >>> lattice, _ = rv.exact(model, [[0.0, 0.0]] * 2)
    >>> rv.expected_counts(lattice, model)[("^", "a")]
    0.5
    """
    if lattice.choices is not None:
        raise ValueError("expected_counts: a language model scored this lattice, so no windows fire; ask the posterior")
    if tuple(model.labels) != tuple(lattice.labels):
        raise ValueError("expected_counts: the model has other labels than the lattice; pass the model it was built of")
    backward = _possible(_backward(lattice))
    forward = sweep.forward_sums(lattice.offset, lattice.target, lattice.score)
    into = lattice.target
    arrives = np.where(into >= 0, backward[into], -np.inf)
    share = np.exp(forward[:, None] + lattice.score + arrives - backward[0])
    rows = {}
    for i in range(lattice.T):
        for c in range(lattice.offset[i], lattice.offset[i + 1]):
            for prefix in model.windows_of(i, lattice.context(c)):
                rows[prefix] = rows.get(prefix, 0.0) + share[c]
    return {
        (*prefix, lattice.labels[y]): float(counts[y])
        for prefix, counts in rows.items()
        for y in np.flatnonzero(counts)
    }
