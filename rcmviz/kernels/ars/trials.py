"""Trials of adaptive rejection: the best path of q, or a draw from it, is compared with p, and q refined along it.

``automaton`` as in ``automaton.py``, ``problem`` as in ``bounds.py``, ``sums`` as in ``passes.py``.

``record = (paths (R, T), orders, bounds, truths (R, T), totals (R, 3), sizes (R, N+1), flags (R, 4))`` has a row per
trial: totals are log q, log p and the log mass of q, flags whether it was accepted, refined, its number and the
position where q was furthest above p.
"""

import numpy as np

from rcmviz.kernels.ars.automaton import COUNTS, ORDER, STATES, WEIGHT, follow, refine
from rcmviz.kernels.ars.bounds import WORDS, longest_history
from rcmviz.kernels.ars.passes import draw, follow_best, update_maxima, update_sums
from rcmviz.kernels.kernel import kernel
from rcmviz.kernels.lm import ngrams
from rcmviz.kernels.rows import copy_row

PROVED, GAP_REACHED, ENOUGH, FULL, IMPOSSIBLE, BROKEN = 0, 1, 2, 3, 4, 5  # how a stretch of trials ended
LOG_Q, LOG_P, LOG_MASS = 0, 1, 2  # of ``totals``
ACCEPTED, REFINED, NUMBER, FURTHEST = 0, 1, 2, 3  # of ``flags``
FOUND, BOUND = 0, 1  # of ``best``: log p of the best path found, the maximum of q
NOWHERE, BELOW = -1, -2  # in place of a position: q was exact, q was below p
TOLERANCE = 1e-9  # a bound below the truth by more than this is broken (science notes)


@kernel(_nrt=False)
def evaluate(automaton, problem, path, ids, reached, orders, bounds, truths):
    """``(log_q, log_p, worst)`` of a path and, per position, the order, what q used and what the model says.

    Added from the right, as the backward pass does: equal weights give equal sums, bit for bit. ``worst`` is the
    position where q was furthest above p, NOWHERE where it was exact, BELOW where q was below p: the bound is broken.
    """
    weight, order = automaton[WEIGHT], automaton[ORDER]
    trie, words, emit, scale, _, _, _ = problem
    highest = longest_history(trie)
    follow(automaton, path, reached)
    for i in range(path.size):
        ids[i + 1] = words[i, path[i]]
    log_q, log_p, excess, worst = 0.0, 0.0, 0.0, NOWHERE
    for i in range(path.size - 1, -1, -1):
        y = path[i]
        orders[i], bounds[i] = order[reached[i], y], weight[reached[i], y]
        truths[i] = bounds[i]
        if orders[i] <= min(highest, i):
            truths[i] = scale * ngrams.log_prob_of(trie, ids, max(0, i + 1 - highest), i + 1, ids[i + 1])
        if bounds[i] < truths[i] - TOLERANCE:
            worst = BELOW
        if worst != BELOW and bounds[i] - truths[i] > excess:
            excess, worst = bounds[i] - truths[i], i
        log_q += bounds[i] + emit[i, y]
        log_p += truths[i] + emit[i, y]
    return log_q, log_p, worst


@kernel()
def decode(automaton, problem, options, sums, best_path, best, record):
    """Rounds of Viterbi and refinement until the best path found is proved best; returns ``(rounds, status)``.

    ``options = (strategy, gap)`` · ``best_path (T,)`` and ``best (2,)``, its log p and the maximum of q, are carried
    from call to call · ``sums`` has no columns where the mass of q is not wanted · as many rounds as ``record`` has
    rows. FULL: the states' arrays need more room.
    """
    (strategy, gap), counts = options, automaton[COUNTS]
    _, _, emit, _, _, _, widths = problem
    paths, orders, bounds, truths, totals, sizes, flags = record
    ids, reached = path_arrays(problem)
    for trial in range(len(paths)):
        if is_full(automaton, problem):
            return trial, FULL
        best[BOUND] = update_maxima(automaton, emit, widths)
        if best[BOUND] == -np.inf:
            return trial, IMPOSSIBLE
        follow_best(automaton, paths[trial])
        log_q, log_p, worst = evaluate(
            automaton, problem, paths[trial], ids, reached, orders[trial], bounds[trial], truths[trial]
        )
        totals[trial, LOG_Q], totals[trial, LOG_P] = log_q, log_p
        totals[trial, LOG_MASS] = update_sums(automaton, emit, widths, sums) if sums.shape[1] > 0 else np.nan
        if log_p > best[FOUND] or best[FOUND] == -np.inf:  # an impossible one, until there is another
            best[FOUND] = log_p
            copy_row(paths[trial], best_path)
        done = best[BOUND] - best[FOUND] <= gap
        flags[trial, ACCEPTED] = worst == NOWHERE
        flags[trial, REFINED] = not done and worst >= 0
        if flags[trial, REFINED]:
            refine(automaton, problem, paths[trial], ids, strategy, worst, reached, flags[trial, NUMBER])
        copy_row(counts, sizes[trial])
        if worst == BELOW:
            return trial + 1, BROKEN
        if done:
            return trial + 1, PROVED if best[BOUND] <= best[FOUND] else GAP_REACHED
    return len(paths), ENOUGH


@kernel()
def path_arrays(problem):
    """Empty ``(ids (T+1,), reached (T+1,))`` of a path, `<s>` first."""
    _, words, _, _, _, begin, _ = problem
    ids, reached = np.empty(len(words) + 1, np.int32), np.empty(len(words) + 1, np.int64)
    ids[0] = begin
    return ids, reached


@kernel(_nrt=False)
def is_full(automaton, problem):
    """Whether a refinement could make more states than there is room for."""
    fields, counts = automaton[STATES], automaton[COUNTS]
    return counts[0] + len(problem[WORDS]) * (counts.size - 1) > fields.shape[1]


@kernel()
def draw_batch(automaton, problem, sums, uniform, record):
    """A batch of independent draws from q, ``uniform (B, T + 1)``; accepted with probability p / q; returns a status.

    An accepted draw is an exact draw from p, whatever q was. Nothing is refined here.
    """
    _, _, emit, _, _, _, widths = problem
    paths, orders, bounds, truths, totals, _, flags = record
    ids, reached = path_arrays(problem)
    mass = update_sums(automaton, emit, widths, sums)
    if mass == -np.inf:
        return IMPOSSIBLE
    for trial in range(len(paths)):
        draw(automaton, emit, widths, sums, uniform[trial], paths[trial])
        log_q, log_p, worst = evaluate(
            automaton, problem, paths[trial], ids, reached, orders[trial], bounds[trial], truths[trial]
        )
        totals[trial, LOG_Q], totals[trial, LOG_P] = log_q, log_p
        if worst == BELOW:
            return BROKEN
        totals[trial, LOG_MASS] = mass
        flags[trial, ACCEPTED] = np.log(uniform[trial, -1]) < log_p - log_q
        flags[trial, REFINED] = not flags[trial, ACCEPTED] and worst >= 0
        flags[trial, FURTHEST] = worst
    return ENOUGH


@kernel()
def refine_batch(automaton, problem, strategy, record, begin):
    """Refine along the rejected draws of a batch from number ``begin`` on; returns the first that found no room."""
    counts, words = automaton[COUNTS], problem[WORDS]
    paths, _, _, _, _, sizes, flags = record
    ids, reached = path_arrays(problem)
    for trial in range(begin, len(paths)):
        if is_full(automaton, problem):
            return trial
        if flags[trial, REFINED]:
            for i in range(len(words)):
                ids[i + 1] = words[i, paths[trial, i]]
            worst, number = flags[trial, FURTHEST], flags[trial, NUMBER]
            refine(automaton, problem, paths[trial], ids, strategy, worst, reached, number)
        copy_row(counts, sizes[trial])
    return len(paths)
