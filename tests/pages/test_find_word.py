"""The prepared words on which beam search and RCMS differ, and the regret of the word on the page."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

import rcmviz as rv
from pages.word import find_word, regrets, runs
from pages.word.question import Subject, WordQuestion
from rcmviz.core.methods import MethodChoice
from rcmviz.evaluation.disagreements import FILTERS
from rcmviz.tasks.handwriting.pen import write_word
from rcmviz.tasks.handwriting.problems import problem_from_word


@pytest.mark.parametrize("kind", find_word.KINDS)
def test_prepared_words_differ_as_their_sentence_says(kind):
    """Of every budget the first word is read again; every kind of every budget has one."""
    assert set(find_word.index()) == {(kind, budget) for kind in find_word.KINDS for budget in find_word.BUDGETS}
    model = rv.load_model("handwriting-pen")
    for budget in find_word.BUDGETS:
        text, seed, position = find_word.words_of(kind, budget)[0]
        problem = problem_from_word(model, write_word(text, seed=seed), "handwriting-pen")
        table = rv.disagreements([problem], methods=(f"beam:{budget}", f"rcms:{budget}"), show=kind, regrets=0)
        assert len(table) == 1, FILTERS[kind].sentence
        side = "second" if kind in ("harmed", "second-budget") else "first"
        lost = table[f"{side}_position"].fillna(1)[0]
        assert position == lost


def test_the_regret_of_a_view_is_the_librarys():
    """Exact where it is small; a long word's is an estimate; a repair is one of the rows."""
    settings = WordQuestion(Subject(text="consider", seed=15), (MethodChoice("beam", 4), MethodChoice("exact")), True)
    (found, exact), problem = regrets.regrets_of(settings), runs.problem_of(settings.subject)
    _, trace = rv.beam(problem.model, problem.log_emit, 4)
    expected = rv.regret(problem.model, problem.log_emit, trace, problem.gold)
    rows = regrets.rows_of(found)
    assert rows["regret"] == expected.by_position.tolist()
    assert rows["should be kept"][4] == "consi" and "keep `consi` instead of" in regrets.repair_sentence(found)
    assert exact is None
    long = replace(settings, subject=Subject(text="consider" * 2, seed=15), methods=(MethodChoice("rcms", 3),))
    assert regrets.regrets_of(long)[0].is_estimate


@pytest.mark.parametrize("compares", [True, False])
def test_a_word_opens_where_it_was_lost_with_its_budget(compares):
    opened = []
    view = WordQuestion(compares=compares)
    words = tuple(find_word.words_of("saved", 3, 9))
    find_word._open(SimpleNamespace(view=view, open_next_run=opened.append), words, 3)
    (found,) = opened
    assert (found.subject.text, found.subject.seed, found.position) in words
    assert [str(method) for method in found.methods] == (["beam:3", "rcms:3"] if compares else ["rcms:3"])
    assert found.write()["word"] == found.subject.text
