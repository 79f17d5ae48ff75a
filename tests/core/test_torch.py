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

    with pytest.raises(ValueError, match="order 4 with 26 labels .*lower the order"):
        NgramLayer("abcdefghijklmnopqrstuvwxyz", order=4)


def test_the_example_of_the_documentation_learns():
    page = (Path(__file__).parents[2] / "docs" / "networks.md").read_text(encoding="utf-8")
    names = {}
    exec(re.search(r"^```py\n(.*?)^```", page, re.M | re.S)[1], names)
    assert names["right"] > 0.9


EMIT, GOLD = torch.randn(3, 6, 4, generator=torch.Generator().manual_seed(0)), torch.tensor([[0, 1, 2, 3, 0, 1]] * 3)
WRONG = {  # fault: emissions, gold, lengths, mask, message
    "gold is longer": (EMIT[:, :4], GOLD, None, None, r"gold has int64 of shape \(3, 6\): .* in the shape \(3, 4\)"),
    "more rows of gold": (EMIT[:2], GOLD, None, None, r"gold has int64 of shape \(3, 6\): .* in the shape \(2, 6\)"),
    "gold of one sequence": (EMIT, GOLD[0], None, None, r"gold has int64 of shape \(6,\)"),
    "gold in halves": (EMIT, GOLD / 2, None, None, "gold has float32"),
    "gold that is no label": (EMIT, GOLD + 1, None, None, r"gold\[0, 3\] is 4: give numbers of labels from 0 to 3"),
    "gold padded, no lengths": (EMIT, GOLD - 100 * (GOLD > 2), None, None, r"gold\[0, 3\] is -97: .* lengths= or m"),
    "too few lengths": (EMIT, GOLD, [6, 4], None, r"lengths has shape \(2,\): .* for each of 3 sequences"),
    "a negative length": (EMIT, GOLD, [6, -2, 1], None, r"lengths\[1\] is -2: give whole numbers from 1 to 6"),
    "no position": (EMIT, GOLD, torch.tensor([6, 0, 2]), None, r"lengths\[1\] is 0: give whole numbers from 1 to 6"),
    "a length that is too large": (EMIT, GOLD, [6, 4, 60], None, r"lengths\[2\] is 60: give whole numbers from 1 to 6"),
    "a length in halves": (EMIT, GOLD, [6.0, 4.5, 1.0], None, "lengths: its values are float64"),
    "one length": (EMIT, GOLD, 6, None, "lengths 6: give one whole number from 1 to 6 for each of 3 sequences"),
    "a mask for lengths": (EMIT, GOLD, GOLD > -1, None, "lengths are booleans .*: a mask is given as mask="),
    "lengths and a mask": (EMIT, GOLD, [6, 6, 6], GOLD > -1, "lengths and mask say the same"),
    "a mask of numbers": (EMIT, GOLD, None, GOLD, r"mask has int64 of shape \(3, 6\): give booleans of shape \(3, 6\)"),
    "a mask that is short": (EMIT, GOLD, None, GOLD[:, :5] > -1, r"mask has bool of shape \(3, 5\)"),
    "a mask with a hole": (EMIT, GOLD, None, GOLD != 2, r"mask\[0\] has a position after one that is left out"),
    "a mask of nothing": (EMIT, GOLD, None, torch.arange(18).reshape(3, 6) % 12 < 6, r"mask\[1\] has no position"),
    "no batch": (EMIT[0], GOLD[0], None, None, r"log_emit has shape \(6, 4\): .*; one sequence alone is log_e"),
    "too few labels": (EMIT[..., :3], GOLD, None, None, r"log_emit has shape \(3, 6, 3\): .*, 4 labels\)"),
    "whole emissions": (GOLD[..., None].expand(3, 6, 4), GOLD, None, None, "log_emit is torch.int64"),
    "no emissions": ([[[0.0] * 4]], GOLD, None, None, "log_emit is list: give a tensor"),
    "NaN": (EMIT.where(torch.arange(3)[:, None, None] != 1, torch.nan), GOLD, None, None, "sequence 1 of the batch"),
}


@pytest.mark.parametrize("what", WRONG)
def test_shapes_lengths_and_gold_that_do_not_fit_are_refused(what):
    from rcmviz.torch import NgramLayer, losses

    emissions, gold, lengths, mask, message = WRONG[what]
    layer = NgramLayer("abcd", order=1, method="exact")
    calls = [lambda: layer(emissions, gold, lengths, mask=mask)]
    calls.append(lambda: losses(emissions, gold, layer.model, lengths, mask=mask, method="exact"))
    if "gold" not in message:
        calls.append(lambda: layer.decode(emissions, lengths, mask=mask))
    for call in calls:
        with pytest.raises(ValueError, match=message):
            call()


def test_a_mask_says_what_lengths_say_and_padding_may_be_anything():
    from rcmviz.torch import NgramLayer, losses

    layer, lengths = NgramLayer("abcd", order=1, method="exact"), [6, 4, 1]
    mask = torch.arange(6) < torch.tensor(lengths)[:, None]
    emissions, gold = EMIT.where(mask[..., None], torch.nan), GOLD.where(mask, torch.tensor(-100))
    expected = layer(EMIT, GOLD, lengths)
    for given in ({"lengths": lengths}, {"lengths": torch.tensor(lengths)}, {"mask": mask}, {"mask": mask.numpy()}):
        assert torch.equal(layer(emissions, gold, **given), expected)
        assert torch.equal(losses(emissions, gold, layer.model, method="exact", **given), expected)
        assert list(map(len, layer.decode(emissions, **given))) == lengths


class Network(torch.nn.Module):
    """Emissions of a linear layer, and losses of labels after labels."""

    def __init__(self):
        from rcmviz.torch import NgramLayer

        super().__init__()
        self.scores, self.out = torch.nn.Linear(5, 4), NgramLayer("abcd", order=1, method="exact")

    def forward(self, inputs, gold):
        return self.out(self.scores(inputs), gold, mask=gold >= 0).mean() + len(self.out.decode(self.scores(inputs)))


def test_a_compiled_network_has_the_losses_and_gradients_of_the_network():
    torch.manual_seed(0)
    network, inputs, gold = Network(), torch.randn(2, 3, 5), torch.tensor([[0, 1, 2], [3, 0, -100]])
    found = []
    for one in (network, torch.compile(network, backend="eager")):
        network.zero_grad()
        one(inputs, gold).backward()
        found.append([parameter.grad.clone() for parameter in network.parameters()])
    assert all(map(torch.equal, *found)) and all(gradient.any() for gradient in found[0])


def test_a_gradient_is_not_differentiated_again():
    from rcmviz.torch import NgramLayer

    layer, emissions = NgramLayer("abcd", order=1), EMIT.clone().requires_grad_()
    found = torch.autograd.grad(layer(emissions, GOLD).sum(), [emissions, layer.weights], create_graph=True)
    for gradient in found:
        with pytest.raises(RuntimeError, match="differentiated once"):
            (gradient**2).sum().backward(retain_graph=True)
