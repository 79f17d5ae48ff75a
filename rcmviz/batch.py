"""The bulk driver: many words at once through the same kernels as ``build.py``, over threads."""

from dataclasses import dataclass

import numba
import numpy as np

from rcmviz.build import SAFE_RANGE, check_budget, check_emissions, scaled_emissions, score_ranges
from rcmviz.kernels import dense, words
from rcmviz.lattice import freeze

METHODS = ("rcms", "beam", "exact", "repaired")
DENSE_STATES = 2_000_000  # states of one position


@dataclass(frozen=True, eq=False)
class Batch:
    """Per word (N,): ``labels`` best label indices, ``log_z``, ``log_score`` of the best, ``log_prob`` its confidence,
    ``mean_length`` mass-weighted length of the contexts; ``posterior`` label posteriors (T, Y) per word, or None.
    """

    labels: tuple
    log_z: np.ndarray
    log_score: np.ndarray
    log_prob: np.ndarray
    mean_length: np.ndarray
    posterior: tuple | None

    def __post_init__(self):
        freeze(self)


def infer_batch(
    model, log_emits, method="rcms", budget=10, *, passes=1, deduplicate=False, root_weight=0.0, dtype="f4",
    threads=None, posterior=False,
):  # fmt: skip
    """Decode many words: ``log_emits`` a list of (T, Y) arrays → ``Batch``.

    ``method`` rcms, beam, exact or repaired (``root_weight``); ``dtype`` ``"f4"`` or ``"f8"`` (single precision falls
    back to double where the scores' range asks for it); ``threads`` all cores by default. ValueError: malformed input.
    """
    if method not in METHODS:
        raise ValueError(f"method {method!r}: choose one of {', '.join(METHODS)}")
    if dtype not in ("f4", "f8"):
        raise ValueError(f"dtype {dtype!r}: choose 'f4' or 'f8'")
    log_emits = [check_emissions(model, log_emit) for log_emit in log_emits]
    if not log_emits:
        return Batch((), *(np.zeros(0) for _ in range(4)), () if posterior else None)
    offset = np.concatenate([[0], np.cumsum([len(log_emit) for log_emit in log_emits])]).astype(np.int64)
    stacked = np.concatenate(log_emits)
    root_weight = float(root_weight) if method == "repaired" else 0.0
    ranges = score_ranges(model, stacked, root_weight)
    logs = bool(np.add.reduceat(ranges, offset[:-1]).max() >= SAFE_RANGE["f8"])
    reach = max(ranges.max(), model.order * model.log_range)  # what a path can still catch up by n windows
    if logs or reach >= SAFE_RANGE["f4"]:  # over a whole word tests hold f4 to the argmax of f8
        dtype = "f8"
    emit, scale = scaled_emissions(stacked, logs, dtype)
    labels = np.zeros(len(stacked), np.int64)
    out = np.zeros((len(log_emits), 3))
    shares = np.zeros((len(stacked) if posterior else 0, stacked.shape[1]), dtype)
    threads = min(threads or numba.get_num_threads(), len(log_emits))
    outputs = labels, out, shares
    if method == "exact":
        _dense(model, threads, emit, offset, logs, outputs)
    else:
        merging, root_proposes = method != "beam", method != "repaired"
        cap = model.order if deduplicate else np.iinfo(np.int64).max
        rule = (merging, root_proposes, cap, root_weight)
        budget = _useful_budget(check_budget(budget), log_emits)
        work = budget, passes if method == "rcms" else 1, bool(deduplicate), logs
        words.infer_words(threads, emit, offset, work, model.table(logs, dtype), model.address, rule, outputs)
    out[:, :2] += np.add.reduceat(scale, offset[:-1])[:, None]
    log_prob = np.subtract(out[:, 1], out[:, 0], out=np.full(len(out), -np.inf), where=out[:, 0] > -np.inf)
    split = offset[1:-1]
    return Batch(
        tuple(np.split(labels, split)), out[:, 0].copy(), out[:, 1].copy(), log_prob, out[:, 2].copy(),
        tuple(np.split(shares, split)) if posterior else None,
    )  # fmt: skip


def _useful_budget(budget, log_emits):
    """No more contexts than the longest word could fill; ValueError where the workspace would not fit."""
    longest, width = max(len(log_emit) for log_emit in log_emits), log_emits[0].shape[1]
    useful = int(min(budget, float(width) ** min(longest - 1, 60))) or 1
    if useful * width * longest > 200_000_000:
        raise ValueError(f"budget {budget} for words of {longest} positions needs too much memory; lower the budget")
    return useful


def _dense(model, threads, emit, offset, logs, outputs):
    n, width = model.order, len(model.labels)
    if not model.is_dense or width**n > DENSE_STATES:
        raise ValueError(f"exact inference of order {n} over {width} labels is too large; use rcms or beam")
    if logs:
        raise ValueError("the scores' range is too large for bulk exact inference; use rcmviz.exact word by word")
    at = np.minimum(np.arange(int(np.diff(offset).max()) + 1), n)
    rows, sizes = model.base[at, at], model.powers[at]
    dense.infer_dense(threads, emit, offset, (model.table(False, emit.dtype.str[1:]), rows, sizes), outputs)


def warm_up():
    """Compile or load the bulk kernels with the types that are used."""
    from rcmviz.model import NgramModel

    model = NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
    for method in METHODS:
        infer_batch(model, [np.zeros((2, 2))], method, posterior=True)
