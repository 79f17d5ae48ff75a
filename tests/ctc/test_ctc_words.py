"""CTC with a language model of words against enumeration of all alignments."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from ctc.test_ctc import CLOSE, assert_sums
from oracles.ctc import log_sum
from problems.chain import problems_of
from problems.ctc_words import deep_word_problems, machine_of_words, read_words, word_problems
from rcmviz.views.ctc.payload import build_ctc

METHODS = ("rcms", "beam", "exact")


@problems_of(300)
@given(word_problems())
def test_exact_gives_every_output_its_score_by_its_words(problem):
    transcript, outputs = read_words(problem, "exact"), problem.outputs
    np.testing.assert_allclose(transcript.log_z, log_sum(outputs.values()), **CLOSE)
    for labels, score in outputs.items():
        np.testing.assert_allclose(transcript.log_prob(labels), score - transcript.log_z, **CLOSE)


@problems_of(400)
@given(word_problems(), st.sampled_from(METHODS), st.sampled_from([1, 2, 3, 6]))
def test_contexts_are_chosen_by_the_rule_and_sums_are_those_of_their_machine(problem, method, budget):
    transcript = read_words(problem, method, budget)
    machine = machine_of_words(problem, transcript)
    kept = math.inf if method == "exact" else budget
    assert list(machine.violations(kept, machine.problem.outlook)) == []
    assert_sums(transcript, machine)


@problems_of(150)
@given(word_problems(), st.sampled_from([1, 2, 3]))
def test_a_second_pass_ranks_contexts_by_what_comes_before_and_after(problem, budget):
    first, second = (read_words(problem, "rcms", budget, passes) for passes in (1, 2))
    machine = machine_of_words(problem, second)
    assert list(machine.violations(budget, machine_of_words(problem, first).outlook)) == []
    assert_sums(second, machine)


@problems_of(150)
@given(word_problems())
def test_all_methods_meet_at_full_budget(problem):
    wanted = log_sum(problem.outputs.values())
    for method in METHODS:
        np.testing.assert_allclose(read_words(problem, method, 10**6).log_z, wanted, **CLOSE)


@problems_of(30)
@given(deep_word_problems(), st.sampled_from([2, 4, 8]))
def test_merging_in_deep_hierarchies(problem, budget):
    transcript = read_words(problem, "rcms", budget)
    machine = machine_of_words(problem, transcript)
    np.testing.assert_allclose(transcript.log_z, machine.log_z_of_joined, **CLOSE)


LM = rv.train_lm(["the cat sat", "the car sat", "a cat ran"], order=2)
LABELS = "acehnrst_"


def spelt(text, sure=0.3, seed=0):
    """Frames that show a text, a frame each and blanks between, and much else."""
    shown = [LABELS.index(letter) for letter in text]
    peaks = np.full((2 * len(shown), len(LABELS) + 1), (1 - sure) / len(LABELS))
    peaks[::2][range(len(shown)), shown] = sure
    peaks[1::2, -1] = sure
    noisy = peaks * np.random.default_rng(seed).gamma(2.0, size=peaks.shape)
    return np.log(noisy / noisy.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("method", METHODS)
def test_words_of_the_model_are_read_where_frames_alone_are_wrong(method):
    frames = spelt("the_cat_sat")
    assert rv.ctc(frames, LABELS).text != "the_cat_sat"
    read = rv.ctc(frames, LABELS, LM, 200, method=method, separator="_")
    assert read.text == "the_cat_sat"
    assert [word for word, _, _ in read.words("_")] == ["the", "cat", "sat"]


@pytest.mark.parametrize("method", METHODS)
def test_the_view_names_contexts_by_their_words(method):
    frames = spelt("the_cat_sat")
    read = rv.ctc(frames, LABELS, LM, 20, method=method, separator="_")
    columns = build_ctc(read)["columns"]
    assert columns[0]["contexts"] and columns[-1]["contexts"]
    names = {name for column in columns for name, *_ in column["contexts"]}
    wanted = {
        "rcms": {"^", "*t", "^th", "*_", "*_the_c", "*_cat_s"},
        "beam": {"^", "th", "the_c", "the_cat_sat"},
        "exact": {"^", "^th", "*_the_c", "*_cat_sat", "*_<unk>_s"},
    }
    assert wanted[method] <= names


def test_without_unknown_words_only_listed_words_are_read():
    read = rv.ctc(spelt("the_cat_sat", 0.2), LABELS, LM, method="exact", separator="_", unknown_score=-np.inf)
    for one in read.nbest(20):
        assert set(one.text.split("_")) <= {"the", "cat", "sat", "car", "a", "ran", ""}


@pytest.mark.parametrize(
    "arguments, options, fault",
    [
        (("ab_", LM), {"separator": "-"}, "separator '-'"),
        (("ab_", None), {"separator": "_"}, "lm None: words between separators are scored by an rv"),
        (("AB_", LM), {"separator": "_"}, "none of the language model's words can be written in the labels, 'cat' for"),
        ((["a", "th", "_"], LM), {"separator": "_"}, "labels: 'th' is longer than a character; words are"),
        (("ab_", LM), {"word_bonus": 1.0}, "word_bonus and unknown= are for words"),
        (("ab_", LM), {"separator": "_", "unknown_score": np.inf}, "unknown_score inf: nats, at most a million, -inf"),
    ],
)
def test_unreadable_input_is_refused(arguments, options, fault):
    labels, lm = arguments
    with pytest.raises(ValueError) as caught:
        rv.ctc(np.zeros((2, 4)) - 1, labels, lm, **options)
    assert str(caught.value).startswith(fault)
