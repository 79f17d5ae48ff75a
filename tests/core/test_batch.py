"""Many words at once: each is answered as if it were alone, also where only some of them need logs."""

import numpy as np
import pytest

import rcmviz as rv


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


def test_words_on_logs_and_on_masses_agree_with_the_lattice():
    model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 3.0})
    words = [np.array([[0.0, 1.0], [2.0, 0.0]]), np.array([[0.0, 400.0], [400.0, 0.0], [0.0, 1.0]])]
    batch = rv.infer_batch(model, words, "rcms", 4, dtype="f8", threads=1)
    for w, word in enumerate(words):
        lattice, _ = rv.exact(model, word)
        assert batch.log_z[w] == pytest.approx(rv.log_z(lattice), abs=1e-9)
