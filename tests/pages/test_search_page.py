"""The Search page without a browser: tabs compared with definitions, invalid input, code."""

import contextlib
import io
from dataclasses import replace

import numpy as np
import pytest

import rcmviz as rv
from pages.search.code import perceptron_code, search_code, searn_code
from pages.search.material import SEED as rolling_seed
from pages.search.page import PAGE
from pages.search.question import SearchQuestion
from pages.search.searches import subject_of
from rcmviz.tasks.tagging.sentences import tagged_sentences
from support.pages import answers_of, opened, texts

runs = answers_of(PAGE)

SMALL = {
    "search": SearchQuestion(word="cat", queue=2, letters=1),
    "perceptron": SearchQuestion(tab="perceptron", words=20, epochs=2, beam=2),
    "searn": SearchQuestion(tab="searn", learnt=20, iterations=2, example=3, order=1),
    "sentence": SearchQuestion(tab="searn", material="sentence", sentences=20, iterations=2, sentence=3, order=1),
}


# --- search


@pytest.mark.parametrize("question", [SMALL["search"], SearchQuestion(subject="message", message="843 364", ahead=1)])
def test_all_searches_are_of_one_model_and_a_star_proves_the_exact_best(question):
    payload = runs.computed(question)
    subject = subject_of(question)
    exact, _ = rv.exact(subject.model, subject.log_emit, record=False)
    best = rv.viterbi(exact)
    assert [payload["labels"][label] for label in payload["best"]["labels"]] == list(best.labels)
    assert payload["best"]["score"] == pytest.approx(best.log_score, abs=1e-3)
    astar, queue, _, greedy, *kept = payload["runs"]
    assert astar["proof"] == len(astar["pops"]) == astar["answers"][0]["pop"]
    assert [value >= payload["best"]["score"] - 1e-3 for value in astar["bound"][: astar["proof"] - 1]]
    assert max(queue["queue"]) <= question.queue and max(greedy["queue"]) <= 1
    for run in kept:  # a tree of the contexts of the builder, each extended once, and its answer
        lattice = subject.run(run["method"], budget=question.queue)
        assert len(run["pops"]) == lattice.offset[lattice.T] + 1
        assert [payload["labels"][label] for label in run["answers"][0]["labels"]] == list(rv.viterbi(lattice).labels)
    lanes = {lane["method"]: lane["points"] for lane in payload["race"]}
    assert {"astar", "rcms", "beam", "queue", "greedy"} == set(lanes)
    assert all(score <= payload["best"]["score"] + 1e-3 for points in lanes.values() for _, score in points)
    assert lanes["beam"][0] == pytest.approx(lanes["greedy"][0])  # a beam of one
    assert lanes["beam"][-1][1] == pytest.approx(payload["best"]["score"], abs=1e-3)


def test_an_answer_is_known_where_the_bound_is_too_loose_for_a_proof():
    payload = runs.computed(SearchQuestion(word="reserving", letters=0))
    assert payload["runs"][0]["proof"] is None and payload["runs"][0]["cut"] > 0
    assert "".join(payload["labels"][label] for label in payload["best"]["labels"]) == "reserving"


def test_the_first_screen_shows_that_a_proof_is_cheaper_than_luck():
    payload = runs.payload_of(SearchQuestion())
    astar, queue, *_ = payload["runs"]
    best = payload["best"]["labels"]
    assert astar["answers"][0]["labels"] == best == payload["gold"]
    assert queue["answers"][0]["labels"] != best
    lanes = {lane["method"]: lane["points"] for lane in payload["race"]}
    reached = next(n for n, score in lanes["beam"] if score == pytest.approx(payload["best"]["score"]))
    assert lanes["astar"][0][0] < reached / 4


# --- perceptron


def test_an_update_is_that_of_the_trainer():
    payload = runs.computed(SMALL["perceptron"])
    assert [len(update["gold"]) == len(update["images"]) for update in payload["updates"]]
    for update in payload["updates"]:
        assert update["found"] != update["gold"]
        for rule, step in update["steps"].items():
            lead = update["lead"]
            assert len(step["guess"]) == step["cut"] <= len(lead)
            assert step["lead"] == pytest.approx(lead[step["cut"] - 1], abs=1e-4)
            if rule == "max-violation":
                assert step["lead"] == pytest.approx(max(lead), abs=1e-4)
            if rule == "early" and update["fell"]:
                assert step["cut"] == update["fell"]
            assert sum(change for _, _, change in step["changes"]) == pytest.approx(0, abs=1e-6)
        for column, gold in zip(update["kept"], update["gold"], strict=False):
            assert len(column) <= 3  # two, and the right one where it fell off but a shorter history stayed
            assert all(label == gold for label, right in column if right)


def test_heat_spreads_the_update_over_all_labels():
    payload = runs.computed(SMALL["perceptron"])
    for update in payload["updates"]:
        cold, *hot = update["heats"]
        assert cold is None and len(hot) == len(payload["taus"]) - 1
        likeliest = [np.mean([row[0][1] for row in heat["shares"]]) for heat in hot]
        assert likeliest == sorted(likeliest, reverse=True) or max(np.diff(likeliest)) < 0.05
        for heat in hot:
            assert all(sum(p for _, p in row) <= 1.01 for row in heat["shares"])


# --- searn


@pytest.mark.parametrize("name", ["searn", "sentence"])
def test_costs_are_the_errors_of_the_output_that_is_shown(name):
    payload = runs.computed(SMALL[name])
    gold, actions = payload["gold"], payload["actions"]
    assert set(gold) <= set(actions)
    first = payload["iterations"][0]
    assert {taken["policy"] for taken in first["rollin"]} == {0}
    assert [taken["label"] for taken in first["rollin"]] == gold
    for iteration in payload["iterations"]:
        assert sum(share for _, share in iteration["mixture"]) == pytest.approx(1)
        before = [taken["label"] for taken in iteration["rollin"]]
        for t, (costs, ends) in enumerate(zip(iteration["costs"], iteration["ends"], strict=True)):
            for action, cost, end in zip(actions, costs, ends, strict=True):
                output = [*before[:t], action, *end]
                assert len(output) == len(gold)
                assert cost == sum(a != b for a, b in zip(output, gold, strict=True))


def test_errors_breed_errors_less_where_it_was_learnt_from_them():
    searn, gold = runs.payload_of(SearchQuestion(tab="searn"))["compounding"]
    late = [
        sum(wrong for e, wrong, _ in one["points"] if e) / sum(n for e, _, n in one["points"] if e)
        for one in (searn, gold)
    ]
    assert late[0] < late[1] - 0.1


def test_a_sentence_is_that_of_the_grammar_and_says_which_tags_it_lacks():
    payload = runs.computed(SMALL["sentence"])
    drawn = [one for one in tagged_sentences(100, rolling_seed) if 4 <= len(one) <= 12]
    words, tags = zip(*drawn[2], strict=True)
    assert (payload["words"], payload["noun"], payload["images"]) == (list(words), "word", None)
    assert tuple(payload["labels"][label] for label in payload["gold"]) == tags
    with pytest.raises(ValueError, match="'one day i read a book in the forest'"):
        runs.computed(replace(SMALL["sentence"], sentence=38))


def test_the_sentence_that_is_shown_first_is_learnt_from_the_errors_of_its_own():
    payload = runs.computed(SearchQuestion(tab="searn", material="sentence"))
    searn, gold = payload["compounding"]
    late = [
        sum(wrong for e, wrong, _ in one["points"] if e) / sum(n for e, _, n in one["points"] if e)
        for one in (searn, gold)
    ]
    assert late[0] < late[1] - 0.1
    shown = payload["iterations"][payload["first"] - 1]
    assert sum(taken["label"] != right for taken, right in zip(shown["rollin"], payload["gold"], strict=True)) > 1


# --- the page


def test_a_sentence_opens_by_its_link_and_is_left_for_a_word():
    session = opened("search/page.py", view="searn", of="sentence", learnt="20", iterations="1", example="3")
    assert not session.exception and not session.error and not session.warning
    question = session.session_state["search.value"]
    assert (question.material, question.sentences, question.sentence) == ("sentence", 20, 3)
    assert question.write() == {"view": "searn", "of": "sentence", "learnt": "20", "iterations": "1", "example": "3"}
    session.selectbox(key="search.material").set_value("word").run()
    assert not session.exception and not session.error
    assert session.session_state["search.value"].write() == {"view": "searn", "iterations": "1"}


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (SearchQuestion(word=" "), "no word to search"),
        (SearchQuestion(word="naïve!"), "only"),
        (SearchQuestion(subject="message", message=""), "empty"),
        (SearchQuestion(subject="message", message="ж"), "no key"),
        (SearchQuestion(subject="message", message="1 " * 11), "too many to draw"),
    ],
)
def test_an_impossible_search_shows_an_error(question, said):
    with pytest.raises(ValueError, match=said):
        runs.computed(question)


def test_what_cannot_be_answered_is_no_error_of_the_page():
    session = opened("search/page.py", of="message", message="9 9")
    assert not session.exception
    session.text_input(key="search.message").set_value("ä").run()
    assert not session.exception
    assert session.session_state["search.value"].message == "ä"
    session.selectbox(key="search.subject").set_value("word").run()
    assert not session.exception


def test_nonsense_in_the_link_costs_a_notice():
    session = opened("search/page.py", view="mars", queue="0", step="x", method="dfs", tau="9")
    assert not session.exception
    said = texts(session.warning)
    assert all(part in said for part in ("one of search", "from 1 to 1,000", "one of astar"))
    assert session.session_state["search.value"] == SearchQuestion()


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        (search_code(SearchQuestion()), "('j', 'u', 's', 't', 'i', 'c', 'e')"),
        (search_code(SearchQuestion(subject="message", message="the 364", queue=3)), "('the', 'dog'"),
        (perceptron_code(SMALL["perceptron"]), "'max-violation'"),
        (searn_code(SMALL["searn"]), "[0.0"),
        (searn_code(SMALL["sentence"]), "'NOUN']] [0.0"),
    ],
)
def test_the_code_runs(code, wanted):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(code, {})
    assert wanted in said.getvalue()
