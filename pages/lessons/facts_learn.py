"""Facts of Learn: what the epochs of a training were like, made here and now."""

import math
from functools import lru_cache

from pages.learn.data import load_data
from pages.learn.link import method_of
from pages.lessons.facts import fact
from rcmviz.learn.trainer import Trainer


def _method(name):
    return fact(f"method.{name}", "learn")


@fact("view.words", "learn")
def words(view, who):
    """How many words are learned from."""
    return len(load_data(view.source).train)


@fact("view.held_out", "learn")
def held_out(view, who):
    """How many words are held out."""
    return len(load_data(view.source).held_out)


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


def _state(view, who, epoch):
    found = [one for one in view.trainings if who in (str(method_of(one)), one.method)]
    if len(found) != 1:
        raise ValueError(f"{who!r} is {len(found)} of the methods here: {', '.join(map(str, view.methods))}")
    if not isinstance(epoch, int) or not 1 <= epoch <= found[0].epochs:
        raise ValueError(f"epoch {epoch!r}: a whole number from 1 to {found[0].epochs} is wanted here")
    return _courses(view.source, found[0]).state(epoch)


@_method("lost")
def lost(view, who, epoch):
    """The share of the examples of an epoch whose right answer the method had dropped."""
    return _state(view, who, epoch).lost


@_method("accuracy")
def accuracy(view, who, epoch):
    """The share of the words held out that it reads right after an epoch."""
    return _state(view, who, epoch).accuracy


@_method("log_likelihood")
def log_likelihood(view, who, epoch):
    """The mean log-likelihood of the examples of an epoch, in nats."""
    return _state(view, who, epoch).log_likelihood


@_method("likelihood")
def likelihood(view, who, epoch):
    """The probability that it gives to the right answer, on average: e to the mean log-likelihood of an epoch."""
    return math.exp(_state(view, who, epoch).log_likelihood)


@_method("mean_length")
def mean_length(view, who, epoch):
    """How many labels contexts remembered in an epoch, by mass."""
    return _state(view, who, epoch).mean_length


@_method("confidence")
def confidence(view, who, epoch):
    """The mean probability of what it reads on the words held out, after an epoch."""
    return _state(view, who, epoch).confidence
