"""Exact decoding and sampling by adaptive rejection (Carter, Dymetman, Bouchard 2012).

q, an upper bound on p, is an automaton that knows little. The best path of q, or a draw from it, is compared with p:
where they agree, the best path of q is *proved* to be the best of all, a draw is *exactly* a draw from p. Where they do
not, q is refined along that path and nowhere else.
"""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from rcmviz.ars.automaton import Automaton
from rcmviz.ars.trace import ArsTrace
from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin, freeze
from rcmviz.kernels.ars import passes
from rcmviz.kernels.ars import trials as kernel
from rcmviz.lm.hmm import HMM, accept_hmm_arguments

Recorded = ArsTrace | Any  # None without ``record``; Any spares other callers the check
FROM_0 = "a number from 0 on"
CHUNK = 64  # rounds between two looks at the clock: some milliseconds
SMALLEST = rb"""
\data\
ngram 1=4
ngram 2=2
\1-grams:
-9 <s>
-1 </s>
-1 a
-1 b
\2-grams:
-2 <s> a
-3 a b
\end\
"""  # the model that warms the kernels


@dataclass(frozen=True, eq=False)
class Best:
    """A best sequence with its proof.

    Attributes
    ----------
    words : tuple of str
        The words, ``</s>`` left out.
    log_score : float
        Its log p in nats, not normalised.
    log_bound : float
        No sequence has a larger log p.
    gap : float
        ``log_bound`` − ``log_score``: 0.0 where it is proved to be the best.
    iterations : int
        Number of Viterbi passes.
    states : int
        States of the automaton at the end.
    ngrams : tuple of int, length N
        n-grams in the automaton by order.
    log_z_bounds : tuple of two floats
        Lower and upper bound of log Z: log of the summed p of what was found, log mass of q.
    stopped : {"proved", "gap", "iterations", "time", "room"}
        Why it ended.
    """

    words: tuple[str, ...]
    log_score: float
    log_bound: float
    gap: float
    iterations: int
    states: int
    ngrams: tuple
    log_z_bounds: tuple
    stopped: str


@dataclass(frozen=True, eq=False)
class ArsDraws(CopyableMixin):
    """Exact draws by adaptive rejection.

    Attributes
    ----------
    words : list of tuple of str, length n
        The sequences, ``</s>`` left out.
    log_score : ndarray of shape (n,)
        Their log p in nats, not normalised.
    acceptance : float
        Share of all trials that were accepted.
    trials : int
        Number of trials.
    states : int
        States of the automaton at the end.
    ngrams : tuple of int, length N
        n-grams in the automaton by order.
    log_z_bounds : tuple of two floats
        Lower and upper bound of log Z: log of the summed p of what was found, log mass of q.
    stopped : {"drawn", "acceptance", "trials", "time", "room"}
        Why it ended.
    """

    words: list[tuple[str, ...]]
    log_score: np.ndarray
    acceptance: float
    trials: int
    states: int
    ngrams: tuple
    log_z_bounds: tuple
    stopped: str

    def __repr__(self):
        first = " ".join(map(str, self.words[0])) if self.words else ""
        return f"<ArsDraws: {len(self.words):,} sequences, of {self.trials:,} trials; first {first[:60]!r}>"

    def __post_init__(self):
        freeze(self)


@accept_hmm_arguments
def ars_decode(
    hmm: HMM,
    *,
    look_ahead: bool = True,
    strategy: str = "sweep",
    max_iterations: int = 100_000,
    seconds: float | None = None,
    gap: float = 0.0,
    record: bool = True,
) -> tuple[Best, Recorded]:
    """Find the best sequence by adaptive rejection, and prove that it is the best.

    Parameters
    ----------
    hmm : HMM
        The model with its input, or its parts: ``ars_decode(lm, candidates, log_obs, end=True, temperature=1.0, …)``.
    look_ahead : bool
        Bound by the candidates of the neighbouring positions, not by all words: fewer rounds, each of them slower.
    strategy : {"sweep", "worst", "jump"}
        Refine the bound by one order along the whole path, only where it exceeds p most, or to the highest order.
    max_iterations : int
        Number of Viterbi passes to stop after; there is at least one.
    seconds : float, optional
        Time to stop after.
    gap : float
        Stop when the best sequence is at most this many nats below the bound.
    record : bool
        Record the trace.

    Returns
    -------
    best : Best
        The best sequence so far, and its proof.
    trace : ArsTrace or None
        The rounds; None without ``record``.

    Raises
    ------
    ValueError
        An argument is malformed, or no sequence is possible.

    Notes
    -----
    The best path of an upper bound q is compared with p; where they differ, q is refined along that path (Carter,
    Dymetman and Bouchard, 2012, §2, with the bounds of eq. 8).

    Examples
    --------
    >>> import rcmviz as rv
    >>> lm = rv.train_lm(["the cat sat", "the dog ran", "a dog sat"], order=3)
    >>> hmm = rv.HMM(lm, [["the", "a"], ["cat", "dog"], ["sat", "ran"]], [[0, 0], [-1, 0], [0, 0]])
    >>> best, trace = rv.ars_decode(hmm)
    >>> best.words, best.gap, best.stopped
    (('a', 'dog', 'sat'), 0.0, 'proved')
    """
    clock = _Clock(seconds)
    gap = checks.number("gap", gap, FROM_0, least=0)
    rounds = max(1, checks.whole("max_iterations", max_iterations, 0))
    automaton = Automaton(hmm, strategy, look_ahead, with_sums=checks.switch("record", record))
    records, rule = [], kernel.Rule(automaton.strategy, gap, True)
    path, best = np.zeros(hmm.T, np.int32), np.array([-np.inf, np.inf])
    made, status = 0, kernel.ENOUGH
    while True:
        chunk = automaton.new_record(1 if clock.is_over else min(CHUNK, rounds - made), made)
        done, status = kernel.run_trials(
            automaton.arrays, automaton.problem, rule, automaton.sums, path, best, chunk, 0
        )
        records.append([column[:done] for column in chunk])
        made += done
        if status == kernel.FULL and automaton.grow():
            continue
        if status != kernel.ENOUGH or made >= rounds or clock.is_over:
            break
    _check(status)
    record_rows = _join_records(records)
    if status == kernel.ENOUGH:  # the last refinement may have lowered the bound, perhaps to the best itself
        best[kernel.BOUND] = passes.update_maxima(automaton.arrays, hmm.log_emit, automaton.widths)
        status = kernel.PROVED if best[kernel.BOUND] <= best[kernel.FOUND] else status
    stopped = _stop_reason(status, "iterations" if made >= rounds else "time")
    log_score, bound = float(best[kernel.FOUND]), float(best[kernel.BOUND])
    found = make_best(
        hmm.names(path),
        log_score,
        bound,
        made,
        automaton.states,
        tuple(automaton.counts[1:].tolist()),
        automaton.log_z_bounds(record_rows),
        stopped,
    )
    settings = {"mode": "decode", "gap": gap, "max_iterations": rounds, "stopped": stopped}
    return found, _trace(automaton, record_rows, settings, strategy, look_ahead) if record else None


@accept_hmm_arguments
def ars_kbest(
    hmm: HMM,
    k: int = 5,
    *,
    look_ahead: bool = True,
    strategy: str = "sweep",
    max_iterations: int = 100_000,
    seconds: float | None = None,
) -> list[Best]:
    """Find the k best sequences by adaptive rejection.

    Parameters
    ----------
    hmm : HMM
        The model with its input, or its parts: ``ars_kbest(lm, candidates, log_obs, k=5, end=True, …)``.
    k : int
        How many sequences, 1 or more.
    look_ahead : bool
        Bound by the candidates of the neighbouring positions, not by all words.
    strategy : {"sweep", "worst", "jump"}
        How the bound is refined, as in ``ars_decode``.
    max_iterations : int
        Number of rounds to stop after; there is at least one.
    seconds : float, optional
        Time to stop after.

    Returns
    -------
    list of Best
        Sequences, the best first; fewer where fewer are possible. Stopped early, the ``gap`` of each says how far the
        bound on its rank still is above it.

    Raises
    ------
    ValueError
        An argument is malformed, or no sequence is possible.

    Notes
    -----
    q is refined along every one of its k best paths on which it is above p; where it is on none, they are the k best
    of p.

    Examples
    --------
    >>> import rcmviz as rv
    >>> lm = rv.train_lm(["the cat sat", "the dog ran", "a dog sat"], order=3)
    >>> hmm = rv.HMM(lm, [["the", "a"], ["cat", "dog"], ["sat", "ran"]], [[0, 0], [-1, 0], [0, 0]])
    >>> [best.words[1] for best in rv.ars_kbest(hmm, 2)]
    ['dog', 'dog']
    """
    clock = _Clock(seconds)
    k, rounds = checks.draws("k", k, hmm.T), max(1, checks.whole("max_iterations", max_iterations, 0))
    automaton = Automaton(hmm, strategy, look_ahead)
    record, found, made = automaton.new_record(k, 0), {}, 0
    while True:
        count = automaton.compare_best(record)
        made += 1
        above = []  # paths on which q exceeds p
        for path, totals, flags in zip(record.paths[:count], record.totals, record.flags, strict=False):
            worst = int(flags[kernel.FURTHEST])
            _check(kernel.BROKEN if worst == kernel.BELOW else kernel.ENOUGH)
            found[tuple(path.tolist())] = float(totals[kernel.LOG_P])
            above += [(path, worst)] if worst >= 0 else []
        if not above or made >= rounds or clock.is_over:
            break
        for path, worst in above:
            automaton.refine_along(path, made - 1, worst)
    if count == 0:
        _check(kernel.IMPOSSIBLE)
    stopped = "proved" if not above else ("iterations" if made >= rounds else "time")
    ranked = sorted((path for path in found if found[path] > -np.inf), key=lambda path: -found[path])[:count]
    bounds = (float(np.logaddexp.reduce(list(found.values()))), automaton.log_mass())
    return [
        make_best(
            hmm.names(path),
            found[path],
            float(bound),
            made,
            automaton.states,
            tuple(automaton.counts[1:].tolist()),
            bounds,
            stopped,
        )
        for path, bound in zip(ranked, record.totals[:, kernel.LOG_Q], strict=False)
    ]


@accept_hmm_arguments
def ars_sample(
    hmm: HMM,
    n: int = 1000,
    seed: int | np.random.Generator = 0,
    *,
    look_ahead: bool = True,
    strategy: str = "sweep",
    batch: int = 50,
    max_trials: int = 1_000_000,
    seconds: float | None = None,
    stop_acceptance: float | None = None,
    record: bool = True,
) -> tuple[ArsDraws, Recorded]:
    """Draw independent exact samples by adaptive rejection.

    Parameters
    ----------
    hmm : HMM
        The model with its input, or its parts: ``ars_sample(lm, candidates, log_obs, n=1000, seed=0, end=True, …)``.
    n : int
        How many draws, 1 or more.
    seed : int or numpy.random.Generator
        Seed or source of the random numbers.
    look_ahead : bool
        Bound by the candidates of the neighbouring positions, not by all words.
    strategy : {"sweep", "worst", "jump"}
        How the bound is refined, as in ``ars_decode``.
    batch : int
        Trials between two refinements.
    max_trials : int
        Number of trials to stop after.
    seconds : float, optional
        Time to stop after.
    stop_acceptance : float, optional
        Stop when so large a share of the last 100 trials was accepted.
    record : bool
        Record the trace.

    Returns
    -------
    draws : Draws
        The draws: n of them, fewer where it was stopped before.
    trace : ArsTrace or None
        The trials; None without ``record``.

    Raises
    ------
    ValueError
        An argument is malformed, or no sequence is possible.

    Notes
    -----
    A trial is a draw from an upper bound q and is accepted with probability p / q, so that accepted ones are exact
    draws from p; q is refined along the rejected ones (Carter, Dymetman and Bouchard, 2012, §2).

    Examples
    --------
    >>> import rcmviz as rv
    >>> lm = rv.train_lm(["the cat sat", "the dog ran", "a dog sat"], order=3)
    >>> draws, trace = rv.ars_sample(rv.HMM(lm, [["the", "a"], ["cat", "dog"]], [[0, 0], [-1, 0]]), n=100)
    >>> len(draws.words), draws.log_z_bounds[0] <= draws.log_z_bounds[1]
    (100, True)
    """
    clock = _Clock(seconds)
    n, batch = checks.whole("n", n, 1, checks.MAX_DRAWN), checks.draws("batch", batch, hmm.T)
    most, enough = checks.whole("max_trials", max_trials, 1), stop_acceptance
    if enough is not None:
        enough = checks.number("stop_acceptance", enough, "a number from 0 to 1", least=0, most=1)
    random = checks.generator(seed)
    checks.switch("record", record)
    automaton = Automaton(hmm, strategy, look_ahead, with_sums=True)
    records, accepted, stopped = [], np.zeros(0, bool), None
    while stopped is None:
        chunk = automaton.new_record(min(batch, most - len(accepted)), len(accepted))
        count = len(chunk.paths)
        uniform = random.random((count, hmm.T + 1))
        status = kernel.draw_batch(automaton.arrays, automaton.problem, automaton.sums, uniform, chunk)
        _check(status)
        begin, has_room = 0, True
        while begin < count and has_room:
            begin = automaton.refine_from(begin, chunk)
            has_room = begin == count or automaton.grow()
        chunk.sizes[begin:], chunk.flags[begin:, kernel.REFINED] = automaton.counts, 0
        records.append(chunk)
        accepted = np.concatenate([accepted, chunk.flags[:, kernel.ACCEPTED] > 0])
        stopped = _sampling_stop_reason(accepted, n, most, enough, clock, has_room)
    rows = _join_records(records)
    taken = np.flatnonzero(accepted)[:n]
    draws = ArsDraws(
        [hmm.names(path) for path in rows.paths[taken]],
        rows.totals[taken, kernel.LOG_P],
        float(accepted.mean()),
        len(accepted),
        automaton.states,
        tuple(automaton.counts[1:].tolist()),
        automaton.log_z_bounds(rows),
        stopped,
    )
    settings = {"mode": "sample", "n": n, "batch": batch, "max_trials": most, "stopped": stopped}
    if not isinstance(seed, np.random.Generator):
        settings["seed"] = seed
    return draws, _trace(automaton, rows, settings, strategy, look_ahead) if record else None


def make_best(words, log_score, bound, *others):
    """A ``Best`` with this bound on all sequences, which rounding may have left a little below its score."""
    return Best(words, log_score, max(bound, log_score), max(0.0, bound - log_score), *others)


def _sampling_stop_reason(accepted, n, most, enough, clock, has_room):
    """The reason to stop after this batch, or None."""
    last = accepted[-100:]
    if accepted.sum() >= n:
        return "drawn"
    if enough is not None and len(last) == 100 and last.mean() >= enough:
        return "acceptance"
    if len(accepted) >= most:
        return "trials"
    return "time" if clock.is_over else None if has_room else "room"


def _join_records(records):
    """The ``Record`` of a whole run."""
    if len(records) == 1:
        return kernel.Record(*records[0])
    return kernel.Record(*(np.concatenate(parts) for parts in zip(*records, strict=True)))


def _trace(automaton, rows, settings, strategy, look_ahead):
    hmm = automaton.hmm
    contexts = automaton.contexts()
    flags, totals = rows.flags.T, rows.totals.T
    settings = {
        "method": "ars",
        "strategy": strategy,
        "look_ahead": bool(look_ahead),
        "temperature": float(hmm.temperature),
        "order": hmm.order,
        "end": bool(hmm.end),
        **settings,
    }
    batch = flags[kernel.NUMBER] // settings.get("batch", 1)
    return ArsTrace(
        hmm,
        settings,
        rows.paths,
        rows.orders,
        rows.bounds,
        rows.truths,
        totals[kernel.LOG_Q],
        totals[kernel.LOG_P],
        flags[kernel.ACCEPTED] > 0,
        flags[kernel.REFINED] > 0,
        batch,
        totals[kernel.LOG_MASS],
        rows.sizes[:, 0],
        rows.sizes[:, 1:],
        contexts.column,
        contexts.length,
        contexts.label,
        contexts.origin,
        contexts.parent,
        contexts.born,
    )


def _check(status):
    if status == kernel.IMPOSSIBLE:
        raise ValueError(
            "no sequence has positive probability: look for a position whose observations are all -inf, or for words "
            "that the language model gives no probability"
        )
    if status == kernel.BROKEN:
        raise AssertionError("the bound q fell below p: please report this model as a bug of rcmviz")


def _stop_reason(status, otherwise):
    return {kernel.PROVED: "proved", kernel.GAP_REACHED: "gap", kernel.FULL: "room"}.get(status, otherwise)


class _Clock:
    """Whether the ``seconds`` that were granted are over; None grants all the time there is."""

    def __init__(self, seconds):
        if seconds is not None:
            seconds = checks.number("seconds", seconds, FROM_0, least=0)
        self.until = None if seconds is None else time.perf_counter() + seconds

    @property
    def is_over(self):
        return self.until is not None and time.perf_counter() >= self.until


def warm_up():
    """Compile or load every kernel of adaptive rejection and of language models, files included, with their types."""
    from rcmviz.lm.arpa import parse_arpa
    from rcmviz.lm.doctor import examine

    file = parse_arpa(SMALLEST, "warm-up")
    examine(file)
    lm = file.to_model()
    hmm = HMM(lm, [["a", "b"], ["a", "b"]], [[0.0, -9.0], [-9.0, 0.0]])  # q exceeds p where b follows a, and is refined
    ars_decode(hmm)[1].lattice()
    ars_kbest(hmm, k=2)
    ars_sample(hmm, n=2, batch=2)
    lm.next_words(["a"], 2)
    lm.score(["a b"])
    lm.log_prob("a")
    lm.max_log_prob("a")
