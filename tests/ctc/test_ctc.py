"""CTC with a language model against enumeration of all alignments."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from oracles.ctc import BLANK, collapse, exact
from problems.chain import problems_of
from problems.ctc import deep_problems, frame_problems, machine_of, read
from rcmviz.ctc_decoding import alignments
from rcmviz.ctc_decoding import transcript as transcripts

CLOSE = {"rtol": 1e-9, "atol": 1e-12}
NEVER = -700.0  # log probability of outputs that no list needs to have
METHODS = ("rcms", "beam", "exact")


def assert_sums(transcript, machine, blank=-1):
    """log Z, every output, their order and the posteriors are those of a machine."""
    np.testing.assert_allclose(transcript.log_z, machine.log_z, **CLOSE)
    if machine.log_z == -math.inf:
        with pytest.raises(ValueError, match="positive probability"):
            transcript.text  # noqa: B018
        return
    everything = transcript.nbest(len(machine.outputs) + 1)
    scores = {one.labels: one.log_score for one in everything}
    assert len(scores) == len(everything) and set(scores) <= set(machine.outputs)
    for labels, score in machine.outputs.items():
        if score - machine.log_z > NEVER:
            np.testing.assert_allclose(scores[labels], score, **CLOSE)
        np.testing.assert_allclose(transcript.log_prob(labels), score - machine.log_z, **CLOSE)
    in_order = [one.log_score for one in everything]
    assert all(high >= low - 1e-9 for high, low in zip(in_order, in_order[1:], strict=False))
    assert transcript.is_proven and transcript.labels == everything[0].labels
    symbols = list(machine.problem.labels)
    symbols.insert(blank % (len(symbols) + 1), BLANK)
    shares = [[machine.share(t, symbol) for symbol in symbols] for t in range(len(machine.problem.emit))]
    np.testing.assert_allclose(transcript.posterior, shares, **CLOSE)


@problems_of(150)
@given(frame_problems(), st.sampled_from([-1, 0]))
def test_exact_is_the_enumeration(problem, blank):
    assert_sums(read(problem, "exact", blank=blank), exact(problem), blank)


@problems_of(250)
@given(frame_problems(), st.sampled_from(["rcms", "beam"]), st.sampled_from([1, 2, 3, 6]))
def test_contexts_are_chosen_by_the_rule_and_sums_are_those_of_their_machine(problem, method, budget):
    transcript = read(problem, method, budget)
    machine = machine_of(problem, transcript)
    assert list(machine.violations(budget)) == []
    assert_sums(transcript, machine)


@problems_of(30)
@given(deep_problems(), st.sampled_from([2, 3, 4]))
def test_merging_in_deep_hierarchies(problem, budget):
    transcript = read(problem, "rcms", budget)
    np.testing.assert_allclose(transcript.log_z, machine_of(problem, transcript).log_z_of_joined, **CLOSE)


@problems_of(150)
@given(frame_problems(), st.sampled_from([1, 2, 3]))
def test_a_second_pass_ranks_contexts_by_what_comes_before_and_after(problem, budget):
    first, second = (read(problem, "rcms", budget, passes=passes) for passes in (1, 2))
    machine = machine_of(problem, second)
    assert list(machine.violations(budget, machine_of(problem, first).outlook)) == []
    assert_sums(second, machine)


@problems_of(100)
@given(frame_problems())
def test_all_methods_meet_at_full_budget(problem):
    for method in METHODS:
        np.testing.assert_allclose(read(problem, method, 10**6).log_z, exact(problem).log_z, **CLOSE)


@problems_of(100)
@given(frame_problems(), st.sampled_from([1, 2, 3]))
def test_a_beam_has_a_part_of_the_mass(problem, budget):
    assert read(problem, "beam", budget).log_z <= exact(problem).log_z + 1e-9


@problems_of(100)
@given(frame_problems(max_order=2))
def test_rcms_is_exact_where_scores_see_one_label(problem):
    np.testing.assert_allclose(read(problem, "rcms", 1).log_z, exact(problem).log_z, **CLOSE)


@problems_of(150)
@given(frame_problems(), st.sampled_from(METHODS))
def test_frames_of_labels_are_those_of_the_heaviest_alignment(problem, method):
    transcript = read(problem, method, 2)
    machine = machine_of(problem, transcript)
    for output in machine.outputs:
        alignment = [BLANK] * len(problem.emit)
        for label, (start, stop) in zip(output, transcript.frames_of(output), strict=True):
            alignment[start:stop] = [label] * (stop - start)
        assert collapse(alignment) == output
        highest = max(score for other, score in machine.scores.items() if collapse(other) == output)
        np.testing.assert_allclose(machine.scores[tuple(alignment)], highest, **CLOSE)


def test_rcms_gives_every_output_some_probability_where_a_beam_drops_it():
    lm = rv.train_lm(["a b a b", "b b a", "a a b"], order=4)
    frames = np.log(np.random.default_rng(3).dirichlet([1.0, 1.0, 1.0], 5))
    everything = rv.ctc(frames, "ab", lm, method="exact").nbest(1_000)
    shares = {
        method: [rv.ctc(frames, "ab", lm, 2, method=method).log_prob(one.labels) for one in everything]
        for method in ("rcms", "beam")
    }
    assert np.isfinite(shares["rcms"]).all()
    assert np.isneginf(shares["beam"]).sum() == len(everything) - 2
    assert sum(map(math.exp, shares["rcms"])) == pytest.approx(1)


def test_the_columns_of_a_table_are_found_by_their_names():
    frames = np.log([[0.7, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.7], [0.1, 0.7, 0.1, 0.1]])
    table = pd.DataFrame(frames, columns=["b", "a", "c", "<blank>"])
    for columns, blank in (
        (["a", "b", "c", "<blank>"], -1),
        (["<blank>", "c", "b", "a"], -1),
        (["c", "<blank>", "a", "b"], 0),
    ):
        assert rv.ctc(table[columns], "abc", blank=blank).text == "ba"
    assert rv.ctc(table.rename(columns={"<blank>": ""}), "abc").text == "ba"
    with pytest.raises(ValueError, match="log_probs: .*'d', .*'a', 'b', 'c', '<blank>'"):
        rv.ctc(table.rename(columns={"<blank>": "d"}), "abc")


def test_a_repeat_needs_a_blank_between():
    frames = np.log([[0.9, 0.1], [0.2, 0.8], [0.9, 0.1]])
    twice = rv.ctc(frames, "a")
    assert twice.text == "aa" and twice.confidence == pytest.approx(0.9 * 0.8 * 0.9)
    assert twice.frames.tolist() == [[0, 1], [2, 3]]
    once = rv.ctc(frames[:1], "a")
    assert once.text == "a" and once.log_prob("aa") == -np.inf and once.log_z == pytest.approx(0)


def test_a_short_search_finds_outputs_without_a_proof():
    frames = np.zeros((6, 4))  # all alignments are alike: no beginning stands out
    transcript = rv.ctc(frames, "abc")
    found = transcript.nbest(3, most=6)
    assert len({one.labels for one in found}) == 3
    for one in found:
        assert transcript.log_prob(one.labels) == pytest.approx(one.log_prob)
    assert transcripts.search.best_outputs(transcript.alignments, 1, 1)[1] == 0


@pytest.mark.parametrize("noise", [0.3, 1.5])
def test_frames_that_are_left_out_change_no_output(monkeypatch, noise):
    rng = np.random.default_rng(2)
    shown = rng.integers(0, 5, 120).repeat(rng.integers(1, 3, 120))[:120]
    scores = 4.0 * np.eye(5)[shown] + rng.normal(0, noise, (120, 5))
    frames = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
    lm = rv.train_lm(["a b c d a c", "b d a b", "c a d"], order=3)
    found = rv.ctc(frames, "abcd", lm, 3).nbest(6)
    assert len(frames) > transcripts.search.SHORT
    monkeypatch.setattr(transcripts.search, "SHORT", len(frames))
    whole = rv.ctc(frames, "abcd", lm, 3)
    assert [one.labels for one in found] == [one.labels for one in whole.nbest(6)]
    for one in found:
        assert one.log_prob == pytest.approx(whole.log_prob(one.labels), abs=1e-12)


def test_the_best_output_does_not_depend_on_earlier_queries():
    frames = np.log(np.random.default_rng(0).dirichlet([0.8] * 4, 40))
    asked, alone = rv.ctc(frames, "abc"), rv.ctc(frames, "abc")
    first, *_ = asked.nbest(3)
    assert asked.best is first and asked.is_proven == alone.is_proven
    assert (first.labels, first.log_prob) == (alone.best.labels, alone.best.log_prob)


def test_words_have_the_frames_of_their_labels():
    frames = np.log(np.eye(4)[[0, 3, 0, 2, 2, 1, 3]] * 0.96 + 0.01)  # a - a _ _ b -
    transcript = rv.ctc(frames, ["a", "b", "_"])
    assert transcript.text == "aa_b" and transcript.words("_") == [("aa", 0, 3), ("b", 5, 6)]
    assert transcript.words("nothing") == [("aa_b", 0, 6)]


def test_a_transcript_prints_itself():
    transcript = rv.ctc(np.log([[0.6, 0.4], [0.5, 0.5]]), ["<b>"])
    assert repr(transcript) == "<Transcript: 2 frames, 1 labels, rcms 20>"
    page = transcript._repr_html_()
    assert "<code>&lt;b&gt;</code>" in page and "0.800" in page and "all others: 0.000" in page
    assert "<table" not in rv.ctc([[-np.inf, -np.inf]], "a")._repr_html_()


LM = rv.train_lm(["a b", "b a"], order=2)


@pytest.mark.parametrize(
    "arguments, options, fault",
    [
        (([[0.0, -1.0]], ""), {}, "labels: empty; give at least one"),
        (([[0.0, -1.0]], ["a", ""]), {}, "labels: '' names no label"),
        (([[0.0, -1.0]], "aa"), {}, "labels: 'a' occurs twice"),
        (([[0.0]], "a"), {}, "log_probs has 1 column for 1 label"),
        (([[0.0, -1.0]], "ab"), {}, "log_probs has 2 columns for 2 labels"),
        (([0.0, -1.0], "a"), {}, "log_probs has shape (2,)"),
        (([[0.0, np.nan]], "a"), {}, "log_probs at frame 0, the blank is nan"),
        (([[np.nan, 0.0]], "a"), {"blank": 0}, "log_probs at frame 0, the blank is nan"),
        (([[0.0, -1.0]], "a"), {"blank": 2}, "blank 2: a whole number from -1 to 1"),
        (([[0.0, -1.0]], "a"), {"method": "viterbi"}, "method 'viterbi': choose one of rcms, beam, exact"),
        (([[0.0, -1.0]], "a"), {"method": "beam", "passes": 2}, "passes 2: only rcms looks again at what it keeps"),
        (([[0.0, -1.0]], "a"), {"budget": 0}, "budget 0"),
        (([[0.0, -1.0]], "a", "lm"), {}, "lm 'lm': give an rv.LanguageModel whose words are the labels, or None; rv."),
        (([[0.0, -1.0]], "a", LM), {"lm_weight": 0}, "lm_weight 0: a number above 0, 1 as it is"),
    ],
)
def test_unreadable_input_is_refused(arguments, options, fault):
    with pytest.raises(ValueError) as caught:
        rv.ctc(*arguments, **options)
    assert str(caught.value).startswith(fault)


def test_questions_that_have_no_answer():
    transcript = rv.ctc([[0.0, -1.0]], "a")
    with pytest.raises(ValueError, match="'z'"):
        transcript.log_prob("z")
    with pytest.raises(ValueError, match="the output has no alignment"):
        transcript.frames_of("aa")
    with pytest.raises(ValueError, match="k 0"):
        transcript.nbest(0)


def test_labels_that_the_language_model_lacks_are_named():
    with pytest.warns(UserWarning, match="'q': .*<unk>"):
        rv.ctc([[0.0, -1.0, 0.0]], "aq", LM)


def test_alignments_that_would_fill_the_memory_are_refused(monkeypatch):
    monkeypatch.setattr(alignments, "MAX_ARCS", 50)
    lm = rv.train_lm(["a b a b", "b b a"], order=4)
    frames = np.log(np.full((9, 3), 1 / 3))
    with pytest.raises(ValueError, match="62 arcs .* 50; use rcms or beam"):
        rv.ctc(frames, "ab", lm, method="exact")
    with pytest.raises(ValueError, match="50; lower the budget"):
        rv.ctc(frames, "ab", lm, 20)
