"""Manipulated language-model files are read correctly or refused; nothing crashes, no proof is false.

What once read foreign memory runs in a child process: a crash fails a test here, not all of them.
"""

import subprocess
import sys

import numpy as np
import pytest

import rcmviz as rv

SENTENCES = ["a b c", "a c b", "b a", "c c a b"]
WIDEST = 2**62


def saved(tmp_path, **changes):
    """The path of a small model whose arrays are changed by functions, named after them."""
    path = tmp_path / "lm.npz"
    rv.train_lm(SENTENCES, order=3, cutoffs=(0, 0, 0)).save(path)
    with np.load(path) as file:
        arrays = dict(file)
    np.savez(path, **arrays | {name: change(arrays[name]) for name, change in changes.items()})
    return path


def with_value(place, value, dtype=np.int64):
    """Change one value of an array."""

    def change(array):
        array = array.astype(dtype)
        array[place] = value
        return array

    return change


def wrapping(first):
    """Places of children whose differences wrap around in 64 bits and so are never negative."""
    first = first.astype(np.int64)
    first[1:4] = WIDEST, -WIDEST - 1, first[4]
    return first


CHANGES = {
    "places that wrap around": {"first": wrapping},
    "children before all rows": {"first": with_value(1, -5)},
    "children beyond all rows": {"first": with_value(1, 10**9)},
    "children of another order": {"first": lambda first: np.maximum(first - 1, 0)},
    "levels that wrap around": {"level": with_value(1, -WIDEST)},
    "a word beyond": {"word": with_value(-1, 10**6)},
    "a word that wraps around in 32 bits": {"word": with_value(-1, 2**32)},
    "brothers out of order": {"word": lambda word: word[::-1]},
    "a blank beyond": {"blanks": lambda _: np.array([10**6])},
    "places between rows": {"first": lambda first: first + 0.5},
    "rows of rows": {"word": lambda word: word.reshape(1, -1)},
    "a log beyond what a proof can hold": {"back_off": with_value(0, 1e6, np.float32)},
    "a log that is infinite in single precision": {"log_prob": with_value(0, 1e300, np.float64)},
    "no number": {"back_off": with_value(0, np.nan, np.float32)},
}


@pytest.mark.parametrize("changes", CHANGES.values(), ids=CHANGES.keys())
def test_a_file_whose_tables_lead_astray_is_refused(tmp_path, changes):
    with pytest.raises(ValueError, match=r"lm\.npz: .*save it again"):
        rv.load_lm(saved(tmp_path, **changes))


def test_byte_order_and_width_of_a_file_make_no_difference(tmp_path):
    kinds = {"word": ">i4", "first": ">i8", "level": ">i2", "log_prob": ">f4", "back_off": "<f8", "blanks": ">u2"}
    changes = {name: lambda array, kind=kind: array.astype(kind) for name, kind in kinds.items()}
    lm, as_given = rv.load_lm(saved(tmp_path)), rv.load_lm(saved(tmp_path, **changes))
    for name, array in vars(lm.trie).items():
        other = getattr(as_given.trie, name)
        assert other.dtype == array.dtype and other.dtype.isnative and np.array_equal(other, array), name
    assert as_given.score(SENTENCES).log_prob.tolist() == lm.score(SENTENCES).log_prob.tolist()


def test_maxima_of_a_file_are_not_believed(tmp_path):
    """Lowered maxima would hide the best sentence from ARS, which then called a worse one proved, with a gap of 0."""
    lowered = {name: lambda array: array - np.float32(5) for name in ("max_log", "max_back")}
    lm, changed = rv.load_lm(saved(tmp_path)), rv.load_lm(saved(tmp_path, **lowered))
    for name in ("max_log", "max_back"):
        assert np.array_equal(getattr(changed.trie, name), getattr(lm.trie, name))
    candidates = [["a", "b", "c"]] * 4
    observed = [np.log([0.2, 0.3, 0.5])] * 4
    best, again = (rv.ars_decode(rv.HMM(each, candidates, observed), record=False)[0] for each in (lm, changed))
    assert (again.stopped, again.gap) == ("proved", 0.0)
    assert (again.words, again.log_score) == (best.words, best.log_score)


STRANGE_IDS = """
import numpy as np
import rcmviz as rv

lm = rv.train_lm(["a b c", "a c b"], order=3, cutoffs=(0, 0, 0))
V = len(lm.vocabulary)
wrong = [
    (lm.score_ngrams, [[V]]), (lm.score_ngrams, [[0, 2**31 - 1]]), (lm.score_ngrams, [[2**32, 0]]),
    (lm.score_ngrams, [[-2, 0]]), (lm.score_ngrams, [[0.5]]), (lm.score_ngrams, [0, 1]), (lm.score_ngrams, [[], []]),
    (lm.score_ngrams, [[True]]), (lm.score_ngrams, [["a"]]), (lm.score_ngrams, [[0], [0, 1]]),
    (lm.score_words, [0, V], [0, 2]), (lm.score_words, [0, -(2**31)], [0, 2]), (lm.score_words, [0, 1], [0, 10**9]),
    (lm.score_words, [0, 1], [-(10**9), 2]), (lm.score_words, [0, 1, 2], [0, 2**62, -(2**62) - 1, 3]),
    (lm.score_words, [0, 1], [0, 1]), (lm.score_words, [0, 1], []), (lm.score_words, [0, 1], [[0, 2]]),
]
for ask, *given in wrong:
    try:
        ask(*given)
    except ValueError as error:
        assert "give" in str(error) or "stand" in str(error) or "its last is" in str(error), error
    else:
        raise SystemExit(f"{given} is not refused")
swapped = np.array([[0, 1, 2]], ">i4")
assert lm.score_ngrams(swapped).tolist() == lm.score_ngrams([[0, 1, 2]]).tolist()
assert np.isneginf(lm.score_ngrams([[0, -1]])[0]) and np.isfinite(lm.score_ngrams([[-1, 0]])[0])
print("held")
"""


def test_ids_outside_the_vocabulary_are_refused():
    run = subprocess.run([sys.executable, "-c", STRANGE_IDS], capture_output=True, text=True, timeout=300, check=False)
    assert (run.returncode, run.stdout) == (0, "held\n"), run.stderr
