"""Whose fault the mistakes behind the curve are: judged beside the page, method by method."""

from functools import lru_cache

from pages.precision import answer as answers
from pages.precision.methods import model_of
from pages.shell.background import BackgroundThread
from pages.shell.computing import compute
from pages.word.runs import model_named
from rcmviz.evaluation.blame import blame_answers
from rcmviz.views.precision.blame import blame_rows

MOST_BUDGETS = 100  # tried for each search error of a file
SECONDS_PER_MISTAKE = 0.02  # by a rough estimate

_JUDGES = BackgroundThread("verdicts")


def verdicts_of(trial):
    """Per method its verdicts as JSON, None until they are there."""
    return [blame_rows(one.result(), MOST_BUDGETS) if one.done() else None for one in _works_of(trial)]


def look_again(trial, shown):
    """Run the page once more when more methods are judged than ``shown``."""
    known = len(shown) - shown.count(None)
    if known < len(shown):
        _JUDGES.rerun_on_news(_works_of(trial), lambda: sum(one is not None for one in verdicts_of(trial)) > known)


def _works_of(trial):
    return [_work_on(answers.words_key(trial), model_of(trial, arm), arm.row) for arm in trial.arms]


@lru_cache(maxsize=24)
def _work_on(words, model, method):
    return _JUDGES.task(_judged, words, model, method)


def _judged(words, model, method):
    given = answers.answers_of(words, model, method)
    seconds = SECONDS_PER_MISTAKE * float((~given.correct).sum())
    data = answers.sequences_of(*words)
    return compute(seconds, blame_answers, model_named(model), data, method, given, MOST_BUDGETS)
