"""Best-first search and A* as builders: the prefixes that were popped are the contexts of a lattice.

All outputs whose prefixes were popped are in it, the answer of the search among them as their best; what was never
popped is not. Its log Z is therefore a lower bound, as that of a beam.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from rcmviz.core.builders.build import EditList, Recorded
from rcmviz.core.builders.histories import history_pass
from rcmviz.core.builders.passes import assemble, record_candidates
from rcmviz.core.lattices.edits import edit_settings
from rcmviz.core.lattices.lattice import Lattice
from rcmviz.core.methods import METHODS
from rcmviz.core.models.scores import Model
from rcmviz.core.shared import checks
from rcmviz.search.bounds import cells_of, most_cells
from rcmviz.search.engine import Search, search_best
from rcmviz.search.sequences import SequenceSearch

MOST_POPS = 100_000


def best_first(
    model: Model,
    log_emit: ArrayLike | None = None,
    budget: int = 10,
    *,
    most: int = MOST_POPS,
    pin: EditList = (),
    forbid: EditList = (),
    record: bool = True,
) -> tuple[Lattice, Recorded]:
    """Select contexts by best-first search: extend the highest of all histories until one is complete.

    Parameters
    ----------
    model : NgramModel, HMM or another model
        The model.
    log_emit : array_like of shape (T, Y), optional
        Log emissions in nats, −inf allowed; left out for an ``HMM``, which has its own.
    budget : int
        Histories that may wait, of all lengths together; beyond that the lowest are dropped.
    most : int
        Pops to stop after.
    pin : iterable of (int, str) or (int, sequence of str)
        Positions with a label that must be written, or a history that is taken before all others.
    forbid : iterable of (int, str) or (int, sequence of str)
        Positions with a label that must not be written, or a context that no history may end in.
    record : bool
        Record the trace.

    Returns
    -------
    lattice : Lattice
        The histories that were popped, and the labels that may follow them.
    trace : Trace or None
        What was proposed at each position and whether it was popped; None without ``record``.

    Raises
    ------
    ValueError
        An argument is malformed, or no history was complete within the limit of pops.

    Notes
    -----
    Search(a, f) of Daumé's notes with f = the log score so far. The answer is the best path of the lattice, whose log Z
    is a lower bound of the exact one. ``trace.settings`` says whether the answer is ``"proved"``; ``search_best`` has
    the search itself.

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 2.0})
    >>> lattice, trace = rv.best_first(model, [[0.0, 0.1], [0.1, 0.0]], budget=1)
    >>> "".join(rv.viterbi(lattice).labels), trace.settings["proved"]
    ('ba', False)
    """
    budget = checks.budget(budget)
    problem = SequenceSearch(model, log_emit, pin=pin, forbid=forbid)
    found = _check_stopped(search_best(problem, queue=budget, most=most))
    return _lattice_of(problem, found, {"method": "bestfirst", "budget": budget}, pin, forbid, record)


def astar(
    model: Model,
    log_emit: ArrayLike | None = None,
    *,
    bound_order: int | None = None,
    most: int = MOST_POPS,
    pin: EditList = (),
    forbid: EditList = (),
    record: bool = True,
) -> tuple[Lattice, Recorded]:
    """Select contexts by A*: best-first search with a bound on the rest, whose first answer is the best of all.

    Parameters
    ----------
    model : NgramModel, HMM or another model
        The model.
    log_emit : array_like of shape (T, Y), optional
        Log emissions in nats, −inf allowed; left out for an ``HMM``, which has its own.
    bound_order : int, optional
        Labels that the bound on the rest can see, 0 … n; by default n − 1, fewer where its tables would be large.
    most : int
        Pops to stop after.
    pin : iterable of (int, str) or (int, sequence of str)
        Positions with a label that must be written, or a history that is taken before all others.
    forbid : iterable of (int, str) or (int, sequence of str)
        Positions with a label that must not be written, or a context that no history may end in.
    record : bool
        Record the trace.

    Returns
    -------
    lattice : Lattice
        The histories that were popped, and the labels that may follow them.
    trace : Trace or None
        What was proposed at each position and whether it was popped; None without ``record``.

    Raises
    ------
    ValueError
        An argument is malformed, or no history was complete within the limit of pops.

    Notes
    -----
    The bound is the best way through a model that sees fewer labels and scores each arc by its maximum. The best path
    of the lattice is proved to be the best of all outputs; its log Z is a lower bound of the exact one. Of histories
    that no future can tell apart only the best is extended, so never more than exact inference has contexts.

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 2.0})
    >>> lattice, trace = rv.astar(model, [[0.0, 0.1], [0.1, 0.0]])
    >>> "".join(rv.viterbi(lattice).labels), trace.settings["proved"]
    ('ab', True)
    """
    problem = astar_problem(model, log_emit, bound_order, pin, forbid)
    found = _check_stopped(search_best(problem, most=most, recombine=True))
    settings = {"method": "astar", "budget": None, "bound_order": problem.bound_order}
    return _lattice_of(problem, found, settings, pin, forbid, record)


def search_of(kind, model, log_emit=None, *, budget=10, k=1, most=MOST_POPS):
    """The ``Search`` behind the lattice of a method of this ``kind``."""
    if METHODS[kind].has_budget:
        return search_best(SequenceSearch(model, log_emit), queue=checks.budget(budget), k=k, most=most)
    return search_best(astar_problem(model, log_emit), k=k, most=most, recombine=True)


def astar_problem(model, log_emit=None, bound_order=None, pin=(), forbid=()):
    """The ``SequenceSearch`` with a bound, of the usual order where ``bound_order`` is None."""
    if bound_order is None:
        bound_order = usual_bound_order(checks.model(model).scores(model.check_emissions(log_emit)))
    return SequenceSearch(model, log_emit, bound_order=bound_order, pin=pin, forbid=forbid)


def usual_bound_order(scores):
    """One label less than the model sees, fewer where the bound's tables would be large."""
    most = most_cells(scores)
    return max([order for order in range(1, scores.order) if cells_of(scores, order) <= most], default=0)


def _check_stopped(found: Search) -> Search:
    """The search, if it ended by itself; ValueError if it ran into a limit."""
    if not found.answers and found.stopped != "empty":
        raise ValueError(f"{found.why.partition(':')[0]}: allow more pops (most), a smaller budget or a better bound")
    return found


def _lattice_of(problem, found, settings, pin, forbid, record):
    """The popped prefixes as a lattice, with the trace of their candidates."""
    scores, trace = problem.scores, found.trace
    prefixes = _popped_prefixes(problem, trace)
    run = history_pass(scores, *_extensions(prefixes, scores.log_emit.shape[1]))
    lattice = assemble(scores, run, METHODS["beam"].rule())
    if not checks.switch("record", record):
        return lattice, None
    log_mass, keys = _proposed_scores(prefixes, trace, scores.log_emit.shape[1])
    kept = [into >= 0 for into in run.target]
    settings |= {"order": scores.order, **scores.settings, **edit_settings(pin, forbid)}
    settings |= {"pops": found.pops, "proved": found.proved}
    return lattice, record_candidates(lattice, scores, log_mass, keys, kept, settings)


def _popped_prefixes(problem, trace):
    """Per column the labels of the prefixes that were popped, in their order; the start, even if it is impossible."""
    by_length = [{()}] + [set() for _ in range(problem.T)]
    for n in trace.pops.tolist():
        by_length[trace.depth[n]].add(trace.hypotheses[n].labels)
    return [sorted(column) for column in by_length[: problem.T]]


def _proposed_scores(prefixes, trace, width):
    """Per column the scores (C, Y) of all extensions, and what the queue was ordered by."""
    place = [{known: k for k, known in enumerate(column)} for column in prefixes]
    scores, keys = ([np.full((len(column), width), -np.inf) for column in prefixes] for _ in range(2))
    total = trace.total
    for n in np.flatnonzero(trace.depth > 0).tolist():
        *before, y = trace.hypotheses[n].labels
        i, k = len(before), place[len(before)][tuple(before)]
        scores[i][k, y], keys[i][k, y] = trace.score[n], total[n]
    return scores, keys


def _extensions(prefixes, width):
    """(origins, labels) per position as ``history_pass`` takes them; after the last prefixes come all labels."""
    origins, labels = [], []
    for before, column in pairwise(prefixes):
        place = {known: k for k, known in enumerate(before)}
        origins.append(np.array([place[known[:-1]] for known in column], np.int64))
        labels.append(np.array([known[-1] for known in column], np.int64))
    origin, label = np.divmod(np.arange(len(prefixes[-1]) * width), width)
    return [*origins, origin], [*labels, label]


def warm_up():
    """Compile or load the kernels of the bounds on words; those of lattices and language models have their own."""
    from rcmviz.lm.hmm import HMM
    from rcmviz.lm.train import train_lm

    hmm = HMM(train_lm(["a b", "b a"], order=2), [["a", "b"]] * 2, [[0.0, -1.0]] * 2)
    for bound_order in (0, 1):
        astar(hmm, bound_order=bound_order)
