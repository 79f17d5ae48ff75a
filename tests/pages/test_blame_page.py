"""Strips of budgets in the background: their results, and when they rerun the page."""

from concurrent.futures import Future
from threading import Event

import pytest

import rcmviz as rv
from pages.shell import background
from pages.shell.background import POLL_SECONDS, BackgroundThread
from pages.word import blame, runs
from pages.word.question import WordQuestion
from rcmviz.views.word.blame import SEARCHING, strip_part

USUAL = WordQuestion(compares=True)


def settings_of(**query):
    return USUAL.read({"src": "pen", "word": "low", "seed": "3"} | query, USUAL)[0]


@pytest.fixture
def asked(monkeypatch):
    """Collect the conditions on which the page would run again."""
    found = []
    monkeypatch.setattr(blame._SEARCHES, "rerun_on_news", lambda _, is_news: found.append(is_news))
    return found


def test_strips_equal_the_librarys_with_each_methods_edits():
    settings = settings_of(runs="beam:2,exact,rcms:2", edits="1b1:7")
    problem = runs.problem_of(settings.subject)
    beam, exact, rcms = blame.found_strips(settings)
    given = problem.model, problem.log_emit, problem.gold
    assert beam == strip_part(rv.budget_strip(*given, "beam", budgets={1: 7}), 2)
    assert rcms == strip_part(rv.budget_strip(*given, "rcms"), 2)
    assert exact is None


def test_a_strip_computed_during_the_run_is_shown_too(asked):
    """The page runs again if the shown strips differ from the present ones."""
    settings = settings_of(runs="beam:3")
    blame.found_strips(settings)
    blame.look_again(settings, [SEARCHING])
    (is_news,) = asked
    assert is_news()
    blame.look_again(settings, blame.strips_of(settings))
    assert len(asked) == 1


def test_a_strip_whose_process_keeps_dying_is_omitted(monkeypatch):
    def die(*_):
        raise ValueError("the process that computed this has died 3 times")

    monkeypatch.setattr(blame, "compute", die)
    assert blame.found_strips(settings_of(runs="beam:6", seed="8")) == [None]


def test_the_last_in_the_queue_polls_rarely():
    go, line = Event(), BackgroundThread("tests")
    assert line.poll_seconds == POLL_SECONDS
    works = [line.task(go.wait), *(line.task(int, "7") for _ in range(3))]
    assert line.poll_seconds == POLL_SECONDS, "work that has not begun is not waited for"
    for work in works:
        work.start()
    *_, last = works
    assert line.poll_seconds == 4 * POLL_SECONDS
    go.set()
    assert last.result() == 7


def test_a_method_that_fails_with_some_budget_has_no_strip(monkeypatch):
    def refuse(*_, **__):
        raise ValueError("no history was complete")

    monkeypatch.setattr(rv, "budget_strip", refuse)
    settings = settings_of(runs="bestfirst:4", seed="9")
    assert blame.found_strips(settings) == [None]


def test_errors_are_raised_by_result():
    line = BackgroundThread("tests")
    failed, done = line.task(int, "x"), line.task(int, "7")
    assert done.result() == 7
    with pytest.raises(ValueError, match="invalid literal"):
        failed.result()


def test_skipped_work_is_not_done_and_work_begun_twice_is_done_once():
    line, done = BackgroundThread("tests"), []
    passed, begun = line.task(done.append, "passed"), line.task(done.append, "begun")
    begun.start()
    begun.start()
    assert begun.result() is None and line.task(int, "7").result() == 7
    assert done == ["begun"] and not passed.done()


def test_the_first_tick_begins_the_work_of_the_page(monkeypatch):
    """A page that was left before has none."""
    ticks, line = [], BackgroundThread("tests")
    monkeypatch.setattr(background, "clock", lambda _, key, on_tick: ticks.append(on_tick))
    works = [line.task(int, number) for number in "78"]
    background._poll.__wrapped__(line, works, lambda: False)
    assert line.task(int, "9").result() == 9 and not any(work.done() for work in works)
    (on_tick,) = ticks
    on_tick()
    assert [Future.result(work) for work in works] == [7, 8]  # which begins nothing itself
