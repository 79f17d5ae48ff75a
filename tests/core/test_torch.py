"""The losses of ``rcmviz.torch``: PyTorch's own check of gradients, and the example of the documentation."""

import re
from pathlib import Path

import pytest

import rcmviz as rv

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
MODEL = rv.NgramModel.from_windows("abc", 2, {("^", "^", "a"): 1.0, ("*", "a", "b"): 2.0, ("a", "b", "c"): -1.5})


@pytest.mark.parametrize("method", ["exact", "rcms", "beam"])
def test_gradients_are_those_of_finite_differences(method):
    from rcmviz.torch import losses

    torch.manual_seed(0)
    log_emit = torch.randn(2, 4, 3, dtype=torch.float64, requires_grad=True)
    gold = torch.tensor([[0, 1, 2, 0], [1, 1, 0, 0]])

    def weighted(emissions):
        found = losses(emissions, gold, MODEL, [4, 3], budget=30, method=method)
        return found @ torch.tensor([1.0, -2.0], dtype=torch.float64)

    assert torch.autograd.gradcheck(weighted, log_emit, eps=1e-6, atol=1e-6)
    value = losses(log_emit, gold, MODEL, [4, 3], budget=30, method=method)[1].item()
    assert value == pytest.approx(rv.loss(log_emit[1, :3].detach().numpy(), [1, 1, 0], MODEL, 30, method=method).value)


@pytest.mark.parametrize("mode", ["additive", "single"])
@pytest.mark.parametrize("method", ["exact", "rcms", "beam"])
def test_a_layer_learns_emissions_and_windows(method, mode):
    from rcmviz.torch import NgramLayer

    torch.manual_seed(1)
    layer = NgramLayer("ab", mode=mode, budget=8, method=method).double()
    log_emit = torch.randn(2, 3, 2, dtype=torch.float64, requires_grad=True)
    gold, upstream = torch.tensor([[0, 1, 1], [1, 0, 0]]), torch.tensor([1.0, -2.0], dtype=torch.float64)
    weights = torch.randn(layer.weights.shape, dtype=torch.float64, requires_grad=True)

    def weighted(emissions, windows):
        return torch.func.functional_call(layer, {"weights": windows}, (emissions, gold, [3, 2])) @ upstream

    assert torch.autograd.gradcheck(weighted, (log_emit, weights), eps=1e-6, atol=1e-6)
    layer.weights.data = weights.data
    expected = [rv.viterbi(rv.exact(layer.model, row.detach().numpy())[0]).labels for row in log_emit]
    assert ["".join("ab"[y] for y in found) for found in layer.decode(log_emit)] == ["".join(row) for row in expected]


def test_a_layer_that_would_be_too_large_is_refused():
    from rcmviz.torch import NgramLayer

    with pytest.raises(ValueError, match="order 4 with 26 labels has too many windows for a layer; lower the order"):
        NgramLayer("abcdefghijklmnopqrstuvwxyz", order=4)


@pytest.mark.parametrize("n", range(2))
def test_the_examples_of_the_documentation_learn(n):
    page = (Path(__file__).parents[2] / "docs" / "training-a-network.md").read_text(encoding="utf-8")
    names = {}
    exec(re.findall(r"^```py\n(.*?)^```", page, re.M | re.S)[n], names)
    assert names["right"] > 0.9
