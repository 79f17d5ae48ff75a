"""The Precision page without a browser: links, the payload compared with definitions, sentences."""

import json
from dataclasses import replace
from types import SimpleNamespace
from urllib.parse import parse_qsl

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rcmviz as rv
from pages.learn.question import LearnQuestion
from pages.precision import answer
from pages.precision.methods import (
    OFFERED,
    USUAL,
    ComparedMethod,
    check_unseen,
    model_of,
    models_in_training,
    parse_arms,
    trained_arm,
)
from pages.precision.page import PAGE
from pages.precision.question import MOST_WORDS, Comparison
from pages.word.edits import MAX_BUDGET
from pages.word.question import WordQuestion
from rcmviz.core.methods import MethodChoice
from rcmviz.data import registry
from rcmviz.jobs.memory import RESULT_CACHE
from rcmviz.tasks.handwriting.pen import write_word
from rcmviz.views.precision.payload import LEAST, build_precision, most_precise_index
from support.answers import random_answers
from support.links import check_notice
from support.pages import answers_of, link_of, opened, texts

runs = answers_of(PAGE)

ARMS = (
    st.builds(
        ComparedMethod,
        st.sampled_from(["rcms", "beam"]),
        st.integers(1, MAX_BUDGET),
        weights=st.sampled_from(["rcms", "beam"]),
    )
    | st.builds(ComparedMethod, st.just("rcms"), st.integers(1, 60), st.integers(1, 5))
    | st.just(ComparedMethod("exact"))
)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(ARMS, min_size=1, max_size=4, unique=True),
    st.integers(50, MOST_WORDS),
    st.integers(1, 99),
    st.sampled_from([0.005, 0.1, 0.125]),
)
def test_a_trial_survives_its_link(arms, words, seed, noise):
    trial = Comparison("pen", words, seed, noise, tuple(arms))
    assert Comparison.read(trial.write()) == (trial, None, [])
    assert parse_arms(trial.write()["runs"]) == tuple(arms)


def test_a_link_says_where_the_view_begins():
    _, opening, notices = Comparison.read(
        {"by": "confidence", "at": "0.995", "focus": "2", "band": "1", "curve": "risk"}
    )
    assert notices == []
    assert opening == {
        "by": "confidence",
        "at": 0.995,
        "focus": 2,
        "band": True,
        "curve": "risk",
        "bins": "mass",
        "sort": "surest",
    }


@pytest.mark.parametrize(
    ("name", "value"),
    {
        "src": "mars",
        "words": "7",
        "seed": "0",
        "noise": "nan",
        "runs": "magic:3",
        "by": "luck",
        "at": "nan",
        "focus": "3",
        "curve": "up",
        "band": "yes",
        "bins": "3",
        "sort": "-",
        "unknown": "1",
    }.items(),
)
def test_nonsense_in_a_link_costs_a_sentence(name, value):
    check_notice(name, value, Comparison.read, Comparison())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("beam", "give rcms and beam a budget"),
        ("exact:3", "exact none"),
        ("rcms:0", "from 1 to 5,000"),
        ("beam:3x2", "only rcms has passes"),
        ("rcms:3x9", "1 to 5"),
        ("rcms:3@moon", "rcms or beam"),
        ("", "is not"),
        ("exact,exact", "different methods"),
        ("rcms:1,rcms:2,rcms:3,rcms:4,rcms:5", "one to 4"),
    ],
)
def test_methods_that_cannot_be_read(text, said):
    with pytest.raises(ValueError, match=said):
        parse_arms(text)


def test_each_method_reads_with_what_it_learnt():
    assert [model_of(Comparison(), arm) for arm in USUAL] == [
        "handwriting-pen",
        "handwriting-pen-beam",
        "handwriting-pen",
    ]
    models = {model_of(Comparison(source), arm) for source in ("pen", "kassel") for arm in OFFERED}
    assert models <= set(rv.shipped_models())
    assert len({arm.name for arm in OFFERED}) == len(OFFERED)


CHECKPOINT = "pen:60:0,rcms:4,step:50"


def test_a_training_of_the_learn_page_is_a_method():
    arm = trained_arm(CHECKPOINT)
    assert (arm.name, arm.row.budget, str(arm)) == ("RCMS 4 after 50 examples", 4, "@pen:60:0;rcms:4;step:50")
    trial = Comparison(words=50, arms=(*USUAL[:1], arm))
    assert Comparison.read(trial.write()) == (trial, None, [])
    payload = runs.payload_of(trial)
    assert "model=pen%3A60%3A0%2Crcms%3A4%2Cstep%3A50" in payload["methods"][1]["query"]
    shown, _, notices = WordQuestion.read(answer.step_query(trial, 3, arm))
    assert (notices, shown.subject.model, str(shown.methods[0])) == ([], CHECKPOINT, "rcms:4")


def test_a_training_is_not_tested_on_what_it_has_learnt():
    arms = (trained_arm("pen:60:1,rcms:4,step:50"),)
    with pytest.raises(ValueError, match="pens 1"):
        runs.payload_of(Comparison(words=50, seed=1, arms=arms))
    check_unseen(Comparison(words=50, seed=2, arms=arms))
    check_unseen(Comparison("kassel", seed=1, arms=arms))
    with pytest.raises(ValueError, match="uploaded file"):
        trained_arm("upload:abc,rcms:4,step:50")


def test_the_trainings_of_this_session_are_offered_as_far_as_they_are():
    plan = LearnQuestion(methods=(MethodChoice("rcms", 4), MethodChoice("exact")))
    kept = [SimpleNamespace(checkpoints=[SimpleNamespace(step=step) for step in steps]) for steps in ([10, 30], [])]
    run = SimpleNamespace(snapshots=lambda: kept)
    assert [arm.name for arm in models_in_training(run, plan)] == ["RCMS 4 after 30 examples"]
    assert models_in_training(None, None) == []
    assert models_in_training(run, replace(plan, origin="upload", upload="a")) == []


@pytest.mark.parametrize("ties", [False, True])
def test_the_payload_counts_what_a_threshold_answers(ties):
    data, answers = random_answers(3, ties=ties)
    payload = build_precision(data, [answers])
    (method,) = payload["methods"]
    assert method["threshold"] == sorted(set(answers.confidence.tolist()), reverse=True)
    for threshold, answered, right in zip(method["threshold"], method["answered"], method["right"], strict=True):
        given_ = [word for word in range(len(data)) if answers.confidence[word] >= threshold]
        assert sorted(method["order"][:answered]) == given_
        assert right == sum(answers.correct[word] for word in given_)
        assert right == sum(method["decoded"][word] is None for word in given_)
    for word, decoded in enumerate(method["decoded"]):
        assert decoded is None or decoded == answers.decoded[word].tolist() != payload["gold"][word]
    assert json.loads(json.dumps(payload, allow_nan=False)) == payload


@pytest.mark.parametrize("seed", range(5))
def test_the_ceiling_is_the_best_precision_where_enough_is_answered(seed):
    _, answers = random_answers(seed)
    confidence, correct = answers.confidence, answers.correct
    thresholds = sorted(set(confidence), reverse=True)
    enough = [t for t in thresholds if np.mean(confidence >= t) >= LEAST]
    best = max(correct[confidence >= t].mean() for t in enough)
    found = thresholds[most_precise_index(confidence, correct)]
    assert correct[confidence >= found].mean() == best
    assert found == min(t for t in enough if correct[confidence >= t].mean() == best)


def test_images_are_packed_bit_by_bit():
    word = write_word("ok", seed=3)
    data, answers = random_answers(0, N=1)
    payload = build_precision(data, [answers], images=[word.images])
    bits = np.unpackbits(np.frombuffer(bytes.fromhex(payload["images"][0]), np.uint8))
    np.testing.assert_array_equal(bits.reshape(word.images.shape), word.images)
    assert payload["size"] == [16, 8]


@pytest.mark.parametrize(
    ("options", "count", "said"),
    [
        ({}, 0, "shows one to 4"),
        ({}, 5, "shows one to 4"),
        ({"kinds": ["rcms"]}, 2, "1 kinds where 2"),
        ({"links": ["a"]}, 1, "1 links where 40"),
    ],
)
def test_what_cannot_be_shown(options, count, said):
    data, answers = random_answers(0)
    with pytest.raises(ValueError, match=said):
        build_precision(data, [answers] * count, **options)
    with pytest.raises(ValueError, match="40 .* 2 sequences"):
        build_precision(data.take([0, 1]), [answers])


def test_a_word_opens_in_step_as_it_was_read():
    trial = Comparison(words=50, seed=4, noise=0.02)
    payload = runs.payload_of(trial)
    for number, word in enumerate(answer.words_of(*answer.words_key(trial))[:5]):
        query = answer.step_query(trial, number, USUAL[1])
        shown, _, notices = WordQuestion.read(query)
        assert notices == []
        assert shown.write() == query, "Step would write another link, and the way back would lead to Step"
        assert dict(parse_qsl(f"{payload['links'][number]}&{payload['methods'][1]['query']}")) == query
        assert (shown.subject.model, str(shown.methods[0])) == ("handwriting-pen-beam", "beam:10")
        written = write_word(shown.subject.text, shown.subject.seed, noise=shown.subject.noise)
        np.testing.assert_array_equal(written.images, word.images)


SMALL = {"words": "50", "runs": "rcms:4,exact"}


def test_the_page_opens_with_what_the_link_says():
    session = opened("precision/page.py", **SMALL)
    assert not session.exception
    assert not session.error
    assert not session.warning
    assert session.title[0].value == "Precision: when to trust an answer"
    assert link_of(session) == {"src": "pen", "words": "50", "seed": "1", "runs": "rcms:4,exact"}
    assert session.number_input(key="precision.words").value == 50


def test_widgets_change_the_link_and_the_browsers_part_stays():
    session = opened("precision/page.py", **SMALL, at="0.9", by="share")
    session.number_input(key="precision.words").set_value(60).run()
    assert not session.exception
    assert link_of(session) == {
        "src": "pen",
        "words": "60",
        "seed": "1",
        "runs": "rcms:4,exact",
        "at": "0.9",
        "by": "share",
    }
    assert session.session_state["precision.value"] == Comparison(
        words=60, arms=(ComparedMethod(budget=4), ComparedMethod("exact"))
    )


def test_a_notice_on_a_link_stays_until_the_question_changes():
    """Notices stay if the page runs by itself, as after judging mistakes."""
    session = opened("precision/page.py", **SMALL, at="-5")
    assert "at=-5" in texts(session.warning) and "at=-5" in texts(session.run().warning)
    session.number_input(key="precision.words").set_value(60).run()
    assert not session.warning


def test_no_method_and_too_many_show_an_error():
    session = opened("precision/page.py", **SMALL)
    session.session_state["precision.arms"] = []
    assert "at least one method" in texts(session.run().info)
    session.session_state["precision.arms"] = list(OFFERED[:5])
    session.run()
    assert "5 methods are too many" in texts(session.info)
    assert not session.exception


def test_without_kassels_words_the_page_says_how_to_get_them(monkeypatch):
    monkeypatch.setattr(registry, "find", lambda name: None)
    answer.kassel_words.cache_clear()
    RESULT_CACHE.clear()
    session = opened("precision/page.py", src="kassel")
    assert "rcmviz data get ocr" in texts(session.info)
    assert not session.exception
    assert not session.get("doc_string")  # Streamlit's output of a bare expression
