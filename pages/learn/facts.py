"""Facts of Learn: what the epochs of a training were like, made here and now."""

import math
from functools import lru_cache

from pages.learn.checkpoint import method_of
from pages.learn.data import load_data
from rcmviz.learn.trainer import Trainer

CURVES = {
    "log-likelihood",
    "held-out accuracy",
    "recall at 99 % precision",
    "labels remembered",
    "gold lost",
    "gradient norm",
}


def source(question):
    """Facts ask the question itself: there is no answer before a training."""
    return question


def points(question, view_state, payload):
    """The charts, and the slider through the checkpoints."""
    return {"curve": [CURVES], "slider": [{"checkpoint"}]}


def words(question):
    """How many words are learned from."""
    return len(load_data(question.source).train)


def held_out(question):
    """How many words are held out."""
    return len(load_data(question.source).held_out)


class _Course:
    """A training, made epoch by epoch as far as somebody asks."""

    def __init__(self, source, training):
        data = load_data(source)
        self.trainer, self.states = Trainer(data.train, training, data.held_out), []

    def state(self, epoch):
        """What the training was like in an epoch, from 1."""
        while len(self.states) < epoch:
            self.states.append(self.trainer.advance())
        return self.states[epoch - 1]


_courses = lru_cache(maxsize=8)(_Course)


def _state(question, method, epoch):
    found = [one for one in question.trainings if method in (str(method_of(one)), one.method)]
    if len(found) != 1:
        raise ValueError(f"{method!r} is {len(found)} of the methods here: {', '.join(map(str, question.methods))}")
    if not isinstance(epoch, int) or not 1 <= epoch <= found[0].epochs:
        raise ValueError(f"epoch {epoch!r}: a whole number from 1 to {found[0].epochs} is wanted here")
    return _courses(question.source, found[0]).state(epoch)


def lost(question, method, epoch):
    """The share of the examples of an epoch whose right answer the method had dropped."""
    return _state(question, method, epoch).lost


def accuracy(question, method, epoch):
    """The share of the words held out that it reads right after an epoch."""
    return _state(question, method, epoch).accuracy


def log_likelihood(question, method, epoch):
    """The mean log-likelihood of the examples of an epoch, in nats."""
    return _state(question, method, epoch).log_likelihood


def likelihood(question, method, epoch):
    """The probability that it gives to the right answer, on average: e to the mean log-likelihood of an epoch."""
    return math.exp(_state(question, method, epoch).log_likelihood)


def mean_length(question, method, epoch):
    """How many labels contexts remembered in an epoch, by mass."""
    return _state(question, method, epoch).mean_length


def confidence(question, method, epoch):
    """The mean probability of what it reads on the words held out, after an epoch."""
    return _state(question, method, epoch).confidence
