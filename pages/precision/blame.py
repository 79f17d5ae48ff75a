"""Diagnosis of the mistakes behind the curve, computed in the background method by method."""

from functools import lru_cache

from pages.precision import answer as answers
from pages.precision.methods import model_of
from pages.shell.background import BackgroundThread
from pages.shell.computing import compute
from pages.word.runs import model_named
from rcmviz.evaluation.blame import blame_answers
from rcmviz.views.precision.blame import blame_rows

MOST_BUDGETS = 100  # tried for each search error of a file
SECONDS_PER_MISTAKE = 0.02  # estimated

_DIAGNOSES = BackgroundThread("verdicts")


def verdicts_of(trial):
    """Return the verdicts of each method as JSON, None until they are computed."""
    return [blame_rows(one.result(), MOST_BUDGETS) if one.done() else None for one in _tasks_of(trial)]


def rerun_on_verdicts(trial, shown):
    """Run the page again when the verdicts of more methods are known than ``shown``."""
    known = len(shown) - shown.count(None)
    if known < len(shown):
        _DIAGNOSES.rerun_on_news(_tasks_of(trial), lambda: sum(one is not None for one in verdicts_of(trial)) > known)


def _tasks_of(trial):
    return [_task_for(answers.words_key(trial), model_of(trial, arm), arm.row) for arm in trial.arms]


@lru_cache(maxsize=24)
def _task_for(words, model, method):
    return _DIAGNOSES.task(_diagnose, words, model, method)


def _diagnose(words, model, method):
    given = answers.answers_of(words, model, method)
    seconds = SECONDS_PER_MISTAKE * float((~given.correct).sum())
    data = answers.sequences_of(*words)
    return compute(seconds, blame_answers, model_named(model), data, method, given, MOST_BUDGETS)
