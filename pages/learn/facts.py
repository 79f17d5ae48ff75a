"""Facts of Learn: accuracy, likelihood and losses of each epoch, from trainings run on demand."""

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
    """Return the question, since there is no answer before a training."""
    return question


def points(question, view_state, payload):
    """Return the charts, and the slider through the checkpoints."""
    return {"curve": [CURVES], "slider": [{"checkpoint"}]}


def words(question):
    """The number of training words."""
    return len(load_data(question.source).train)


def held_out(question):
    """The number of held-out words."""
    return len(load_data(question.source).held_out)


class _LazyTraining:
    """A training whose epochs are computed on demand."""

    def __init__(self, source, training):
        data = load_data(source)
        self.trainer, self.states = Trainer(data.train, training, data.held_out), []

    def state(self, epoch):
        """Return the state of the training after an epoch, from 1."""
        while len(self.states) < epoch:
            self.states.append(self.trainer.advance())
        return self.states[epoch - 1]


_training = lru_cache(maxsize=8)(_LazyTraining)


def _state(question, method, epoch):
    found = [one for one in question.trainings if method in (str(method_of(one)), one.method)]
    if len(found) != 1:
        raise ValueError(f"{method!r} is {len(found)} of the methods here: {', '.join(map(str, question.methods))}")
    if not isinstance(epoch, int) or not 1 <= epoch <= found[0].epochs:
        raise ValueError(f"epoch {epoch!r}is not a whole number from 1 to {found[0].epochs}")
    return _training(question.source, found[0]).state(epoch)


def lost(question, method, epoch):
    """The share of the examples of an epoch whose right answer the method had dropped."""
    return _state(question, method, epoch).lost


def accuracy(question, method, epoch):
    """The share of held-out words read right after an epoch."""
    return _state(question, method, epoch).accuracy


def log_likelihood(question, method, epoch):
    """The mean log-likelihood of the examples of an epoch, in nats."""
    return _state(question, method, epoch).log_likelihood


def likelihood(question, method, epoch):
    """The geometric mean of the probability of the right answer: e to the mean log-likelihood of an epoch."""
    return math.exp(_state(question, method, epoch).log_likelihood)


def mean_length(question, method, epoch):
    """The mean number of labels in a context in an epoch, weighted by mass."""
    return _state(question, method, epoch).mean_length


def confidence(question, method, epoch):
    """The mean probability of the best output on held-out words, after an epoch."""
    return _state(question, method, epoch).confidence
