"""Learned selection: ranking by heuristics, the expert's choices, and the table made from its rows."""

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.core.builders.build import rcms_with_heuristic
from rcmviz.core.inference.infer import log_z
from rcmviz.experiments.report import Plan
from rcmviz.experiments.search import entry, selection, selection_tables
from rcmviz.kernels.chain.contexts import CODE, LENGTH

LABELS, ORDER, T = "abc", 2, 5


def word_of(seed):
    rng = np.random.default_rng(seed)
    empty = rv.NgramModel(tuple(LABELS), ORDER, "single", [], [])
    model = rv.NgramModel(tuple(LABELS), ORDER, "single", np.arange(empty.size), rng.normal(size=(empty.size, 3)))
    return selection.ScoredWord(model, rng.normal(size=(T, 3)) * 2)


def test_a_promise_of_zeros_is_rcms_and_the_experts_is_closer():
    off = {"rcms": 0.0, "expert": 0.0}
    for seed in range(30):
        word = word_of(seed)
        exact = log_z(rv.exact(word.model, word.log_emit, record=False)[0])
        plain = rcms_with_heuristic(
            word.model, word.log_emit, lambda i, contexts, _: np.zeros((contexts.shape[1], 3)), 2
        )
        assert plain.C == rv.rcms(word.model, word.log_emit, 2)[0].C
        assert log_z(plain) == log_z(rv.rcms(word.model, word.log_emit, 2)[0])
        off["rcms"] += abs(log_z(plain) - exact)
        off["expert"] += abs(log_z(rcms_with_heuristic(word.model, word.log_emit, word.expert, 2)) - exact)
    assert off["expert"] < off["rcms"]


@pytest.mark.parametrize("seed", range(3))
def test_the_expert_knows_the_exact_messages(seed):
    """Messages of full contexts are the exact lattice's; those of shorter ones are means under exact forward masses."""
    word = word_of(seed)
    forward, message = word.exact
    lattice = rv.exact(word.model, word.log_emit, record=False)[0]
    assert message[0][0] == pytest.approx(log_z(lattice)) == pytest.approx(selection.log_sum(forward[-1], 0))
    found = rv.posterior(lattice)
    for i in range(1, T):
        column = lattice.column(i)
        np.testing.assert_allclose(forward[i], found.forward[column], atol=1e-9)
        np.testing.assert_allclose(message[i], found.backward[column], atol=1e-9)
    contexts = np.zeros((8, 2), np.int64)
    contexts[LENGTH, 1], contexts[CODE, 1] = 1, 2  # nothing, and "c", at position 1
    known = word.expert(1, contexts, None)
    np.testing.assert_allclose(known[1], message[2].reshape(3, 3)[2], atol=1e-9)
    both, alone = (selection.log_sum(one.reshape(3, 3), 0) for one in (forward[2] + message[2], forward[2]))
    np.testing.assert_allclose(known[0], both - alone, atol=1e-9)


def test_features_are_what_they_are_called():
    word, i = word_of(0), 2
    contexts = np.zeros((8, 2), np.int64)
    contexts[LENGTH], contexts[CODE] = [0, 2], [0, 5]  # nothing, and "bc"
    log_mass = np.log(np.array([[0.1, 0.2, 0.3], [0.1, 0.2, 0.1]]))
    found = word.features(i, contexts, log_mass)
    windows = {
        (k, y): word.model.windows_of(i + 1, past + label)
        for k, past in enumerate(["", "bc"])
        for y, label in enumerate(LABELS)
    }
    index = {label: y for y, label in enumerate(LABELS)}
    for (k, y), (window,) in windows.items():
        address, _ = word.model.address_of_window((*window, "a"), index)
        weights = word.model.log_table[address] + word.log_emit[i + 1]
        expected = np.log(np.exp(weights).sum()) - word.log_emit[i + 1].max()
        assert found[k, y, 0] == pytest.approx(expected)
        assert word.next_emission(i, contexts, log_mass)[k, y] == pytest.approx(expected)
    assert found[..., 3].tolist() == [[1, 1, 1], [2, 2, 2]]
    p = np.exp(word.log_emit[3]) / np.exp(word.log_emit[3]).sum()
    assert found[0, 0, 4] == pytest.approx(np.log(1 / 3) * -(p @ np.log(p)))


def test_a_scorer_is_learnt_and_has_its_row(monkeypatch):
    scorer = selection.learn_scorer([word_of(seed) for seed in range(3)], 2)
    assert scorer.weights.shape == (len(selection.FEATURES),) and np.isfinite(scorer.weights).all()
    monkeypatch.setattr(entry, "PARTS", ("selection_tables",))
    specs = entry.specs(Plan("pen:60", quick=True))
    row = {"accuracy": 0.5, "recall_99": 0.25, "off": 0.1, "ms": 2.0}
    result = {"rows": dict.fromkeys(selection_tables.ROWS, row), "weights": dict.fromkeys(selection.FEATURES, 1.0)}
    text = entry.report(Plan("pen:60", quick=True), [result] * len(specs)).text
    assert "| learnt | .100 ± .000 | .500 ± .000 | .250 ± .000 | 2.00 |" in text
