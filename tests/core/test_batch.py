"""Batches: every word is answered as if it were alone, also if only some need logs."""

import pickle

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.core.inference.batch import _are_for_logs
from rcmviz.core.methods import IN_BULK
from rcmviz.core.models.scores import score_ranges


@pytest.mark.parametrize("method", ["rcms", "beam", "exact"])
def test_a_long_word_changes_nothing_for_others(method):
    model = rv.NgramModel.from_windows("abc", 1, {("a", "b"): 40.0, ("*", "c"): 5.0})
    random = np.random.default_rng(3)
    words = [random.normal(0, spread, (length, 3)) for length, spread in ((3, 1), (60, 30), (1, 1), (60, 30), (4, 1))]
    together = rv.infer_batch(model, words, method, 3, dtype="f8", posterior=True, threads=1)
    for w, word in enumerate(words):
        alone = rv.infer_batch(model, [word], method, 3, dtype="f8", posterior=True, threads=1)
        np.testing.assert_array_equal(together.labels[w], alone.labels[0])
        np.testing.assert_array_equal(together.posterior[w], alone.posterior[0])
        assert (together.log_z[w], together.log_prob[w]) == (alone.log_z[0], alone.log_prob[0])
        assert together.mean_length[w] == alone.mean_length[0]


def test_a_root_weight_is_the_repaired_beams_alone():
    with pytest.raises(ValueError, match="root_weight.*method='repaired'"):
        rv.infer_batch(rv.NgramModel.from_windows("ab", 1, {}), [np.zeros((2, 2))], "rcms", root_weight=-3.0)


def test_words_on_logs_and_on_masses_agree_with_the_lattice():
    model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 3.0})
    words = [np.array([[0.0, 1.0], [2.0, 0.0]]), np.array([[0.0, 400.0], [400.0, 0.0], [0.0, 1.0]])]
    batch = rv.infer_batch(model, words, "rcms", 4, dtype="f8", threads=1)
    for w, word in enumerate(words):
        lattice, _ = rv.exact(model, word)
        assert batch.log_z[w] == pytest.approx(rv.log_z(lattice), abs=1e-9)


def test_words_whose_masses_could_underflow_use_logs():
    """The definition, place by place: what a path is behind, and what it can still make up; 600 is the limit."""
    model, random = rv.NgramModel.from_windows("ab", 2, {("a", "a", "b"): 3.0}), np.random.default_rng(0)
    lengths = random.integers(1, 60, size=40)
    ranges = [random.gamma(0.5, 40, size=length) for length in lengths]
    words = np.concatenate([np.stack([np.zeros(len(r)), r], axis=1) for r in ranges])
    offset = np.concatenate([[0], np.cumsum(lengths)])
    on_logs = _are_for_logs(model, score_ranges(model, words), offset, IN_BULK["beam"])
    expected = []
    for word in ranges:
        word = word + 3.0
        half = max(min(word[: i + 1].sum(), word[i + 1 :].sum()) for i in range(len(word)))
        expected.append(half + 3 * word.max() >= 600)
    assert on_logs.tolist() == expected and 0 < sum(expected) < 40


@pytest.mark.parametrize("scale", [1, 400], ids=["masses", "logs"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("method", IN_BULK)
def test_a_word_without_an_output_has_no_posterior_nor_another_ones(method, order, dtype, scale):
    model = rv.NgramModel.from_windows("ab", order, {("a",) * order + ("b",): 2.0})
    possible, impossible = np.array([[1.0, 0.0], [0.0, 3.0], [1.0, 2.0]]) * scale, np.zeros((3, 2))
    impossible[0] = -np.inf
    found = rv.infer_batch(model, [possible, impossible], method, dtype=dtype, threads=1, posterior=True)
    assert found.log_z[1] == -np.inf and not found.posterior[1].any()
    np.testing.assert_allclose(found.posterior[0].sum(axis=1), 1, atol=1e-6)


@pytest.mark.parametrize("posterior", [True, False])
@pytest.mark.parametrize("lengths", [(), (1,), (3, 1, 2)])
def test_a_batch_is_the_same_after_a_way_to_another_process(lengths, posterior):
    model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 2.0})
    batch = rv.infer_batch(model, [np.eye(3, 2)[:length] for length in lengths], posterior=posterior)
    there = pickle.loads(pickle.dumps(batch))
    for name, value in vars(batch).items():
        if isinstance(value, tuple):
            assert [each.dtype for each in getattr(there, name)] == [each.dtype for each in value]
            assert [each.tolist() for each in getattr(there, name)] == [each.tolist() for each in value]
        else:
            np.testing.assert_array_equal(getattr(there, name), value)
    assert not there.log_z.flags.writeable
