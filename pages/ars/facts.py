"""Facts of ARS: the sequences that the rounds tried, the bounds, and the proved answer."""

import math

CURVES = {"decode": {"q falls, p is found", "log Z", "size of q"}, "sample": {"acceptance", "log Z", "size of q"}}
SLACK = 2e-4  # nats by which q is drawn above p; payloads are rounded to half of it


def points(question, view_state, payload):
    """Return the charts and the slider of a run, and its words."""
    if not question.has_rounds:
        return {}
    words = {str(i) for i in range(1, payload()["T"] + 1)}
    return {"curve": [CURVES[question.asks]], "slider": [{"round", "trial"}], "word": [words], "arc": [words]}


def _rounds(payload):
    """Return the rounds of a run; ValueError on other tabs."""
    if "rounds" not in payload:
        raise ValueError("this is a fact of the tabs keypad and tagging")
    return payload["rounds"]


def _number(value, many, name):
    """Return a number that counts from 1 as an index from 0; ValueError if it is out of range."""
    if not isinstance(value, int) or not 1 <= value <= many:
        raise ValueError(f"{name} {value!r} is not a whole number from 1 to {many}")
    return value - 1


def _trial(payload, round):
    return _number(round, len(_rounds(payload)["logQ"]), "round")


def _word(payload, word):
    _rounds(payload)
    return _number(word, payload["T"], "word")


def _tried(payload, trial):
    """Return the index of the sequence that a trial tried."""
    return payload["sequences"]["of"][trial]


def _words(payload, sequence):
    """Return the words of a sequence without the end of the message."""
    named = [payload["names"][word] for word in payload["sequences"]["words"][sequence]]
    return [word for word in named if word != "</s>"]


def _nats(value):
    """Return a log probability of the payload, where that of 0 is missing."""
    return -math.inf if value is None else value


def _best(payload):
    """Return the words of the answer; ValueError for draws, which have many."""
    _rounds(payload)
    if payload["mode"] != "decode":
        raise ValueError("this is a fact of decoding, mode=decode")
    return payload["result"]["words"]


def answer(payload):
    """The best message or the best tags, as one text."""
    return " ".join(_best(payload))


def rounds(payload):
    """The number of rounds."""
    return len(_rounds(payload)["logQ"])


def proved_at(payload):
    """The round at which the answer was proved; none if it was not."""
    return rounds(payload) if _rounds(payload) and payload["result"]["stopped"] == "proved" else None


def found_at(payload):
    """The first round that tried the answer."""
    best, sequences = _best(payload), payload["sequences"]
    return next(first + 1 for k, first in enumerate(sequences["first"]) if _words(payload, k) == best)


def choices(payload, word):
    """The number of candidates of a word of the message."""
    return payload["candidates"][_word(payload, word)]


def messages(payload):
    """The number of messages that the keys could mean."""
    _rounds(payload)
    return math.prod(payload["candidates"])


def words(payload, round):
    """The sequence that a round tried, as one text."""
    return " ".join(_words(payload, _tried(payload, _trial(payload, round))))


def overrated(payload, round):
    """The word of a round whose bound was furthest above the truth; none if the bound was exact."""
    trial = _trial(payload, round)
    tried = _tried(payload, trial)
    bounds, truths = _rounds(payload)["bound"][trial], payload["sequences"]["logProb"][tried]
    excess = [_nats(bound) - _nats(truth) for bound, truth in zip(bounds, truths, strict=True)]
    worst = max(range(len(excess)), key=lambda i: (excess[i], i))
    return payload["names"][payload["sequences"]["words"][tried][worst]] if excess[worst] > SLACK else None


def charged(payload, round, word):
    """The log probability of a word of a round under q, in nats."""
    return _nats(_rounds(payload)["bound"][_trial(payload, round)][_word(payload, word)])


def truth(payload, round, word):
    """The log probability of that word under the language model, in nats."""
    tried = _tried(payload, _trial(payload, round))
    return _nats(payload["sequences"]["logProb"][tried][_word(payload, word)])


def excess(payload, round):
    """By how many nats q was above p for the sequence of a round."""
    return log_q(payload, round) - score_of(payload, round)


def gap(payload, round):
    """How far the bound was above the best message found by then, in nats."""
    trial = _trial(payload, round)
    return log_q(payload, round) - max(score_of(payload, before + 1) for before in range(trial + 1))


def log_q(payload, round):
    """The log of the bound in a round: no message has more, in nats."""
    return _nats(_rounds(payload)["logQ"][_trial(payload, round)])


def states(payload, round=None):
    """The number of states of the automaton after a round, by default the last one."""
    return _rounds(payload)["states"][-1 if round is None else _trial(payload, round)]


def all_states(payload):
    """The number of states of the lattice with all histories that the language model distinguishes."""
    _rounds(payload)
    return payload["full"]


def score_of(payload, round):
    """The unnormalized log probability of the sequence of a round, in nats."""
    return _nats(payload["sequences"]["logP"][_tried(payload, _trial(payload, round))])
