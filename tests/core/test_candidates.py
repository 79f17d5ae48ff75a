"""Candidates selected from scores of all labels, compared with the definition; lattices built from them."""

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from oracles.candidates import kept
from problems.chain import problems_of
from rcmviz.core.models import candidates
from support.lent import DLPackOnly


@st.composite
def positions(draw):
    """Masses of 1–4 positions over 1–9 labels, many of them alike, none all zero."""
    width = draw(st.integers(1, 9))
    mass = st.sampled_from([0, 0, 1, 1, 1, 2, 3, 50])
    rows = draw(st.lists(st.tuples(*[mass] * width), min_size=1, max_size=4))
    return [row if any(row) else (1,) * width for row in rows]


def logs(rows):
    with np.errstate(divide="ignore"):
        return np.log(np.array(rows, float))


@problems_of(500)
@given(positions(), st.none() | st.integers(1, 10), st.none() | st.integers(0, 40), st.sampled_from([1, 2, 64]))
def test_candidates_are_those_of_the_definition(rows, k, tenths, first_guess):
    """Shares between two sums of masses: nothing hangs on the rounding of one that is met exactly."""
    p = None if tenths is None else min(Fraction(2 * tenths + 1, 2 * sum(rows[0])), Fraction(1))
    if k is None and p is None:
        k = 3
    rows = rows if p is None else rows[:1]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(candidates, "FIRST_GUESS", first_guess)
        cut = rv.top_candidates(logs(rows), k, None if p is None else float(p))
    wanted = [kept(row, k, p) for row in rows]
    assert [row[row >= 0].tolist() for row in cut.choices] == [labels for labels, _ in wanted]
    np.testing.assert_allclose(cut.dropped, [float(share) for _, share in wanted], rtol=1e-12, atol=1e-15)
    stays = np.prod([1 - float(share) for _, share in wanted])
    np.testing.assert_allclose(cut.dropped_in_all, 1 - stays, atol=1e-12)
    np.testing.assert_array_equal(cut.counts, [len(labels) for labels, _ in wanted])
    for i, (labels, _) in enumerate(wanted):
        np.testing.assert_array_equal(cut.log_scores[i, : len(labels)], logs(rows)[i, labels])
        assert np.isneginf(cut.log_scores[i, len(labels) :]).all()


def test_a_tiny_share_is_not_lost_in_a_difference():
    cut = rv.top_candidates([[0.0, -60.0, -70.0]], k=2)
    np.testing.assert_allclose(cut.dropped, np.exp(-70.0), rtol=1e-9)
    np.testing.assert_allclose(cut.dropped_in_all, np.exp(-70.0), rtol=1e-9)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.int64])
def test_arrays_of_any_type_are_accepted(kind):
    scores = np.array([[3, 1, 2], [0, 5, 5]], kind)
    for given_scores in (scores, DLPackOnly(scores), scores.tolist(), np.asfortranarray(scores)):
        assert rv.top_candidates(given_scores, k=1).choices.tolist() == [[0], [1]]


@pytest.mark.parametrize(
    ("scores", "options", "fault"),
    [
        ([[0.0, 1.0]], {"k": None}, "k=64"),
        ([[0.0, 1.0]], {"k": 0}, "keep 1 candidate or more"),
        ([[0.0, 1.0]], {"p": 0.0}, "a share of the mass above 0"),
        ([[0.0, 1.0]], {"p": 1.5}, "at most 1"),
        ([0.0, 1.0], {"k": 1}, r"\(positions, labels\)"),
        ([[0.0], [0.0, 1.0]], {"k": 1}, "rows of one length"),
        (np.zeros((0, 3)), {"k": 1}, "at least one position"),
        (np.zeros((3, 0)), {"k": 1}, "at least one position and one label"),
        ([["a"]], {"k": 1}, "expected log scores"),
        ([[0.0, np.nan]], {"k": 1}, "position 1, label 1, is nan"),
        ([[0.0, 0.0], [np.inf, 0.0]], {"k": 1}, "position 2, label 0, is inf"),
        ([[0.0], [-np.inf]], {"k": 1}, "position 2: every label is -inf"),
        (np.zeros((2_001, 1)), {"k": 1}, "2001 positions"),
    ],
)
def test_unusable_input_is_named(scores, options, fault):
    with pytest.raises(ValueError, match=fault):
        rv.top_candidates(scores, **options)


LABELS = ["ape", "bee", "cat", "dog", "elk", "fox"]
LM = rv.train_lm(["ape bee cat", "cat bee ape fox", "dog elk", "elk fox fox dog"], order=3, cutoffs=(0, 0, 0))


def builders(hmm):
    yield rv.exact(hmm)[0]
    for budget in (1, 3, 20):
        yield rv.rcms(hmm, budget=budget)[0]
        yield rv.beam(hmm, budget=budget)[0]
    yield rv.greedy(hmm)[0]


@problems_of(40)
@given(st.integers(0, 10**6), st.integers(1, 6))
def test_a_cut_is_what_the_other_labels_being_impossible_is(seed, k):
    scores = np.random.default_rng(seed).normal(0, 2, (4, 6))
    cut = rv.top_candidates(scores, k=k)
    masked = np.full(scores.shape, -np.inf)
    np.put_along_axis(masked, cut.choices, cut.log_scores, axis=1)
    few = rv.HMM(LM, *cut.named(LABELS), end=False)
    everything = rv.HMM(LM, [LABELS] * 4, list(masked), end=False)
    for ours, wanted in zip(builders(few), builders(everything), strict=True):
        found, expected = rv.posterior(ours), rv.posterior(wanted)
        np.testing.assert_allclose(found.log_z, expected.log_z, atol=1e-12)
        at = np.take_along_axis(expected.label, cut.choices, axis=1)
        np.testing.assert_allclose(found.label, at, atol=1e-12)


def test_as_many_names_as_labels():
    cut = rv.top_candidates([[0.0, 1.0, 2.0]], k=2)
    assert cut.named("abc")[0] == [["b", "c"]]
    with pytest.raises(ValueError, match="2 labels for 3 columns"):
        cut.named("ab")
    assert repr(cut) == (
        "<Candidates: 1 positions, up to 2 of 3 labels; 0.09 of a position's mass dropped at most, 0.09 in all>"
    )


def test_memory_follows_the_candidates():
    width, length, k = 20_000, 30, 4
    scores = np.random.default_rng(0).normal(0, 1, (length, width)).astype(np.float32)
    names = [f"label {y}" for y in range(width)]
    weights = {(names[y], names[y + 1]): 1.0 for y in range(0, width - 1, 7)}
    lm = rv.LanguageModel.from_weights(names, weights)
    lm.word_id(names[0])  # the index of the names, which the model keeps

    def inferred():
        cut = rv.top_candidates(scores, k=k)
        return rv.posterior(rv.rcms(rv.HMM(lm, *cut.named(names), end=False), budget=5)[0])

    inferred()  # load and compile first
    tracemalloc.start()
    inferred()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5 * width * 8  # a few rows of all labels, no table of all rows


@pytest.mark.parametrize(
    ("weights", "fault"),
    [
        ({"ab": 1.0}, "expected a tuple"),
        ({(): 1.0}, "expected a tuple"),
        ({("a", "x"): 1.0}, "'x' is not one of the labels"),
        ({("a", "<s>"): 1.0}, "stands first"),
        ({("<s>",): 1.0}, "stands first"),
        ({("a", "b"): np.nan}, "its weight nan"),
        ({("a", "b"): "1"}, "its weight '1'"),
    ],
)
def test_windows_that_cannot_be_are_named(weights, fault):
    with pytest.raises(ValueError, match=fault):
        rv.LanguageModel.from_weights("ab", weights)


WINDOWS = st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map(tuple)


@problems_of(200)
@given(
    st.dictionaries(st.tuples(st.booleans(), WINDOWS), st.sampled_from([-1.5, 0.25, 2.0]), max_size=25),
    st.lists(st.sampled_from("abc"), max_size=5),
)
def test_the_longest_listed_window_counts(chosen, history):
    weights = {("<s>",) * begins + window: weight for (begins, window), weight in chosen.items()}
    lm = rv.LanguageModel.from_weights("abc", weights)
    known = ["<s>", *history]
    for label in "abc":
        windows = [tuple(known[start:] + [label]) for start in range(len(known) + 1)]
        longest = next((weights[window] for window in windows if window in weights), 0.0)
        assert lm.log_prob(label, known) == pytest.approx(longest, abs=1e-6)
