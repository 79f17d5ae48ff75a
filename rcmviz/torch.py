"""Losses of this library for PyTorch: a module that makes emissions learns through the contexts that are kept.

PyTorch is no requirement of rcmviz; importing this module needs it.
"""

from collections.abc import Iterable

import torch

from rcmviz.core.loss import loss
from rcmviz.core.scores import Model


class _Losses(torch.autograd.Function):
    """``rv.loss`` of every sequence of a batch; the gradients wait for the backward pass."""

    @staticmethod
    def forward(ctx, log_emit, gold, lengths, model, budget, method):
        rows = log_emit.detach().to("cpu", torch.float64).numpy()
        gradient = torch.zeros(log_emit.shape, dtype=torch.float64)
        values = []
        for n, length in enumerate(lengths):
            found = loss(rows[n, :length], gold[n][:length], model, budget, method=method)
            gradient[n, :length] = torch.tensor(found.gradient)
            values.append(found.value)
        ctx.save_for_backward(gradient.to(log_emit))
        return log_emit.new_tensor(values)

    @staticmethod
    def backward(ctx, above):
        (gradient,) = ctx.saved_tensors
        return gradient * above[:, None, None], None, None, None, None, None


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
        What scores labels after labels.
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
    every = [log_emit.shape[1]] * len(log_emit) if lengths is None else [int(length) for length in lengths]
    return _Losses.apply(log_emit, gold.detach().cpu().numpy(), every, model, budget, method)
