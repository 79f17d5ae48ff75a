"""The bulk driver: many words at once through the same kernels as ``build.py``, over threads."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import product

import numba
import numpy as np
from numpy.typing import ArrayLike

from rcmviz.core.methods import IN_BULK, METHODS, NO_CAP
from rcmviz.core.models import vectors
from rcmviz.core.models.model import NgramModel
from rcmviz.core.models.scores import (
    SAFE_RANGE,
    check_stacked,
    scale_emissions,
    score_ranges,
    stack_rows,
    weight_range,
)
from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import freeze
from rcmviz.kernels.chain import dense, lane_exact, lane_words, words
from rcmviz.kernels.chain.lane_state import Outputs
from rcmviz.kernels.chain.state import Pruning, States
from rcmviz.kernels.packed import pack

DENSE_STATES = 2_000_000  # states of one position
NEAR_WEIGHTS = 30.0  # nats; e^-86 is the least emission in single precision
MOST_ARCS = 200_000_000  # of one word; the only limit on its length, apart from the budget


@dataclass(frozen=True, eq=False)
class Batch:
    """Results of ``infer_batch`` for N words.

    Attributes
    ----------
    labels : tuple of ndarray of int, shape (T,)
        Best label indices of each word.
    log_z : ndarray of shape (N,)
        Log partition functions in nats.
    log_score : ndarray of shape (N,)
        Log scores of the best outputs in nats, not normalised.
    log_prob : ndarray of shape (N,)
        Log probabilities of the best outputs in nats; their exponential is the confidence.
    mean_length : ndarray of shape (N,)
        Mean number of labels that a context remembers, weighted by mass.
    posterior : tuple of ndarray of shape (T, Y), or None
        Label posteriors of each word if requested.
    """

    labels: tuple[np.ndarray, ...]
    log_z: np.ndarray
    log_score: np.ndarray
    log_prob: np.ndarray
    mean_length: np.ndarray
    posterior: tuple[np.ndarray, ...] | None

    def __repr__(self):
        return f"<Batch: {len(self.labels):,} words, {sum(map(len, self.labels)):,} positions>"

    def __post_init__(self):
        freeze(self)

    def __reduce__(self):
        """Pickle as a few arrays, not two for each word, which is faster on a cluster."""
        offset = np.cumsum([0, *map(len, self.labels)])
        rows = (each and np.concatenate(each) for each in (self.labels, self.posterior))
        return _unpack_results, (offset, *rows, self.log_z, self.log_score, self.log_prob, self.mean_length)


def _unpack_results(offset, labels, posterior, *of_words):
    by_word = posterior if posterior is None else _split_by_word(posterior, offset)
    return Batch(_split_by_word(labels, offset), *of_words, by_word)


@dataclass(frozen=True)
class Search:
    """Options of choosing contexts, and the number of threads; values are checked."""

    method: str
    budget: int
    passes: int = 1
    deduplicate: bool = False
    root_weight: float = 0.0
    threads: int = 1


def infer_batch(
    model: NgramModel,
    log_emits: Iterable[ArrayLike],
    method: str = "rcms",
    budget: int = 10,
    *,
    passes: int = 1,
    deduplicate: bool = False,
    root_weight: float | None = None,
    dtype: str = "f4",
    threads: int | None = None,
    posterior: bool = False,
) -> Batch:
    """Decode many words in one compiled loop over all cores.

    Parameters
    ----------
    model : NgramModel
        The model of all words.
    log_emits : iterable of array_like of shape (T, Y)
        Log emissions of each word in nats, −inf allowed; where all are in single precision they are not widened.
    method : str
        How contexts are chosen, one of ``rcmviz.core.methods.IN_BULK``.
    budget : int
        Contexts per position, the root not counted; exact inference has none.
    passes : int
        Passes of RCMS, 1 to 10.
    deduplicate : bool
        Join contexts that are equal in their last n labels.
    root_weight : float, optional
        Log weight that the repaired beam adds where a path enters the root, the model's own by default.
    dtype : {"f4", "f8"}
        Precision. Single falls back to double for words whose scores are too far apart or whose masses underflow, and
        for what the kernels in single precision cannot do: more than one pass, de-duplication, the repaired beam, a
        model of more than 4 million histories, exact inference of an order above 1.
    threads : int, optional
        Number of threads; None or −1 for all cores.
    posterior : bool
        Compute label posteriors too.

    Returns
    -------
    Batch
        Best labels, log Z, confidence and, if requested, posteriors of each word.

    Raises
    ------
    ValueError
        An argument is malformed, or the budget or exact inference needs too much memory.

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 2.0})
    >>> batch = rv.infer_batch(model, [[[1.0, 0.0], [0.0, 0.0]], [[0.0, 1.0]]])
    >>> [labels.tolist() for labels in batch.labels]
    [[0, 1], [1]]
    """
    if not isinstance(model, NgramModel):
        raise ValueError(
            f"infer_batch decodes with an NgramModel, not with {model!r}; a model that has its own observations is "
            "given to rv.rcms, rv.beam or rv.exact, one sentence per call"
        )
    stacked, offset = stack_rows(log_emits, model.labels)
    return infer_stacked(
        model,
        stacked,
        offset,
        method,
        budget,
        passes=passes,
        deduplicate=deduplicate,
        root_weight=root_weight,
        dtype=dtype,
        threads=threads,
        posterior=posterior,
    )


def infer_stacked(
    model,
    stacked,
    offset,
    method,
    budget,
    *,
    passes=1,
    deduplicate=False,
    root_weight=None,
    dtype="f4",
    threads=None,
    posterior=False,
):
    """``infer_batch`` of words whose log emissions stand one after the other, w from ``offset[w]`` on."""
    chosen = IN_BULK[checks.choice("method", method, IN_BULK)]
    checks.choice("dtype", dtype, ("f4", "f8"), "choose 'f4' or 'f8'")
    passes = checks.passes(passes) if chosen.passes_in_bulk else 1
    threads = thread_count(threads)
    check_stacked(stacked, offset, model.labels)
    count = len(offset) - 1
    if not count:
        none = np.zeros(0)
        return Batch((), none, none, none, none, () if posterior else None)
    checks.switch("deduplicate", deduplicate), checks.switch("posterior", posterior)
    if root_weight is not None:
        root_weight = checks.root_weight(root_weight)
    if "root_weight" in chosen.options:
        root_weight = model.root_weight if root_weight is None else root_weight
    elif root_weight:
        raise ValueError(f"method {method!r} has no root_weight, the repaired beam has one: method='repaired'")
    else:
        root_weight = 0.0
    how = Search(method, budget, passes, deduplicate, root_weight, min(threads, count))
    how, longest = _clamp_budget(model, how, offset)
    if not _fits_vectors(model, how, longest):
        dtype = "f8"  # kernels of numbers, not of vectors, are compiled for one precision
    ready, ranges = _ranges(model, stacked, root_weight, dtype)
    is_far = np.maximum.reduceat(ranges, offset[:-1]) >= SAFE_RANGE["f4"]
    in_single = _may_be_single(model, is_far, chosen, dtype)
    outputs = Outputs(
        labels=np.zeros(len(stacked), np.int64),
        scores=np.zeros((count, 3)),
        posterior=np.zeros((len(stacked) if posterior else 0, stacked.shape[1]), "f4" if in_single.all() else "f8"),
    )
    if in_single.any():
        _run_words(model, ready, offset, in_single, how, outputs, logs=False, is_far=is_far)
    infer_in_double(model, stacked, offset, ~in_single | _is_doubtful(outputs), how, outputs, ranges)
    return _answers(outputs, offset, posterior)


def fits_single(model, log_emit, offset, how):
    """Whether the scores of words, whose rows are among ``log_emit``, are for the kernels in single precision."""
    how, longest = _clamp_budget(model, how, offset)
    widest = score_ranges(model, log_emit, how.root_weight).max(initial=0.0)
    return _fits_vectors(model, how, longest) and widest < SAFE_RANGE["f4"]


def infer_in_double(model, log_emit, offset, which, how, outputs, ranges=None):
    """Answer the words ``which (W,)`` in double precision: on linear masses, or on logs where these are not enough.

    ``ranges`` are the words' `score_ranges`, found if None. Arguments are otherwise those of `run_kernels`, but
    emissions are logs.
    """
    if not which.any():
        return
    if ranges is None:
        ranges = score_ranges(model, log_emit, how.root_weight)
    on_logs = _are_for_logs(model, ranges, offset, METHODS[how.method])
    linear = which & ~on_logs
    if linear.any():
        _run_words(model, (log_emit, None), offset, linear, how, outputs, logs=False)
    left = which & (on_logs | (linear & _is_doubtful(outputs)))
    if left.any():
        _run_words(model, (log_emit, None), offset, left, how, outputs, logs=True)


def _is_doubtful(outputs):
    """Words whose linear masses underflowed, or that have no possible output (W,): only logs tell these apart."""
    return ~(outputs.scores[:, 0] > -np.inf)


def _run_words(model, given, offset, which, how, outputs, logs, is_far=None):
    """``run_kernels`` on the words ``which (W,)``, from the emissions of all, or from their logs where their scale is
    None; what it finds goes into ``outputs``.
    """
    rows, words, lengths = np.repeat(which, np.diff(offset)), which, np.diff(offset)[which]
    if which.all():
        rows = words = slice(None)
    start = np.concatenate([[0], np.cumsum(lengths)])
    labels, scores, posterior = outputs.labels, outputs.scores, outputs.posterior
    emit, scale = (None if part is None else part[rows] for part in given)
    if scale is None:
        emit, scale = scale_emissions(emit, logs)
    shares = (posterior[rows] if len(posterior) else posterior).astype(emit.dtype, copy=False)
    found = Outputs(labels[rows] if len(labels) else labels, scores[words], shares)
    run_kernels(model, emit, start, how, found, logs, None if is_far is None else is_far[words])
    scores[words] = found.scores
    scores[words, :2] += np.add.reduceat(scale, start[:-1])[:, None]
    if len(labels):
        labels[rows] = found.labels
    if len(posterior):
        posterior[rows] = shares


def run_kernels(model, emit, offset, how, outputs, logs=False, is_far=None):
    """The bulk kernels on emissions ``emit (N, Y)`` of words ``offset (W+1,)``, linear ones unless ``logs``.

    What ``outputs`` has no rows for is left alone. ``how`` is a `Search`; ``is_far (W,)`` says in which words emissions
    may have underflowed. ValueError where the budget or exact inference is too large.
    """
    emit = np.ascontiguousarray(emit)
    how, longest = _clamp_budget(model, how, offset)
    chosen, precision = METHODS[how.method], emit.dtype.str[1:]
    kernel = _kernel(model, how, longest, precision, logs)
    if kernel in (lane_exact.infer_exact_lanes, lane_words.infer_lanes):
        _run_vectors(model, emit, offset, how, longest, outputs, is_far)
        return
    table = model.table(logs, precision)
    if kernel is words.infer_words:
        rule = chosen.rule(model.order if how.deduplicate else NO_CAP, how.root_weight)
        pruning = Pruning(how.budget, bool(how.deduplicate), rule)
        call = longest, emit, offset, pruning, how.passes, logs, table, model.address, outputs
        return run_threads(_infer_words, how.threads, *call)
    at = np.minimum(np.arange(longest + 1), model.order)
    states = States(model.base[at, at], model.powers[at])
    return run_threads(_infer_dense, how.threads, longest, emit, offset, table, states, logs or None, outputs)


def _infer_words(thread, threads, longest, emit, offset, pruning, passes, logs, table, address, outputs):
    """``words.infer_words`` of one thread, with workspaces of its own."""
    lengths = longest, longest if passes > 1 else 1
    spaces = tuple(words.workspace(length, pruning.budget, emit.shape[1], emit) for length in lengths)
    call = *map(pack, (emit, offset)), pruning, passes, logs
    words.infer_words(thread, threads, *call, *map(pack, (table, address, outputs, spaces)))


def _infer_dense(thread, threads, longest, emit, offset, table, states, logs, outputs):
    """``dense.infer_dense`` of one thread, with a workspace of its own."""
    space = dense.states_space(longest, states, emit.shape[1], table.dtype)
    call = map(pack, (emit, offset, table, states))
    dense.infer_dense(thread, threads, *call, logs, pack(outputs), pack(space))


def _run_vectors(model, emit, offset, how, longest, outputs, is_far):
    """The kernels on vectors; no weight of their tables exceeds one, and the scores get back what that takes off."""
    chosen = METHODS[how.method]
    if chosen.selects:
        is_far = np.zeros(len(offset) - 1, bool) if is_far is None else is_far
        selection = vectors.selection_of(how.budget, chosen.merges, model)
        call = emit, offset, is_far, longest, selection, model.lane_table, model.lane_address, outputs
        run_threads(vectors.infer, how.threads, *call)
    else:
        run_threads(vectors.infer_exact, how.threads, emit, offset, model.lane_panels, outputs)
    outputs.scores[:, :2] += model.lane_top * np.diff(offset)[:, None]


def _kernel(model, how, longest, precision, logs):
    """Which kernel it is, for a useful budget and words of ``longest`` positions at most."""
    chosen = METHODS[how.method]
    on_vectors = precision == "f4" and not logs and _fits_vectors(model, how, longest)
    if chosen.selects:
        return lane_words.infer_lanes if on_vectors else words.infer_words
    if on_vectors:
        return lane_exact.infer_exact_lanes
    return dense.infer_dense


def _fits_vectors(model, how, longest):
    """Whether there is a kernel on vectors, for linear masses in single precision."""
    chosen = METHODS[how.method]
    if not chosen.selects:
        return vectors.fit_exact(model, longest)
    return vectors.fit(model, chosen, how.budget, how.passes, how.deduplicate)


def run_threads(kernel, threads, *call):
    """``kernel(thread, threads, *call)`` on each of Python's own threads: Numba's parallel loops compile for 30 s."""
    if threads == 1:
        return kernel(0, 1, *call)
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda thread: kernel(thread, threads, *call), range(threads)))


def thread_count(asked):
    """The number of threads."""
    if asked is None or (checks.is_whole(asked) and asked == -1):
        return numba.get_num_threads()
    return checks.whole("threads", asked, 1, wanted="a whole number, 1 or more; -1 or None for all cores")


def _ranges(model, log_emit, root_weight, dtype):
    """Emissions ``(emit, scale)`` for words in single precision, as most are, and `score_ranges`, found with them."""
    if dtype != "f4":
        return None, score_ranges(model, log_emit, root_weight)
    scaled = vectors.scaled_emissions(log_emit)
    return (scaled.emit, scaled.scale), weight_range(model, root_weight) + scaled.scale - scaled.lowest


def _may_be_single(model, is_far, method, dtype):
    """Which words single precision is tried on (W,): all, unless weights are too far apart, as kernels report the rest.

    In an exact chain a label whose mass underflows is on no path that matters if weights are near to each other.
    """
    if dtype != "f4" or model.log_range >= SAFE_RANGE["f4"]:
        return np.zeros_like(is_far)
    is_near = model.is_positive and model.log_range < NEAR_WEIGHTS
    return np.ones_like(is_far) if method.selects or is_near else ~is_far


def _are_for_logs(model, ranges, offset, method):
    """Words whose scores may be too far apart for linear masses in double precision (W,).

    After n labels in common two histories of the exact chain score alike, so a path catches up by n windows at most;
    where contexts forget, by the rest of the word, and it cannot be further behind than its beginning: half of the
    word.
    """
    reach = np.full(len(offset) - 1, model.order * model.log_range)
    if method.selects:  # other kept contexts are behind the best by the windows' scores
        reach = _max_recoverable_gap(ranges, offset) + (model.order + 1) * np.maximum.reduceat(ranges, offset[:-1])
    return reach >= SAFE_RANGE["f8"]


def _max_recoverable_gap(ranges, offset):
    """The largest, over the places of each word, of the smaller of the sums before and after it (W,)."""
    lengths = np.diff(offset)
    before = np.cumsum(ranges)
    before -= np.repeat(before[offset[:-1]] - ranges[offset[:-1]], lengths)
    after = np.repeat(before[offset[1:] - 1], lengths) - before
    return np.maximum.reduceat(np.minimum(before, after), offset[:-1])


def _answers(outputs, offset, posterior):
    labels, out, shares = outputs.labels, outputs.scores, outputs.posterior
    log_z, log_score = out[:, :2].T.copy()
    log_prob = np.subtract(log_score, log_z, out=np.full(len(out), -np.inf), where=log_z > -np.inf)
    by_word = _split_by_word(shares, offset) if posterior else None
    return Batch(_split_by_word(labels, offset), log_z, log_score, log_prob, out[:, 2].copy(), by_word)


def _split_by_word(rows, offset):
    """The same as ``np.split``, four times as fast."""
    bounds = offset.tolist()
    return tuple(rows[start:stop] for start, stop in zip(bounds, bounds[1:], strict=False))


def _clamp_budget(model, how, offset):
    """(``how``, but with no more contexts than the longest word could fill, and how many positions that has).

    ValueError where the workspace would not fit.
    """
    chosen, width, longest = METHODS[how.method], len(model.labels), int((offset[1:] - offset[:-1]).max())
    if chosen.selects:
        budget = checks.budget(chosen.contexts(how.budget))
        useful = int(min(budget, float(width) ** min(longest - 1, 60))) or 1
        if useful * width * longest > MOST_ARCS:
            raise ValueError(
                f"budget {budget} for words of {longest} positions needs too much memory; lower the budget"
            )
        return replace(how, budget=useful), longest
    exact, states = f"exact inference of order {model.order}", width**model.order
    if not model.is_dense or states > DENSE_STATES:
        raise ValueError(f"{exact} over {width} labels is too large; use rcms or beam")
    if states * longest > MOST_ARCS:
        raise ValueError(f"{exact} over {longest:,} positions is too large; use rcms or beam")
    return how, longest


def warm_up():
    """Compile or load the bulk kernels with the types that are used."""
    model = NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
    for dtype, method in product(("f4", "f8"), IN_BULK):
        infer_batch(model, [np.zeros((2, 2))], method, dtype=dtype, posterior=True)
