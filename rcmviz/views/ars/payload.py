"""A finished ARS run → the plain JSON that the page draws: its trials, the sequences they found, the states of q.

The payload has all rounds, so playing needs no server. A sequence is sent once, however often it is
drawn; a trial has only its bounds under q at that time.
"""

import math
from typing import NamedTuple

import numpy as np

from rcmviz.views.word.payload import digest, number

MOST_ROUNDS = 6_000  # a round takes about 120 bytes
MOST_STATES = 20_000


def build_ars(trace, result, *, title="", inputs=None, gold=(), term="word", code=None):
    """Build the payload of the ARS view, which plays the rounds of a run and opens at the last one.

    ``trace`` an ArsTrace with its ``result``, a Best or Draws · ``inputs`` the observation of each position, as text ·
    ``gold`` the correct words, if known · ``term`` what a label is called · ``code`` shown by "show code". Only the
    first 6,000 trials and 20,000 states are shown. ValueError if inputs or gold do not fit the positions.
    """
    _check(trace, inputs, gold)
    R, cut = _count_shown_trials(trace, result)
    names = _names(trace, R)
    payload = {
        "version": 1,
        "mode": trace.settings["mode"],
        "title": title,
        "term": term,
        "T": trace.hmm.T,
        "order": trace.hmm.order,
        "full": full_states(trace.hmm),
        "candidates": _widths(trace.hmm),
        "inputs": ["" if text is None else str(text) for text in _pad_inputs(inputs, trace.hmm.T)],
        "gold": _pad_inputs(gold, trace.hmm.T),
        "cut": cut,
        "names": names.names,
        "sequences": _sequences(trace, R, names.of_columns),
        "rounds": _rounds(trace, R),
        "states": _states(trace, R, names.of_states),
        "result": _result_payload(result),
        "code": code,
    }
    return payload | {"id": digest(payload), "round": R}


def _check(trace, inputs, gold):
    for name, given in (("inputs", inputs), ("gold words", gold)):
        if given and not 0 <= trace.hmm.T - len(given) <= 1:
            raise ValueError(f"{len(given)} {name} for {trace.hmm.T} positions")


def _count_shown_trials(trace, result):
    """(How many trials are shown, whether more are cut off): up to the last draw; a batch may bring more than asked."""
    R = min(len(trace), MOST_ROUNDS, max(1, int(np.searchsorted(trace.states, MOST_STATES, side="right"))))
    taken = np.flatnonzero(trace.accepted[:R])
    draws = len(result.words) if trace.settings["mode"] == "sample" else 0
    return (int(taken[draws - 1]) + 1, False) if 0 < draws <= len(taken) else (R, len(trace) > R)


def _pad_inputs(inputs, T):
    """One entry per position; the end of the sentence has no observation."""
    return [*(inputs or []), *[None] * T][:T]


def full_states(hmm):
    """The number of states of a lattice with all histories of N − 1 words, for a model of order N, and one end.

    >>> from types import SimpleNamespace
    >>> full_states(SimpleNamespace(choices=np.zeros((3, 10), int), order=3))
    112
    """
    widths = _widths(hmm)
    return 1 + sum(math.prod(widths[max(0, i - hmm.order + 1) : i]) for i in range(len(widths)))


def _widths(hmm):
    """The number of candidates of each position."""
    return (hmm.choices >= 0).sum(axis=1).tolist()


class _Names(NamedTuple):
    """Names of the words that occur, the word of each column per position (T, Y), of each state (S,), −1: root."""

    names: list
    of_columns: np.ndarray
    of_states: np.ndarray


def _names(trace, R):
    """The ``_Names`` of the first R trials."""
    choices = trace.hmm.choices
    remembered = trace.length > 0
    state_labels = np.full(len(trace.label), -1)
    state_labels[remembered] = choices[trace.column[remembered] - 1, trace.label[remembered]]
    path_labels = choices[np.arange(trace.hmm.T), trace.path[:R]]
    used = np.unique(np.concatenate([state_labels[remembered], path_labels.ravel()]))
    word = np.full(len(trace.hmm.labels) + 1, -1)
    word[used] = np.arange(len(used))
    return _Names([trace.hmm.labels[label] for label in used.tolist()], word[choices], word[state_labels])


def _sequences(trace, R, word_of):
    """Each sequence once, in the order in which they were found, with its exact scores."""
    numbers: dict[bytes, int] = {}
    of = [numbers.setdefault(bytes(path), len(numbers)) for path in trace.path[:R]]
    found = np.unique_all(of).indices  # where each is first
    return {
        "words": word_of[np.arange(trace.hmm.T), trace.path[found]].tolist(),
        "logProb": [_nats(row) for row in trace.log_prob[found]],
        "logP": _nats(trace.log_p[found]),
        "first": found.tolist(),
        "of": of,
    }


def _rounds(trace, R):
    return {
        "order": ["".join(map(str, row)) for row in trace.order[:R].tolist()],
        "bound": [_nats(row) for row in trace.log_bound[:R]],
        "logQ": _nats(trace.log_q[:R]),
        "accepted": trace.accepted[:R].astype(int).tolist(),
        "batch": trace.batch[:R].tolist(),
        "upper": _nats(trace.log_mass[:R]),
        "lower": _nats(trace.log_found[:R]),
        "states": trace.states[:R].tolist(),
        "ngrams": trace.ngrams[:R].T.tolist(),
    }


def _states(trace, R, word):
    """The contexts of q, column by column; a state that a later trial made (after the last one sent) is left out."""
    sent = np.flatnonzero(trace.born < R)
    place = np.full(len(trace.born) + 1, -1)
    place[sent] = np.arange(len(sent))
    return {
        "column": trace.column[sent].tolist(),
        "length": trace.length[sent].tolist(),
        "word": word[sent].tolist(),
        "origin": place[trace.origin[sent]].tolist(),
        "born": trace.born[sent].tolist(),
    }


def _nats(values):
    """Log numbers to a ten thousandth, None where they are −∞."""
    return [None if not math.isfinite(value) else round(value, 4) for value in np.asarray(values, float).tolist()]


def _result_payload(result):
    """The end of the run: a certificate, or the result of the draws."""
    bounds = [number(bound) for bound in result.log_z_bounds]
    common = {"states": int(result.states), "stopped": result.stopped, "bounds": bounds}
    if hasattr(result, "gap"):
        return common | {"words": list(result.words), "logScore": number(result.log_score), "gap": number(result.gap)}
    return common | {"draws": len(result.words), "trials": int(result.trials)}
