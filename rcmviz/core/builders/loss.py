"""The loss of a gold output: the negative log-likelihood under kept contexts, and its gradient.

So whatever makes emissions, a network for one, can be trained through a model of this library, and the model's weights
with it: the contexts are chosen at the current scores and then held fixed, as in the paper's own training (Steinhardt
and Liang, 2015, §4).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rcmviz.core.builders import build
from rcmviz.core.inference import infer
from rcmviz.core.methods import BASIC
from rcmviz.core.models.model import NgramModel
from rcmviz.core.models.scores import Model
from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin, freeze


@dataclass(frozen=True, eq=False)
class Loss(CopyableMixin):
    """A loss with its gradient, as ``loss`` returns it.

    Attributes
    ----------
    value : float
        Log Z less the log score of the gold output, in nats.
    gradient : ndarray of shape (T, Y)
        Derivatives of ``value`` in the log emissions, the contexts held fixed: P(y_i = v) less 1 where v is gold.
    log_z : float
        Log partition function in nats.
    lost : bool
        Whether the gold output is not among those that the contexts have, as a beam may drop it.
    windows : ndarray of shape (R, Y), optional
        Derivatives of ``value`` in ``model.weights``, if requested: the expected number of times that each
        window fires, less the number of times that it fires for gold.
    """

    value: float
    gradient: np.ndarray
    log_z: float
    lost: bool
    windows: np.ndarray | None = None

    def __post_init__(self):
        freeze(self)


def loss(
    log_emit: ArrayLike,
    gold: str | Sequence[str] | Sequence[int],
    model: Model,
    budget: int = 10,
    *,
    method: str = "rcms",
    windows: bool = False,
) -> Loss:
    """Negative log-likelihood of a gold output and its gradient in the log emissions, and in a model's weights.

    Parameters
    ----------
    log_emit : array_like of shape (T, Y)
        Log emissions in nats, −inf allowed.
    gold : str, sequence of str or sequence of int, length T
        The labels that are right, by name or by number.
    model : NgramModel or another model that takes emissions
        What scores labels after labels.
    budget : int
        Contexts per position.
    method : {"rcms", "beam", "exact"}
        How contexts are chosen.
    windows : bool
        Whether to find the gradient in the weights of an ``NgramModel`` too.

    Returns
    -------
    Loss
        Value, gradient, log Z, and whether the gold output was lost.

    Raises
    ------
    ValueError
        An argument is malformed, no output is possible, the gold output is not, or windows of another model are asked.

    Notes
    -----
    The gradient is that of the value with the contexts held fixed (Steinhardt and Liang, 2015, §4). A gold output that
    a beam has dropped scores as its whole history does and is no part of log Z: the value can then be negative, the
    gradient is still its derivative, and it draws the gold output back (``lost_gold="numerator"`` of ``Training``).

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
    >>> found = rv.loss([[0.0, 0.0], [0.0, 0.0]], "ab", model)
    >>> round(found.value, 3), found.gradient.round(3).tolist()
    (0.744, [[-0.35, 0.35], [0.35, -0.35]])
    """
    checks.choice("method", method, BASIC)
    if checks.switch("windows", windows) and not isinstance(model, NgramModel):
        raise ValueError("windows: only an NgramModel has weights of windows to learn; leave windows=False")
    rows = checks.model(model).check_emissions(log_emit)
    indices = _indices(gold, model, len(rows))
    lattice, _ = build.build_lattice(method, model, rows, budget, record=False)
    found = infer.posterior(lattice)
    path, score = _path(lattice, indices)
    lost = score == -np.inf
    scored = _single_output_lattice(model, rows, indices) if lost else lattice
    if lost:
        path, score = _path(scored, indices)
    if score == -np.inf:
        raise ValueError("gold: this output is impossible under the model and its emissions, so its loss is infinite")
    gradient = found.label.copy()
    gradient[np.arange(len(indices)), indices] -= 1
    counts = _excess(model, lattice, scored.row[path], indices) if windows else None
    return Loss(found.log_z - score, gradient, found.log_z, lost, counts)


def _indices(gold, model, length):
    """The gold labels by their numbers."""
    gold = checks.as_list("gold", gold, "labels by name, or all by number", or_text=True)
    checks.same_length(gold, "gold labels", length, "positions")
    if all(map(checks.is_whole, gold)):
        return checks.integers("gold", gold, 0, len(model.labels))
    number = {label: y for y, label in enumerate(model.labels)}
    with checks.hashable("gold", "give labels by name, or all by number"):
        unknown = [label for label in gold if label not in number]
    if unknown:
        raise ValueError(f"gold: {unknown[0]!r} is not one of the labels; give names, or all by number")
    return np.array([number[label] for label in gold])


def _path(lattice, indices):
    """Contexts (T,) along an output, and its log score; −inf where it was dropped."""
    c, score, path = 0, 0.0, []
    for y in indices.tolist():
        path.append(c)
        score += lattice.score[c, y]
        c = lattice.target[c, y]
        if c < 0:
            return path, -np.inf
    return path, float(score)


def _single_output_lattice(model, rows, indices):
    """The lattice of one output that forgets nothing."""
    alone = np.full(rows.shape, -np.inf)
    at = np.arange(len(indices)), indices
    alone[at] = rows[at]
    return build.beam(model, alone, 1, record=False)[0]


def _excess(model, lattice, gold_rows, indices):
    """Expected minus gold counts of each window, one row per row of the model's weights."""
    of_table = np.zeros_like(model.log_table)
    np.add.at(of_table, lattice.row, infer.arc_shares(lattice))
    np.add.at(of_table, (gold_rows, indices), -1.0)
    return _weights_gradient(model, of_table)


def _weights_gradient(model, of_table):
    """Gradient in a model's weights.

    Parameters
    ----------
    model : NgramModel
        The model of R rows of weights.
    of_table : ndarray of shape (rows, Y)
        The gradient of a value in ``model.log_table``.

    Returns
    -------
    ndarray of shape (R, Y)
        The gradient of the same value in ``model.weights``: what a table adds up from suffixes is handed back to
        each of them, in the opposite order.
    """
    gradient = np.array(of_table, dtype=np.float64)
    for rows, shorter in reversed(list(_additions(model))):
        np.add.at(gradient, shorter, gradient[rows])
    return gradient[model.keys] if model.is_dense else gradient[: len(model.keys)]


def _additions(model):
    """Which rows a finished table adds to which others, in the order of ``log_table``: longer, shorter."""
    if not model.additive:
        return
    n, base, powers = model.order, model.base, model.powers
    for i, k in [(n, k) for k in range(1, n + 1)] + [(i, i) for i in range(n)]:
        first, codes, known = base[i, k], np.arange(powers[k]), k - 1 if i == n else k
        if not model.is_dense:
            stored = (model.keys >= first) & (model.keys < first + powers[k])
            codes = model.keys[stored] - first
        yield model.rows(i, k, codes), model.rows(n, known, codes)
