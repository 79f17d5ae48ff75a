"""Losses of this library for PyTorch: a module that makes emissions learns through the contexts that are kept.

PyTorch is no requirement of rcmviz; importing this module needs it.
"""

from collections.abc import Iterable
from contextlib import contextmanager

import numpy as np
import torch

from rcmviz.core.builders import build
from rcmviz.core.builders.loss import loss
from rcmviz.core.inference.infer import viterbi
from rcmviz.core.methods import BASIC
from rcmviz.core.models.model import NgramModel
from rcmviz.core.models.scores import Model
from rcmviz.core.shared import checks
from rcmviz.core.shared.wording import counted

MOST_WEIGHTS = 1_000_000  # of a layer: each sequence has its gradient in a table of that size for a moment


class NgramLayer(torch.nn.Module):
    """An output layer that scores labels after labels, learnt together with the network that makes the emissions.

    Parameters
    ----------
    labels : iterable of str
        Names of the Y labels.
    order : int
        How many past labels a weight can see.
    mode : {"additive", "single"}
        Whether the windows of all suffixes add up, or one fires per position.
    budget : int
        Contexts per position.
    method : {"rcms", "beam", "exact"}
        How contexts are chosen; order 1 under ``"exact"`` is the linear-chain conditional random field.

    Attributes
    ----------
    weights : Parameter of shape (R, Y)
        Log weights of the windows in nats, 0 at first; see ``NgramModel``.

    Raises
    ------
    ValueError
        An argument is malformed, or there are more windows than a layer may have.

    Examples
    --------
    >>> import torch
    >>> from rcmviz.torch import NgramLayer
    >>> layer = NgramLayer("ab", order=2)
    >>> emissions, gold = torch.zeros(1, 3, 2, requires_grad=True), torch.tensor([[0, 1, 0]])
    >>> layer(emissions, gold).mean().backward()
    >>> emissions.grad[0].tolist(), layer.weights.grad.shape
    ([[-0.5, 0.5], [0.5, -0.5], [-0.5, 0.5]], torch.Size([10, 2]))
    """

    def __init__(
        self, labels: Iterable[str], order: int = 2, *, mode: str = "additive", budget: int = 10, method: str = "rcms"
    ):
        super().__init__()
        self._empty = NgramModel.from_windows(labels, order, {}, mode=mode)
        self.budget, self.method = checks.whole("budget", budget, 1), checks.choice("method", method, BASIC)
        shape = self._empty.size, len(self._empty.labels)
        if shape[0] * shape[1] > MOST_WEIGHTS:
            raise ValueError(f"order {order} with {shape[1]} labels has too many windows for a layer; lower the order")
        self.weights = torch.nn.Parameter(torch.zeros(shape))

    @property
    @torch.compiler.disable
    def model(self) -> NgramModel:
        """The model of the present weights, to look at, to save or to decode with."""
        weights = self.weights.detach().to("cpu", torch.float64).numpy()
        keys = np.arange(len(weights))
        return NgramModel(self._empty.labels, self._empty.order, self._empty.mode, keys, weights)

    @torch.compiler.disable
    def forward(
        self,
        log_emit: torch.Tensor,
        gold: torch.Tensor,
        lengths: Iterable[int] | None = None,
        *,
        mask: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Negative log-likelihood of each gold sequence, as ``losses`` with the model of the present weights.

        Parameters
        ----------
        log_emit : Tensor of shape (N, T, Y)
            Log emissions in nats, on any device.
        gold : Tensor of int, shape (N, T)
            The labels that are right, by number; anything where a sequence has no position.
        lengths : iterable of int, length N, optional
            How many positions each sequence has, 1 to T; all of them without.
        mask : Tensor of bool, shape (N, T), optional
            Which positions a sequence has, in place of ``lengths``: the first ones of each row, and no others.

        Returns
        -------
        Tensor of shape (N,)
            The losses, differentiable once in the emissions and in ``weights``.

        Raises
        ------
        ValueError
            A shape, a length, a label or a mask does not fit; the message names the sequence.
        """
        lengths = _checked_lengths(log_emit, self._empty, lengths, mask)
        known = _checked_gold(gold, log_emit, lengths)
        return _Losses.apply(log_emit, self.weights, known, lengths, self.model, self.budget, self.method)

    @torch.compiler.disable
    def decode(
        self, log_emit: torch.Tensor, lengths: Iterable[int] | None = None, *, mask: torch.Tensor | None = None
    ) -> list[torch.Tensor]:
        """The best output of each sequence among those that the contexts have.

        Parameters
        ----------
        log_emit : Tensor of shape (N, T, Y)
            Log emissions in nats.
        lengths : iterable of int, length N, optional
            How many positions each sequence has, 1 to T; all of them without.
        mask : Tensor of bool, shape (N, T), optional
            Which positions a sequence has, in place of ``lengths``: the first ones of each row, and no others.

        Returns
        -------
        list of Tensor of int
            Numbers of the labels, one tensor per sequence.

        Raises
        ------
        ValueError
            A shape, a length, a label or a mask does not fit; the message names the sequence.
        """
        lengths = _checked_lengths(log_emit, self._empty, lengths, mask)
        model, rows, found = self.model, _emission_rows(log_emit), []
        for n, length in enumerate(lengths):
            with _error_names(n):
                lattice, _ = build.build_lattice(self.method, model, rows[n, :length], self.budget, record=False)
            found.append(torch.tensor(viterbi(lattice).indices))
        return found


@torch.compiler.disable
def losses(
    log_emit: torch.Tensor,
    gold: torch.Tensor,
    model: Model,
    lengths: Iterable[int] | None = None,
    *,
    mask: torch.Tensor | None = None,
    budget: int = 10,
    method: str = "rcms",
) -> torch.Tensor:
    """Negative log-likelihood of each gold sequence of a batch, differentiable in the emissions.

    Parameters
    ----------
    log_emit : Tensor of shape (N, T, Y)
        Log emissions in nats, on any device.
    gold : Tensor of int, shape (N, T)
        The labels that are right, by number; anything where a sequence has no position.
    model : NgramModel or another model that takes emissions
        What scores labels after labels; it is not learnt (``NgramLayer`` learns its own).
    lengths : iterable of int, length N, optional
        How many positions each sequence has, 1 to T; all of them without.
    mask : Tensor of bool, shape (N, T), optional
        Which positions a sequence has, in place of ``lengths``: the first ones of each row, and no others.
    budget : int
        Contexts per position.
    method : {"rcms", "beam", "exact"}
        How contexts are chosen.

    Returns
    -------
    Tensor of shape (N,)
        The losses; the gradient of each in its emissions is that of ``rv.loss``, the contexts held fixed. Sequences
        are taken one by one, on the processor. It has no gradient of its own: the losses are differentiable once.

    Raises
    ------
    ValueError
        A shape, a length, a label or a mask does not fit; the message names the sequence.
    """
    lengths = _checked_lengths(log_emit, model, lengths, mask)
    return _Losses.apply(log_emit, None, _checked_gold(gold, log_emit, lengths), lengths, model, budget, method)


class _Losses(torch.autograd.Function):
    """``rv.loss`` of every sequence of a batch; the gradients wait for the backward pass."""

    @staticmethod
    def forward(ctx, log_emit, weights, gold, lengths, model, budget, method):
        rows, gradient = _emission_rows(log_emit), torch.zeros(log_emit.shape, dtype=torch.float64)
        values, windows = [], []
        for n, length in enumerate(lengths):
            learns = weights is not None
            with _error_names(n):
                found = loss(rows[n, :length], gold[n, :length], model, budget, method=method, windows=learns)
            gradient[n, :length] = torch.tensor(found.gradient)
            values.append(found.value)
            if learns:
                fired = np.flatnonzero(found.windows.any(axis=1))  # few of a table's rows
                windows.append((torch.tensor(fired), torch.tensor(found.windows[fired])))
        ctx.save_for_backward(gradient.to(log_emit))
        ctx.inputs, ctx.windows = (log_emit, weights), windows  # their values are not used, and may change
        return log_emit.new_tensor(values)

    @staticmethod
    def backward(ctx, above):
        (gradient,), weights = ctx.saved_tensors, ctx.inputs[1]
        of_emissions, of_weights = gradient * above.detach()[:, None, None], None
        if weights is not None:
            total = torch.zeros(weights.shape, dtype=torch.float64)
            for (rows, counts), factor in zip(ctx.windows, above.tolist(), strict=True):
                total[rows] += factor * counts
            of_weights = total.to(weights)
        if torch.is_grad_enabled():  # create_graph=True; once_differentiable is silent where ``above`` is constant
            needed = [one for one in (*ctx.inputs, above) if one is not None and one.requires_grad]
            of_emissions = _Once.apply(of_emissions, *needed)
            of_weights = None if of_weights is None else _Once.apply(of_weights, *needed)
        return of_emissions, of_weights, None, None, None, None, None


class _Once(torch.autograd.Function):
    """A gradient that depends on ``inputs`` and cannot be differentiated again."""

    @staticmethod
    def forward(ctx, gradient, *inputs):
        return gradient.view_as(gradient)

    @staticmethod
    def backward(ctx, above):
        raise RuntimeError(
            "losses of rcmviz can be differentiated once: contexts are held fixed, so their gradient has none; leave "
            "create_graph=True out, or detach the gradient before it is part of a penalty"
        )


@contextmanager
def _error_names(n):
    """Add a sequence's number to its errors."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"sequence {n} of the batch, counted from 0: {error}") from None


def _emission_rows(log_emit):
    """The emissions of a batch as an array of doubles (N, T, Y)."""
    return log_emit.detach().to("cpu", torch.float64).numpy()


def _array(name, values, wanted):
    """A tensor on any device, or what numpy takes for an array."""
    return (
        values.detach().cpu().numpy() if isinstance(values, torch.Tensor) else checks.array(values, f"{name}: {wanted}")
    )


def _checked_lengths(log_emit, model, lengths, mask):
    """The number of positions of each sequence of a batch; ValueError if shapes or lengths do not fit."""
    if not isinstance(log_emit, torch.Tensor) or not log_emit.is_floating_point():
        found = log_emit.dtype if isinstance(log_emit, torch.Tensor) else type(log_emit).__name__
        raise ValueError(f"log_emit is {found}: give a tensor of floating-point numbers (sequences, positions, labels)")
    shape, width = tuple(log_emit.shape), len(model.labels)
    if len(shape) != 3 or shape[1] == 0 or shape[2] != width:
        one = "; one sequence alone is log_emit[None]" * (len(shape) == 2)
        raise ValueError(f"log_emit has shape {shape}: expected (sequences, positions, {counted(width, 'label')}){one}")
    if mask is not None:
        if lengths is not None:
            raise ValueError("lengths and mask say the same: give one of them")
        return _lengths_of_mask(mask, shape[:2])
    if lengths is None:
        return [shape[1]] * shape[0]
    wanted = f"one whole number from 1 to {shape[1]} for each of {counted(shape[0], 'sequence')}"
    given = lengths if hasattr(lengths, "__array__") else checks.as_list("lengths", lengths, wanted)
    given = _array("lengths", given, f"give {wanted}")
    if given.dtype.kind == "b":
        raise ValueError(f"lengths are booleans of shape {given.shape}: a mask is given as mask=; lengths are {wanted}")
    if given.ndim != 1 or len(given) != shape[0]:
        raise ValueError(f"lengths has shape {given.shape}: give {wanted}")
    return checks.integers("lengths", given, 1, shape[1] + 1).tolist()


def _lengths_of_mask(mask, shape):
    """The number of positions of each row of a mask, all of them at its beginning."""
    wanted = f"give booleans of shape {shape}, True where a sequence has a position"
    given = _array("mask", mask, wanted)
    if given.dtype.kind != "b" or given.shape != shape:
        raise ValueError(f"mask has {given.dtype} of shape {given.shape}: {wanted}")
    lengths = given.sum(axis=1)
    wrong = np.flatnonzero((lengths == 0) | (given != (np.arange(shape[1]) < lengths[:, None])).any(axis=1))
    if len(wrong):
        n = int(wrong[0])
        fault = (
            "has no position" if not lengths[n] else f"has a position after one that is left out: {given[n].tolist()}"
        )
        raise ValueError(f"mask[{n}] {fault}; a row begins with True at each position, and padding follows")
    return lengths.tolist()


def _checked_gold(gold, log_emit, lengths):
    """The gold labels of a batch as an array of int (N, T); ValueError where they do not fit the emissions."""
    (count, length), width = log_emit.shape[:2], log_emit.shape[2]
    wanted = f"give whole numbers from 0 to {width - 1} in the shape {count, length} of the emissions"
    given = _array("gold", gold, wanted)
    if given.dtype.kind not in "iu" or given.shape != (count, length):
        raise ValueError(f"gold has {given.dtype} of shape {given.shape}: {wanted}")
    given = given.astype(np.int64)
    bad = ((given < 0) | (given >= width)) & (np.arange(length) < np.array(lengths, np.int64)[:, None])
    if bad.any():
        n, i = np.argwhere(bad)[0].tolist()
        raise ValueError(
            f"gold[{n}, {i}] is {given[n, i]}: give numbers of labels from 0 to {width - 1}; leave padding out by "
            "lengths= or mask="
        )
    return given
