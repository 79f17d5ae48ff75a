"""Facts of ARS: what the rounds of adaptive rejection tried, what they knew by then, what is proved in the end."""

import math

import numpy as np

from pages.ars.runs import run_of, subject_of
from pages.lessons.facts import fact
from rcmviz.views.ars.payload import full_states


def _view(name):
    return fact(f"view.{name}", "ars")


def _trace(view):
    return run_of(view)[1]


def _trial(view, round):
    """The number of a round among the trials, from 0; ValueError where there is none."""
    rounds = len(_trace(view))
    if not isinstance(round, int) or not 1 <= round <= rounds:
        raise ValueError(f"round {round!r}: a whole number from 1 to {rounds} is wanted here")
    return round - 1


def _place(view, word):
    words = _trace(view).T
    if not isinstance(word, int) or not 1 <= word <= words:
        raise ValueError(f"word {word!r}: a whole number from 1 to {words} is wanted here")
    return word - 1


@_view("answer")
def answer(view, who):
    """The best message or the best tags, as one text."""
    return " ".join(run_of(view)[0].words)


@_view("rounds")
def rounds(view, who):
    """How many rounds there were."""
    return len(_trace(view))


@_view("proved_at")
def proved_at(view, who):
    """The round at which the answer was proved; none where it was not."""
    return len(_trace(view)) if run_of(view)[0].stopped == "proved" else None


@_view("found_at")
def found_at(view, who):
    """The first round that tried the answer."""
    trace, best = _trace(view), run_of(view)[0].words
    return next(k + 1 for k in range(len(trace)) if trace.words(k) == best)


@_view("choices")
def choices(view, who, word):
    """How many candidates a word of the message has."""
    return len(subject_of(view).hmm.candidates[_place(view, word)])


@_view("messages")
def messages(view, who):
    """How many messages the keys could mean."""
    return math.prod(len(words) for words in subject_of(view).hmm.candidates)


@_view("words")
def words(view, who, round):
    """What a round tried, as one text."""
    return " ".join(_trace(view).words(_trial(view, round)))


@_view("overrated")
def overrated(view, who, round):
    """The word of a round for which the bound was furthest above the truth; none where it was exact."""
    trace, trial = _trace(view), _trial(view, round)
    worst, tried = trace.worst(trial), trace.words(trial)
    return None if worst is None else (*tried, "</s>")[worst]


@_view("charged")
def charged(view, who, round, word):
    """The log probability that q gave a word of a round, in nats."""
    return float(_trace(view).log_bound[_trial(view, round), _place(view, word)])


@_view("truth")
def truth(view, who, round, word):
    """The log probability of that word by the language model itself, in nats."""
    return float(_trace(view).log_prob[_trial(view, round), _place(view, word)])


@_view("excess")
def excess(view, who, round):
    """By how many nats q was above p for what a round tried."""
    trial = _trial(view, round)
    return float(_trace(view).log_q[trial] - _trace(view).log_p[trial])


@_view("gap")
def gap(view, who, round):
    """How far the bound was above the best message found by then, in nats."""
    trial, trace = _trial(view, round), _trace(view)
    return float(trace.log_q[trial] - np.max(trace.log_p[: trial + 1]))


@_view("log_q")
def log_q(view, who, round):
    """The log of the bound in a round: no message has more."""
    return float(_trace(view).log_q[_trial(view, round)])


@_view("states")
def states(view, who, round=None):
    """States of the automaton after a round, the last one where none is said."""
    return int(_trace(view).states[-1 if round is None else _trial(view, round)])


@_view("all_states")
def all_states(view, who):
    """States of the lattice that remembers all that the language model can see."""
    return full_states(run_of(view)[1].hmm)


@_view("score_of")
def score_of(view, who, round):
    """The log probability of what a round tried, not normalised."""
    return float(_trace(view).log_p[_trial(view, round)])
