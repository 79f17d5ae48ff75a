"""Losses of this library for PyTorch: a module that makes emissions learns through the contexts that are kept.

PyTorch is no requirement of rcmviz; importing this module needs it.
"""

from collections.abc import Iterable

import numpy as np
import torch

from rcmviz.core import build, checks
from rcmviz.core.infer import viterbi
from rcmviz.core.loss import loss
from rcmviz.core.methods import BASIC
from rcmviz.core.model import NgramModel
from rcmviz.core.scores import Model

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
    def model(self) -> NgramModel:
        """The model of the present weights, to look at, to save or to decode with."""
        weights = self.weights.detach().to("cpu", torch.float64).numpy()
        keys = np.arange(len(weights))
        return NgramModel(self._empty.labels, self._empty.order, self._empty.mode, keys, weights)

    def forward(self, log_emit: torch.Tensor, gold: torch.Tensor, lengths: Iterable[int] | None = None) -> torch.Tensor:
        """Negative log-likelihood of each gold sequence, as ``losses`` with the model of the present weights.

        Parameters
        ----------
        log_emit : Tensor of shape (N, T, Y)
            Log emissions in nats, on any device.
        gold : Tensor of int, shape (N, T)
            The labels that are right, by number.
        lengths : iterable of int, optional
            How many positions each sequence has; all of them without.

        Returns
        -------
        Tensor of shape (N,)
            The losses, differentiable in the emissions and in ``weights``.
        """
        known = _lengths(log_emit, lengths)
        return _Losses.apply(log_emit, self.weights, _numbers(gold), known, self.model, self.budget, self.method)

    def decode(self, log_emit: torch.Tensor, lengths: Iterable[int] | None = None) -> list[torch.Tensor]:
        """The best output of each sequence among those that the contexts have.

        Parameters
        ----------
        log_emit : Tensor of shape (N, T, Y)
            Log emissions in nats.
        lengths : iterable of int, optional
            How many positions each sequence has; all of them without.

        Returns
        -------
        list of Tensor of int
            Numbers of the labels, one tensor per sequence.
        """
        model, rows = self.model, _rows(log_emit)
        number = {label: y for y, label in enumerate(model.labels)}
        lattices = (
            build.build_lattice(self.method, model, rows[n, :length], self.budget, record=False)[0]
            for n, length in enumerate(_lengths(log_emit, lengths))
        )
        return [torch.tensor([number[label] for label in viterbi(lattice).labels]) for lattice in lattices]


def losses(
    log_emit: torch.Tensor, gold: torch.Tensor, model: Model, lengths: Iterable[int] | None = None, *,
    budget: int = 10, method: str = "rcms",
) -> torch.Tensor:  # fmt: skip
    """Negative log-likelihood of each gold sequence of a batch, differentiable in the emissions.

    Parameters
    ----------
    log_emit : Tensor of shape (N, T, Y)
        Log emissions in nats, on any device.
    gold : Tensor of int, shape (N, T)
        The labels that are right, by number.
    model : NgramModel or another model that takes emissions
        What scores labels after labels; it is not learnt (``NgramLayer`` learns its own).
    lengths : iterable of int, optional
        How many positions each sequence has; all of them without.
    budget : int
        Contexts per position.
    method : {"rcms", "beam", "exact"}
        How contexts are chosen.

    Returns
    -------
    Tensor of shape (N,)
        The losses; the gradient of each in its emissions is that of ``rv.loss``, the contexts held fixed. Sequences
        are taken one by one, on the processor.
    """
    return _Losses.apply(log_emit, None, _numbers(gold), _lengths(log_emit, lengths), model, budget, method)


class _Losses(torch.autograd.Function):
    """``rv.loss`` of every sequence of a batch; the gradients wait for the backward pass."""

    @staticmethod
    def forward(ctx, log_emit, weights, gold, lengths, model, budget, method):
        rows, gradient = _rows(log_emit), torch.zeros(log_emit.shape, dtype=torch.float64)
        values, windows = [], []
        for n, length in enumerate(lengths):
            learns = weights is not None
            found = loss(rows[n, :length], gold[n][:length], model, budget, method=method, windows=learns)
            gradient[n, :length] = torch.tensor(found.gradient)
            values.append(found.value)
            if learns:
                fired = np.flatnonzero(found.windows.any(axis=1))  # few of a table's rows
                windows.append((torch.tensor(fired), torch.tensor(found.windows[fired])))
        ctx.save_for_backward(gradient.to(log_emit), weights)
        ctx.windows = windows
        return log_emit.new_tensor(values)

    @staticmethod
    def backward(ctx, above):
        gradient, weights = ctx.saved_tensors
        of_weights = None
        if weights is not None:
            total = torch.zeros(weights.shape, dtype=torch.float64)
            for (rows, counts), factor in zip(ctx.windows, above.tolist(), strict=True):
                total[rows] += factor * counts
            of_weights = total.to(weights)
        return gradient * above[:, None, None], of_weights, None, None, None, None, None


def _rows(log_emit):
    """The emissions of a batch as an array of doubles (N, T, Y)."""
    return log_emit.detach().to("cpu", torch.float64).numpy()


def _numbers(gold):
    """The gold labels of a batch as an array (N, T)."""
    return gold.detach().cpu().numpy()


def _lengths(log_emit, lengths):
    """How many positions each sequence of a batch has."""
    return [log_emit.shape[1]] * len(log_emit) if lengths is None else [int(length) for length in lengths]
