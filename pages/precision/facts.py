"""Facts of Precision: accuracy, confidence and coverage of each method."""

import numpy as np

from pages.precision.answer import answers_of, words_key
from pages.precision.methods import model_of
from rcmviz.evaluation.confidence import precision_curve, recall_at_precision


def source(question):
    """Return the question: facts are computed from one method's answers, not from the payload."""
    return question


def points(question, view_state, payload):
    """Return the slider, the curve of each method, and its number."""
    numbers = {str(number) for number in range(1, len(question.arms) + 1)}
    return {"slider": [{"threshold"}], "curve": [{arm.name for arm in question.arms}], "method": [numbers]}


def _answers(question, method):
    """Return the Answers of the method named ``beam`` or ``beam:10``; ValueError if there is none."""
    found = [arm for arm in question.arms if method in (str(arm), arm.kind)]
    if len(found) != 1:
        raise ValueError(f"{method!r} is {len(found)} of the methods here: {', '.join(map(str, question.arms))}")
    return answers_of(words_key(question), model_of(question, found[0]), found[0].row)


def words(question):
    """The number of words."""
    return len(_answers(question, str(question.arms[0])).correct)


def accuracy(question, method):
    """The share of words read right."""
    return float(_answers(question, method).correct.mean())


def mean_confidence(question, method):
    """The mean confidence."""
    return float(_answers(question, method).confidence.mean())


def answered(question, method, precision):
    """The largest share of words that can be answered with this precision."""
    answers = _answers(question, method)
    return float(recall_at_precision(answers.confidence, answers.correct, precision))


def can_promise(question, method, share):
    """The highest precision at which at least this share of words is answered."""
    answers = _answers(question, method)
    answered, precision = precision_curve(answers.confidence, answers.correct)
    return float(np.max(precision[answered >= share - 1e-12]))


def mistakes_above(question, method, confidence):
    """The number of words misread with at least this confidence."""
    answers = _answers(question, method)
    return int((~answers.correct & (answers.confidence >= confidence)).sum())


def sure_above(question, method, confidence):
    """The number of words read with at least this confidence."""
    return int((_answers(question, method).confidence >= confidence).sum())
