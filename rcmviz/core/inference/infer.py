"""Everything that is asked of a lattice: log Z, posteriors, best outputs, draws, entropy, patterns, expected counts.

An output follows exactly one way through a lattice (the transition is a function), so sums over ways are sums over
outputs. Where no output has positive mass, log Z is −inf and the other questions raise ValueError.
"""

import heapq
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rcmviz.core.lattices.lattice import Lattice
from rcmviz.core.models.model import NgramModel
from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin, freeze
from rcmviz.kernels.chain import sweep

MAX_STATES = 4_096  # of a pattern's automaton
MOST_WORK = 1_000_000_000  # states of an automaton times arcs of a lattice
SHOWN = 60  # characters of a pattern in a message
DIGITS = 1e-4  # what the posterior of a position may lack of 1 by rounding
ROUNDING = 1e-9  # relative; what sums of log scores may be off by


@dataclass(frozen=True, eq=False)
class Posterior(CopyableMixin):
    """Posterior distribution of a lattice, as ``posterior`` returns it.

    Attributes
    ----------
    log_z : float
        Log partition function in nats.
    label : ndarray of shape (T, Y)
        P(y_i = v) for the label with index v at position i.
    context : ndarray of shape (C,)
        Probability that the output passes through context c; every column sums to 1.
    forward : ndarray of shape (C,)
        Log of the summed scores of all ways from the start to c.
    backward : ndarray of shape (C,)
        Log of the summed scores of all ways from c to the end.
    entropy : float
        Entropy of the output in nats.
    """

    log_z: float
    label: np.ndarray
    context: np.ndarray
    forward: np.ndarray
    backward: np.ndarray
    entropy: float

    def __repr__(self):
        T, width = self.label.shape
        return f"<Posterior: {T:,} positions, {width:,} labels, log Z {self.log_z:.3f}, entropy {self.entropy:.3f}>"

    def __post_init__(self):
        freeze(self)


@dataclass(frozen=True, eq=False)
class Path:
    """One output with its score.

    Attributes
    ----------
    labels : tuple of str, length T
        The names of the labels.
    indices : tuple of int, length T
        The same labels by their index at each position.
    log_score : float
        Log score in nats, not normalised.
    log_prob : float
        Log probability in nats: ``log_score`` − log Z.
    """

    labels: tuple[str, ...]
    indices: tuple[int, ...]
    log_score: float
    log_prob: float


@dataclass(frozen=True, eq=False)
class Draws(CopyableMixin):
    """Independent draws from the posterior of a lattice.

    Attributes
    ----------
    labels : ndarray of int, shape (n, T)
        Label indices; ``Lattice.name_of`` gives their names.
    log_prob : ndarray of shape (n,)
        Log probability of each draw in nats.
    """

    labels: np.ndarray
    log_prob: np.ndarray

    def __repr__(self):
        n, T = self.labels.shape
        return f"<Draws: {n:,} outputs of {T:,} labels>"

    def __post_init__(self):
        freeze(self)


def log_z(lattice: Lattice) -> float:
    """Log partition function of the lattice's own model.

    Parameters
    ----------
    lattice : Lattice
        What a builder returned.

    Returns
    -------
    float
        Log of the summed scores of all outputs, in nats; −inf where no output is possible.

    Notes
    -----
    Of an exact lattice it is log Z of the model. A beam's is a lower bound, and that of RCMS belongs to the model with
    merged contexts (Steinhardt and Liang, 2015, §4), so it may be on either side.

    Examples
    --------
    >>> import rcmviz as rv
    >>> lattice, _ = rv.exact(rv.NgramModel.from_windows("ab", 1, {}), [[0.0, 0.0]] * 3)
    >>> round(float(np.exp(rv.log_z(lattice))), 6)
    8.0
    """
    return float(_backward(lattice)[0])


def _backward(lattice):
    checks.lattice(lattice)
    return sweep.backward_sums(lattice.offset, lattice.target, lattice.score)


def possible(backward):
    """Backward sums (C,) of a lattice that has an output; ValueError where it has none."""
    if backward[0] == -np.inf:
        raise ValueError(
            "no output has positive probability, log Z is -inf: look for positions whose emissions are all -inf, "
            "windows of -inf, or labels both pinned and forbidden, or raise the budget of a beam"
        )
    return backward


def posterior(lattice: Lattice) -> Posterior:
    """Posterior probabilities of all labels and contexts, by forward and backward sums.

    Parameters
    ----------
    lattice : Lattice
        What a builder returned.

    Returns
    -------
    Posterior
        ``label (T, Y)``, ``context (C,)``, ``log_z`` and ``entropy``.

    Raises
    ------
    ValueError
        No output is possible, or scores are so large that their sums have lost their digits.

    Examples
    --------
    >>> import rcmviz as rv
    >>> lattice, _ = rv.exact(rv.NgramModel.from_windows("ab", 1, {}), np.log([[0.25, 0.75]]))
    >>> rv.posterior(lattice).label.round(2).tolist()
    [[0.25, 0.75]]
    """
    backward = possible(_backward(lattice))
    forward = sweep.forward_sums(lattice.offset, lattice.target, lattice.score)
    label = np.zeros((lattice.T, lattice.width))
    expected = sweep.arc_posteriors(lattice.offset, lattice.target, lattice.score, forward, backward, label)
    if not np.all(np.abs(label.sum(axis=1) - 1) < DIGITS):
        raise ValueError(
            f"the scores of this lattice are so large (log Z {backward[0]:g}) that their sums have lost their digits; "
            "take a constant from the scores of each position"
        )
    context = np.exp(forward + backward - backward[0])
    spread = max(0.0, float(backward[0] - expected))
    return Posterior(float(backward[0]), label, context, forward, backward, spread)


def entropy(lattice: Lattice) -> float:
    """Entropy of the output distribution.

    Parameters
    ----------
    lattice : Lattice
        What a builder returned.

    Returns
    -------
    float
        Entropy in nats: log Z − E[log score].

    Raises
    ------
    ValueError
        No output is possible.

    Examples
    --------
    >>> import rcmviz as rv
    >>> lattice, _ = rv.exact(rv.NgramModel.from_windows("ab", 1, {}), [[0.0, 0.0]] * 3)
    >>> round(rv.entropy(lattice) / float(np.log(2)), 6)
    3.0
    """
    return posterior(lattice).entropy


def viterbi(lattice: Lattice) -> Path:
    """Most probable output.

    Parameters
    ----------
    lattice : Lattice
        What a builder returned.

    Returns
    -------
    Path
        The output; exact ties go to the lowest label at the earliest position.

    Raises
    ------
    ValueError
        No output is possible.

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 2.0})
    >>> lattice, _ = rv.exact(model, [[1.0, 0.0], [0.0, 0.0]])
    >>> path = rv.viterbi(lattice)
    >>> "".join(path.labels), path.log_score
    ('ab', 3.0)
    """
    return _best_paths(lattice, 1)[0]


def kbest(lattice: Lattice, k: int) -> list[Path]:
    """The k most probable outputs, best first.

    Parameters
    ----------
    lattice : Lattice
        What a builder returned.
    k : int
        How many outputs, 1 or more.

    Returns
    -------
    list of Path
        At most k different outputs; fewer where fewer are possible.

    Raises
    ------
    ValueError
        ``k`` is below 1, or no output is possible.

    Notes
    -----
    A best-first search over prefixes, led by the exact score of the best completion, meets the outputs in order.

    Examples
    --------
    >>> import rcmviz as rv
    >>> lattice, _ = rv.exact(rv.NgramModel.from_windows("ab", 1, {}), [[1.0, 0.0], [0.5, 0.0]])
    >>> ["".join(path.labels) for path in rv.kbest(lattice, 3)]
    ['aa', 'ab', 'ba']
    """
    return _best_paths(lattice, checks.whole("k", k, 1, wanted="ask for 1 output or more"))


class _Prefix(NamedTuple):
    """The beginning of an output, ordered by minus the score of its best completion, then by its indices."""

    minus_best: float
    indices: tuple[int, ...]
    context: int
    score: float


class _Step(NamedTuple):
    """An arc by the index of its label, with its score, and the best score of it and of what can follow."""

    best: float
    label: int
    target: int
    score: float


def _best_paths(lattice, k):
    total = float(possible(_backward(lattice))[0])
    ahead = sweep.backward_maxima(lattice.offset, lattice.target, lattice.score)
    waiting = [_Prefix(-float(ahead[0]), (), 0, 0.0)]
    best = [float(ahead[0])]  # at most k, the lowest first: the best one of each distinct set of outputs
    steps: dict[int, list[_Step]] = {}
    found: list[Path] = []
    while waiting and len(found) < k:
        here = heapq.heappop(waiting)
        indices, score = here.indices, here.score
        if len(indices) == lattice.T:
            found.append(Path(_label_names(lattice, indices), indices, score, score - total))
            continue
        if here.context not in steps:
            steps[here.context] = _best_steps(lattice, here.context, ahead)
        lowest = best[0] if len(best) == k else -np.inf
        # Ties are decided on whole outputs, so all that is equal up to rounding stays.
        enough = lowest - ROUNDING * (1 + abs(lowest)) if lowest > -np.inf else lowest
        promising = []
        for step in steps[here.context]:
            best_then = score + step.best
            if best_then < enough:
                break
            promising.append(best_then)
            heapq.heappush(waiting, _Prefix(-best_then, (*indices, step.label), step.target, score + step.score))
        _keep_highest(best, promising[1:], k)  # the best of all is still that of the prefix
    return found


def _best_steps(lattice, c, ahead):
    """The possible arcs of a context, the best first."""
    into, score = lattice.target[c], lattice.score[c]
    gain = np.where(into >= 0, score + ahead[into], -np.inf)
    order = np.argsort(-gain, kind="stable")[: np.count_nonzero(gain > -np.inf)]
    return list(map(_Step, gain[order].tolist(), order.tolist(), into[order].tolist(), score[order].tolist()))


def _label_names(lattice, indices):
    """The names of one index per position."""
    numbers = indices if lattice.choices is None else lattice.choices[range(lattice.T), indices]
    return tuple(lattice.labels[number] for number in numbers)


def _keep_highest(best, values, k):
    """Of the values and those of the heap ``best`` the k highest."""
    for value in values:
        if len(best) < k:
            heapq.heappush(best, value)
        elif value > best[0]:
            heapq.heapreplace(best, value)


def sample(lattice: Lattice, n: int = 1, seed: int | np.random.Generator = 0) -> Draws:
    """Independent exact draws from the posterior.

    Parameters
    ----------
    lattice : Lattice
        What a builder returned.
    n : int
        How many draws, 1 or more.
    seed : int or numpy.random.Generator
        Seed or source of the random numbers.

    Returns
    -------
    Draws
        Label indices ``(n, T)`` and log probabilities ``(n,)``.

    Raises
    ------
    ValueError
        ``n`` is below 1, or no output is possible.

    Examples
    --------
    >>> import rcmviz as rv
    >>> lattice, _ = rv.exact(rv.NgramModel.from_windows("ab", 1, {}), [[30.0, 0.0]] * 2)
    >>> rv.sample(lattice, n=3).labels.tolist()
    [[0, 0], [0, 0], [0, 0]]
    """
    checks.draws("n", n, checks.lattice(lattice).T)
    backward = possible(_backward(lattice))
    labels = np.empty((n, lattice.T), np.int64)
    uniform = checks.generator(seed).random((n, lattice.T))
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


def log_prob(lattice: Lattice, labels: Iterable[str]) -> float:
    """Log probability of one output.

    Parameters
    ----------
    lattice : Lattice
        What a builder returned.
    labels : iterable of str, length T
        The output, by the names of its labels.

    Returns
    -------
    float
        Log probability in nats; −inf where the output was dropped or is impossible.

    Raises
    ------
    ValueError
        The output has another length or an unknown label, or no output is possible.

    Examples
    --------
    >>> import rcmviz as rv
    >>> lattice, _ = rv.exact(rv.NgramModel.from_windows("ab", 1, {}), [[0.0, 0.0]] * 3)
    >>> round(float(np.exp(rv.log_prob(lattice, "aba"))), 6)
    0.125
    """
    labels = checks.texts("labels", labels)
    checks.same_length(labels, "labels", checks.lattice(lattice).T, "positions")
    indices = lattice.indices_of(labels)
    total = possible(_backward(lattice))[0]
    return -np.inf if -1 in indices else float(_scores(lattice, np.array([indices]))[0] - total)


def mass(lattice: Lattice, pattern: Iterable[str]) -> float:
    """Probability that the output matches a pattern.

    Parameters
    ----------
    lattice : Lattice
        What a builder returned.
    pattern : str or iterable of str
        Labels, ``?`` for any one label and ``*`` for any run of labels, also an empty one: a string where labels are
        single characters, else a sequence of tokens. A label called ``?`` cannot be queried.

    Returns
    -------
    float
        The probability, 0 to 1.

    Raises
    ------
    ValueError
        The pattern has an unknown label or too many ``*``, or no output is possible.

    Notes
    -----
    The last label of an HMM with an end is ``</s>``, which the pattern has to cover.

    Examples
    --------
    >>> import rcmviz as rv
    >>> lattice, _ = rv.exact(rv.NgramModel.from_windows("ab", 1, {}), [[0.0, 0.0]] * 3)
    >>> round(rv.mass(lattice, "a*"), 6), round(rv.mass(lattice, "?bb"), 6)
    (0.5, 0.25)
    """
    tokens = checks.texts("pattern", pattern)
    step, accepting = pattern_automaton(tokens, checks.lattice(lattice).labels)
    total = possible(_backward(lattice))[0]
    if len(step) * lattice.target.size > MOST_WORK:
        raise ValueError(f"pattern {pattern_text(tokens)!r}: too much to add up in this lattice; ask for a shorter one")
    choices = lattice.label_numbers
    matched = sweep.automaton_mass(lattice.offset, lattice.target, lattice.score, choices, step, accepting)
    return float(np.exp(min(matched - total, 0.0)))


def pattern_text(tokens):
    """A pattern as it may stand in a message."""
    text = " ".join(map(str, tokens))
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


def pattern_automaton(tokens, labels):
    """Deterministic automaton of a pattern: ``step (S, Y)`` next state or −1, ``accepting (S,)``; state 0 starts."""
    if len(tokens) > checks.MAX_POSITIONS:
        raise ValueError(f"a pattern of {len(tokens):,} labels: the limit is {checks.MAX_POSITIONS:,}; ask for less")
    index = {label: y for y, label in enumerate(labels)}
    for token in tokens:
        if token not in index and token not in ("?", "*"):
            longer = (
                "; a text has a label per character, give longer ones as a list" if max(map(len, labels)) > 1 else ""
            )
            raise ValueError(f"pattern {pattern_text(tokens)!r}: {token!r} is neither a label nor '?' nor '*'{longer}")

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
            raise ValueError(f"pattern {pattern_text(tokens)!r} is too tangled: use fewer '*'")
    return np.array(step, dtype=np.int64), np.array([len(tokens) in state for state in states])


def arc_shares(lattice):
    """Posterior probability (C, Y) of each arc: of each context followed by each label; ValueError without outputs."""
    backward = possible(_backward(lattice))
    forward = sweep.forward_sums(lattice.offset, lattice.target, lattice.score)
    arrives = np.where(lattice.target >= 0, backward[lattice.target], -np.inf)
    return np.exp(forward[:, None] + lattice.score + arrives - backward[0])


def expected_counts(lattice: Lattice, model: NgramModel) -> dict[tuple[str, ...], float]:
    """Expected number of times that each window fires.

    Parameters
    ----------
    lattice : Lattice
        What a builder made of ``model``.
    model : NgramModel
        The model whose windows are counted.

    Returns
    -------
    dict of tuple to float
        ``{window: expected count}``; windows that never fire are left out.

    Raises
    ------
    ValueError
        The model has other labels, the lattice is of an HMM, or no output is possible.

    Notes
    -----
    With the context sets held fixed, these counts are the gradient of log Z in the weights of the windows (Steinhardt
    and Liang, 2015, §4).

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {})
    >>> lattice, _ = rv.exact(model, [[0.0, 0.0]] * 2)
    >>> rv.expected_counts(lattice, model)[("^", "a")]
    0.5
    """
    if checks.lattice(lattice).row[0] < 0:
        raise ValueError("expected_counts: a language model scored this lattice, so no windows fire; ask the posterior")
    if not checks.has_attributes(model, "labels", "windows_of"):
        checks.refuse("model", model, "the rcmviz.NgramModel that the lattice was built with")
    if tuple(model.labels) != tuple(lattice.labels):
        raise ValueError("expected_counts: the model has other labels than the lattice; pass the model it was built of")
    share = arc_shares(lattice)
    rows: dict[tuple[str, ...], np.ndarray] = {}
    for i in range(lattice.T):
        for c in range(lattice.offset[i], lattice.offset[i + 1]):
            for prefix in model.windows_of(i, lattice.context(c)):
                rows[prefix] = rows.get(prefix, 0.0) + share[c]
    return {
        (*prefix, lattice.labels[y]): float(counts[y])
        for prefix, counts in rows.items()
        for y in np.flatnonzero(counts)
    }
