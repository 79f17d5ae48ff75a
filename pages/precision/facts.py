"""Facts of Precision: how many words methods read, how sure they are, how many they may answer."""

import numpy as np

from pages.precision.answer import answers_of, words_key
from pages.precision.methods import model_of
from rcmviz.evaluation.confidence import precision_curve, recall_at_precision


def source(question):
    """Facts are computed from the answers of one method, not from the payload."""
    return question


def points(question, view_state, payload):
    """The slider, the curve of each method, its number."""
    numbers = {str(number) for number in range(1, len(question.arms) + 1)}
    return {"slider": [{"threshold"}], "curve": [{arm.name for arm in question.arms}], "method": [numbers]}


def _answers(question, method):
    """The Answers of the method of that name, ``beam`` or ``beam:10``; ValueError if there is none."""
    found = [arm for arm in question.arms if method in (str(arm), arm.kind)]
    if len(found) != 1:
        raise ValueError(f"{method!r} is {len(found)} of the methods here: {', '.join(map(str, question.arms))}")
    return answers_of(words_key(question), model_of(question, found[0]), found[0].row)


def words(question):
    """How many words are read."""
    return len(_answers(question, str(question.arms[0])).correct)


def accuracy(question, method):
    """The share of the words that are read right."""
    return float(_answers(question, method).correct.mean())


def mean_confidence(question, method):
    """The mean of the confidences."""
    return float(_answers(question, method).confidence.mean())


def answered(question, method, precision):
    """The largest share of the words that can be answered so that this share of the answers is right."""
    answers = _answers(question, method)
    return float(recall_at_precision(answers.confidence, answers.correct, precision))


def can_promise(question, method, share):
    """The highest precision with which at least this share of the words is answered."""
    answers = _answers(question, method)
    answered, precision = precision_curve(answers.confidence, answers.correct)
    return float(np.max(precision[answered >= share - 1e-12]))


def mistakes_above(question, method, confidence):
    """How many words it misreads with at least this confidence."""
    answers = _answers(question, method)
    return int((~answers.correct & (answers.confidence >= confidence)).sum())


def sure_above(question, method, confidence):
    """How many words it reads with at least this confidence."""
    return int((_answers(question, method).confidence >= confidence).sum())
