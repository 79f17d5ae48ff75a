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


def test_the_example_of_the_documentation_learns():
    page = (Path(__file__).parents[2] / "docs" / "training-a-network.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```py\n(.*?)^```", page, re.M | re.S)
    names = {}
    exec(example, names)
    assert names["right"] > 0.9
