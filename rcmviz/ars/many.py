"""Many sentences decoded by adaptive rejection in one call."""

from collections.abc import Iterable

import numpy as np

from rcmviz.ars.automaton import MAX_EDGES, ROOM, STRATEGIES
from rcmviz.ars.decode import FROM_0, Best, ars_decode, make_best
from rcmviz.core.inference.batch import run_threads, thread_count
from rcmviz.core.shared import checks
from rcmviz.kernels.ars import many as kernel
from rcmviz.kernels.ars.trials import GAP_REACHED, PROVED
from rcmviz.lm.hmm import HMM

STOPPED = {PROVED: "proved", GAP_REACHED: "gap"}


def ars_decode_many(
    hmms: Iterable[HMM],
    *,
    look_ahead: bool = True,
    strategy: str = "sweep",
    max_iterations: int = 100_000,
    gap: float = 0.0,
    threads: int | None = None,
) -> list[Best]:
    """Find the best sequence of each of many HMMs by adaptive rejection, as ``ars_decode`` does.

    Parameters
    ----------
    hmms : iterable of HMM
        Models of one language model and one temperature.
    look_ahead : bool
        Bound by the candidates of the neighbouring positions, not by all words.
    strategy : {"sweep", "worst", "jump"}
        How the bound is refined, as in ``ars_decode``.
    max_iterations : int
        Number of Viterbi passes to stop after for each of them; there is at least one.
    gap : float
        Stop when the best sequence is at most this many nats below the bound.
    threads : int, optional
        How many threads, all cores by default and for −1.

    Returns
    -------
    list of Best
        What ``ars_decode`` returns of each, in their order.

    Raises
    ------
    ValueError
        An argument is malformed, the models differ in language model or temperature, or of one of them no sequence is
        possible; the message says of which.

    Notes
    -----
    Carter, Dymetman and Bouchard (2012, §2), in one compiled loop over all sentences.

    Examples
    --------
    >>> import rcmviz as rv
    >>> lm = rv.train_lm(["the cat sat", "the dog ran", "a dog sat"], order=3)
    >>> hmms = [rv.HMM(lm, [["the", "a"], ["cat", "dog"]], [[0, 0], [-1, seen]]) for seen in (0, -2)]
    >>> [best.words for best in rv.ars_decode_many(hmms)]
    [('a', 'dog'), ('the', 'cat')]
    """
    hmms = checks.as_list("hmms", hmms, "a list of HMMs")
    checks.choice("strategy", strategy, STRATEGIES)
    gap, threads = checks.number("gap", gap, FROM_0, least=0), thread_count(threads)
    checks.switch("look_ahead", look_ahead)
    rounds = max(1, checks.whole("max_iterations", max_iterations, 0))
    how = {"look_ahead": look_ahead, "strategy": strategy, "max_iterations": rounds, "gap": gap}
    if not hmms:
        return []
    _check_alike(hmms)
    together = rounds >= kernel.ROUNDS  # the loop knows no other end than a proof
    found = _decode_together(hmms, how, min(threads, len(hmms))) if together else [None] * len(hmms)
    return [best or _decode_alone(number, hmms[number], how) for number, best in enumerate(found)]


def _check_alike(hmms):
    first = hmms[0]
    for number, hmm in enumerate(hmms):
        if not isinstance(hmm, HMM):
            raise ValueError(f"hmms[{number}] is {type(hmm).__name__}: give HMMs")
        if hmm.lm is not first.lm or hmm.temperature != first.temperature:
            raise ValueError(
                f"hmms[{number}] has another language model or temperature than the first: decode it apart"
            )


def _decode_alone(number, hmm, how):
    try:
        best, _ = ars_decode(hmm, record=False, **how)
    except ValueError as error:
        raise ValueError(f"hmms[{number}]: {error}") from None
    return best


def _decode_together(hmms, how, threads):
    """A ``Best`` for each HMM, None for those whose end is not a proof."""
    first, sentences = hmms[0], _stack_sentences(hmms)
    longest, width = int(np.diff(sentences.offset).max()), sentences.words.shape[1]
    room = min((longest + 1) * (1 + ROOM * first.order), MAX_EDGES // (width * threads))
    if room <= longest:
        return [None] * len(hmms)
    options = kernel.Options(
        scale=1.0 / first.temperature,
        ahead=how["look_ahead"],
        begin=int(first.lm.begin),
        strategy=STRATEGIES[how["strategy"]],
        gap=how["gap"],
        room=room,
    )
    paths, scores = np.empty(len(sentences.words), np.int32), np.empty((len(hmms), 4))
    numbers = np.zeros((len(hmms), kernel.SIZES + 1 + first.order), np.int64)
    outputs = kernel.Outputs(paths, scores, numbers)
    run_threads(kernel.decode_many, threads, first.lm.trie.arrays, sentences, options, outputs)
    rows = zip(hmms, np.split(paths, sentences.offset[1:-1]), scores.tolist(), numbers.tolist(), strict=True)
    return [_make_best(*row) for row in rows]


def _stack_sentences(hmms):
    """The ``Sentences``, padded to the width of the widest."""
    lengths, width = [hmm.T for hmm in hmms], max(hmm.words.shape[1] for hmm in hmms)
    offset = np.concatenate([[0], np.cumsum(lengths)])
    words, emit = np.full((offset[-1], width), -1, np.int32), np.full((offset[-1], width), -np.inf)
    for hmm, begin, end in zip(hmms, offset, offset[1:], strict=False):
        words[begin:end, : hmm.words.shape[1]], emit[begin:end, : hmm.words.shape[1]] = hmm.words, hmm.log_emit
    widths = (words >= 0).sum(axis=1)
    words.setflags(write=False), emit.setflags(write=False)  # as an HMM's: else kernels would be compiled once more
    return kernel.Sentences(words, emit, widths, offset)


def _make_best(hmm, path, scores, numbers):
    status = numbers[kernel.STATUS]
    if status not in STOPPED:
        return None
    states, *ngrams = numbers[kernel.SIZES :]
    log_score, bound, log_z_bounds = (
        scores[kernel.FOUND],
        scores[kernel.BOUND],
        (scores[kernel.LEAST], scores[kernel.MOST]),
    )
    words = hmm.names(path)
    return make_best(
        words, log_score, bound, numbers[kernel.MADE], states, tuple(ngrams), log_z_bounds, STOPPED[status]
    )
