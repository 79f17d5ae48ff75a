"""Trials of adaptive rejection: the best path of q, or a draw from it, is compared with p, and q refined along it."""

from typing import Any, NamedTuple

import numpy as np

from rcmviz.kernels.ars.automaton import follow, refine
from rcmviz.kernels.ars.bounds import longest_history
from rcmviz.kernels.ars.passes import best_paths, draw, follow_best, update_maxima, update_sums
from rcmviz.kernels.bare_arrays import bare
from rcmviz.kernels.kernel import kernel, part
from rcmviz.kernels.lm import ngrams
from rcmviz.kernels.rows import copy_row

PROVED, GAP_REACHED, ENOUGH, FULL, IMPOSSIBLE, BROKEN = 0, 1, 2, 3, 4, 5  # how a stretch of trials ended
LOG_Q, LOG_P, LOG_MASS = 0, 1, 2  # of ``totals``
ACCEPTED, REFINED, NUMBER, FURTHEST = 0, 1, 2, 3  # of ``flags``
FOUND, BOUND = 0, 1  # of ``best``: log p of the best path found, the maximum of q
NOWHERE, BELOW = -1, -2  # in place of a position: q was exact, q was below p
TOLERANCE = 1e-9  # a bound below the truth by more than this is broken (science notes)


class Rule(NamedTuple):
    """A strategy of refinement, how far from a proof the search may end, and whether it is a search."""

    strategy: int
    gap: float
    is_search: bool


class Record(NamedTuple):
    """A row per trial; totals are log q, log p and the log mass of q, flags whether it was accepted, refined, its
    number and the position where q was furthest above p.
    """

    paths: Any  # (R, T)
    orders: Any  # (R, T) of what q used
    bounds: Any  # (R, T) what q used
    truths: Any  # (R, T) what the model says
    totals: Any  # (R, 3)
    sizes: Any  # (R, N+1) ``counts`` of the automaton
    flags: Any  # (R, 4)


@part(_nrt=False)
def evaluate(automaton, problem, record, trial):
    """Compare q with p along the path of a trial, into its row of ``record``; returns its FURTHEST.

    Added from the right, as the backward pass does: equal weights give equal sums, bit for bit. FURTHEST is NOWHERE
    where q was exact, BELOW where q was below p: the bound is broken.
    """
    path, orders, bounds, truths = record.paths[trial], record.orders[trial], record.bounds[trial], record.truths[trial]
    highest, ids, reached = longest_history(problem.trie), automaton.ids, automaton.reached
    follow(automaton, problem, path)
    log_q, log_p, excess, worst = 0.0, 0.0, 0.0, NOWHERE
    for i in range(path.size - 1, -1, -1):
        y = path[i]
        orders[i], bounds[i] = automaton.order[reached[i], y], automaton.weight[reached[i], y]
        truths[i] = bounds[i]
        if orders[i] <= min(highest, i):
            log_prob = ngrams.log_prob_of(problem.trie, ids, max(0, i + 1 - highest), i + 1, ids[i + 1])
            truths[i] = problem.scale * log_prob
        if bounds[i] < truths[i] - TOLERANCE:
            worst = BELOW
        if worst != BELOW and bounds[i] - truths[i] > excess:
            excess, worst = bounds[i] - truths[i], i
        log_q += bounds[i] + problem.emit[i, y]
        log_p += truths[i] + problem.emit[i, y]
    record.totals[trial, LOG_Q], record.totals[trial, LOG_P], record.flags[trial, FURTHEST] = log_q, log_p, worst
    return worst


@kernel(_nrt=False)
def run_trials(automaton, problem, rule, sums, best_path, best, record, begin):
    """Refine along the trials of ``record`` from number ``begin`` on; returns ``(trials, status)``.

    A search makes them itself: rounds of Viterbi, until the best path found is proved best. ``best_path (T,)`` and
    ``best (2,)``, its log p and the maximum of q, are carried from call to call · ``sums`` has no columns where the
    mass of q is not wanted. FULL: the states' arrays need more room.
    """
    automaton, problem, sums = bare((automaton, problem, sums))
    best_path, best, record = bare((best_path, best, record))
    flags, rounds = record.flags, record.paths.shape[0]
    for trial in range(begin, rounds):
        if is_full(automaton, problem):
            return trial, FULL
        status = ENOUGH
        if rule.is_search:
            status = search(automaton, problem, rule.gap, sums, best_path, best, record, trial)
            if status == IMPOSSIBLE:
                return trial, status
        if flags[trial, REFINED]:
            worst, number = flags[trial, FURTHEST], flags[trial, NUMBER]
            refine(automaton, problem, record.paths[trial], rule.strategy, worst, number)
        copy_row(automaton.counts, record.sizes[trial])
        if status != ENOUGH:
            return trial + 1, status
    return rounds, ENOUGH


@kernel(inline="always")
def search(automaton, problem, gap, sums, best_path, best, record, trial):
    """The best path of q, compared with p; returns a status."""
    emit, widths, totals, path = problem.emit, problem.widths, record.totals, record.paths[trial]
    best[BOUND] = update_maxima(automaton, emit, widths)
    if best[BOUND] == -np.inf:
        return IMPOSSIBLE
    follow_best(automaton, path)
    worst = evaluate(automaton, problem, record, trial)
    totals[trial, LOG_MASS] = update_sums(automaton, emit, widths, sums) if sums.shape[1] > 0 else np.nan
    if totals[trial, LOG_P] > best[FOUND] or best[FOUND] == -np.inf:  # an impossible one, until there is another
        best[FOUND] = totals[trial, LOG_P]
        copy_row(path, best_path)
    done = best[BOUND] - best[FOUND] <= gap
    record.flags[trial, ACCEPTED] = worst == NOWHERE
    record.flags[trial, REFINED] = not done and worst >= 0
    if worst == BELOW:
        return BROKEN
    if not done:
        return ENOUGH
    return PROVED if best[BOUND] <= best[FOUND] else GAP_REACHED


@kernel(inline="always")
def is_full(automaton, problem):
    """Whether a refinement could make more states than there is room for."""
    counts = automaton.counts
    return counts[0] + problem.words.shape[0] * (counts.size - 1) > automaton.fields.shape[1]


@kernel(_nrt=False)
def draw_batch(automaton, problem, sums, uniform, record):
    """A batch of independent draws from q, ``uniform (B, T + 1)``; accepted with probability p / q; returns a status.

    An accepted draw is an exact draw from p, whatever q was. Nothing is refined here.
    """
    automaton, problem, sums, uniform, record = bare((automaton, problem, sums, uniform, record))
    totals, flags = record.totals, record.flags
    mass = update_sums(automaton, problem.emit, problem.widths, sums)
    if mass == -np.inf:
        return IMPOSSIBLE
    for trial in range(record.paths.shape[0]):
        draw(automaton, problem.emit, problem.widths, sums, uniform[trial], record.paths[trial])
        if evaluate(automaton, problem, record, trial) == BELOW:
            return BROKEN
        log_q, log_p, totals[trial, LOG_MASS] = totals[trial, LOG_Q], totals[trial, LOG_P], mass
        flags[trial, ACCEPTED] = np.log(uniform[trial, uniform.shape[1] - 1]) < log_p - log_q
        flags[trial, REFINED] = not flags[trial, ACCEPTED] and flags[trial, FURTHEST] >= 0
    return ENOUGH


@kernel(_nrt=False)
def compare_best(automaton, problem, value, label, follower, record):
    """The best paths of q, as many as ``record`` has rows, compared with p; returns how many there are.

    ``value``, ``label``, ``follower (S, k)`` are scratch.
    """
    automaton, problem, record = bare((automaton, problem, record))
    value, label, follower = bare((value, label, follower))
    count = best_paths(automaton, problem.emit, problem.widths, value, label, follower, record.paths)
    for trial in range(count):
        evaluate(automaton, problem, record, trial)
    return count
