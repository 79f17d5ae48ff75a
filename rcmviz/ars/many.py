"""Many sentences decoded by adaptive rejection in one call."""

from collections.abc import Iterable

from rcmviz.ars.automaton import STRATEGIES
from rcmviz.ars.decode import FROM_0, Best, ars_decode
from rcmviz.core.inference.batch import run_threads, thread_count
from rcmviz.core.shared import checks
from rcmviz.lm.hmm import HMM


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
    Carter, Dymetman and Bouchard (2012, §2). Compiled code runs without Python's lock, so threads share the work.

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
    _check_alike(hmms)
    found: dict[int, Best] = {}
    run_threads(_decode_share, max(1, min(threads, len(hmms))), hmms, how, found)
    return [found[number] for number in range(len(hmms))]


def _decode_share(thread, threads, hmms, how, found):
    """Decode every ``threads``-th sentence from ``thread`` on, into ``found`` by its number."""
    for number in range(thread, len(hmms), threads):
        try:
            found[number], _ = ars_decode(hmms[number], record=False, **how)
        except ValueError as error:
            raise ValueError(f"hmms[{number}]: {error}") from None


def _check_alike(hmms):
    for number, hmm in enumerate(hmms):
        if not isinstance(hmm, HMM):
            raise ValueError(f"hmms[{number}] is {type(hmm).__name__}: give HMMs")
        if hmm.lm is not hmms[0].lm or hmm.temperature != hmms[0].temperature:
            raise ValueError(
                f"hmms[{number}] has another language model or temperature than the first: decode it apart"
            )
