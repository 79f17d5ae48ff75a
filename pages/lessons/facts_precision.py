"""Facts of Precision: how many words methods read, how sure they are, how many they may answer."""

import numpy as np

from pages.lessons.facts import fact
from pages.precision.answers import answers_of, model_of, words_key
from rcmviz.evaluation.confidence import precision_curve, recall_at_precision


def _method(name):
    return fact(f"method.{name}", "precision")


def _answers(view, who):
    """The Answers of the method that ``who`` names, ``beam`` or ``beam:10``; ValueError where there is none."""
    found = [arm for arm in view.arms if who in (str(arm), arm.kind)]
    if len(found) != 1:
        raise ValueError(f"{who!r} is {len(found)} of the methods here: {', '.join(map(str, view.arms))}")
    return answers_of(words_key(view), model_of(view, found[0]), found[0].row)


@fact("view.words", "precision")
def words(view, who):
    """How many words are read."""
    return len(_answers(view, str(view.arms[0])).correct)


@_method("accuracy")
def accuracy(view, who):
    """The share of the words that are read right."""
    return float(_answers(view, who).correct.mean())


@_method("mean_confidence")
def mean_confidence(view, who):
    """The mean of the confidences."""
    return float(_answers(view, who).confidence.mean())


@_method("answered")
def answered(view, who, precision):
    """The largest share of the words that can be answered so that this share of the answers is right."""
    answers = _answers(view, who)
    return float(recall_at_precision(answers.confidence, answers.correct, precision))


@_method("can_promise")
def can_promise(view, who, share):
    """The highest precision with which at least this share of the words is answered."""
    answers = _answers(view, who)
    answered, precision = precision_curve(answers.confidence, answers.correct)
    return float(np.max(precision[answered >= share - 1e-12]))


@_method("mistakes_above")
def mistakes_above(view, who, confidence):
    """How many words it misreads with at least this confidence."""
    answers = _answers(view, who)
    return int((~answers.correct & (answers.confidence >= confidence)).sum())


@_method("sure_above")
def sure_above(view, who, confidence):
    """How many words it reads with at least this confidence."""
    return int((_answers(view, who).confidence >= confidence).sum())
