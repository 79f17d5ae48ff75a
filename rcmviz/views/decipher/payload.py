"""EM on a cipher as JSON for the decipher view: the message, its reading by each pass, the mapping, the curves.

Only shown parts are sent: of a word cipher the symbols of the first sentences and the commonest ones, renumbered.
"""

import base64
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rcmviz.core.methods import MethodChoice
from rcmviz.core.shared.frozen import CopyableMixin, freeze

CURVES = ("accuracy", "by_type", "log_likelihood", "mean_length")
LIKELIEST = 4  # labels sent per symbol
MATRIX = 40  # most rows and columns of the mapping
SHOWN_LINES = 12  # sentences of a word cipher


@dataclass(frozen=True, eq=False)
class CipherLayout(CopyableMixin):
    """The puzzle: its labels, its symbols and its message.

    ``labels`` (Y,) and ``symbols`` (S,) by name · ``counts (S,)`` how often each occurs · ``key (S,)`` the label of
    each symbol, None if unknown · ``message`` lines of groups of items, each a symbol number or a literal
    text · ``ranks (Y,)`` the labels, commonest first · ``term`` what a label is called.
    """

    labels: tuple
    symbols: tuple
    counts: np.ndarray
    key: np.ndarray | None
    message: tuple
    ranks: np.ndarray
    term: str

    def __post_init__(self):
        freeze(self)

    @property
    def columns(self):
        """The labels of the mapping (C,), commonest first."""
        return self.ranks[:MATRIX]

    @cached_property
    def rows(self):
        """The symbols of the mapping (R,), commonest first."""
        return np.argsort(-self.counts, kind="stable")[: min(MATRIX, np.count_nonzero(self.counts))]

    @cached_property
    def shown(self):
        """The shown symbols: the rows of the mapping, then the other symbols of the message."""
        used = [item for line in self.message for group in line for item in group if not isinstance(item, str)]
        return np.array(list(dict.fromkeys([*self.rows.tolist(), *used])))

    @cached_property
    def places(self):
        """``{symbol: its index in shown}``."""
        return {symbol: place for place, symbol in enumerate(self.shown.tolist())}


@dataclass(frozen=True, eq=False)
class ShownPass:
    """The result of one pass: ``step`` from 1 on, in ``round`` · ``stage`` em or swaps · ``guess (S,)`` a label per
    symbol · the numbers of the curves, None where unknown · ``solved`` whether the method accepts the guess as the
    solution · ``pins`` {symbol: label} in force, by number · ``sure`` the confidence of the guess, None if it is the
    share of each symbol's occurrences.
    """

    step: int
    round: int
    stage: str
    guess: np.ndarray
    accuracy: float | None
    by_type: float | None
    log_likelihood: float
    mean_length: float
    solved: bool
    pins: dict
    sure: float | None = None


def words_layout(cipher):
    """The layout of a word cipher: its first sentences."""
    message = tuple(tuple((int(symbol),) for symbol in line) for line in cipher.lines[:SHOWN_LINES])
    ranks = np.arange(len(cipher.vocabulary))  # the vocabulary is sorted by frequency
    return CipherLayout(cipher.vocabulary, cipher.symbols, cipher.counts.copy(), cipher.key, message, ranks, "word")


def word_pass(step, state, pins):
    """The ``ShownPass`` of a pass of EM on a word cipher."""
    return ShownPass(
        step, 1, "em", state.guess, state.by_token, state.by_type, state.log_likelihood, state.mean_length, False, pins
    )


def build_decipherment(work, states, *, step=None):
    """Build the payload of the decipher view from a finished ``Decipherment``.

    ``states`` the items that its ``run`` yielded · ``step`` the pass to show, None = the latest. ValueError if there
    is no pass.
    """
    states = list(states or ())
    if not states:
        raise ValueError("there is no pass to show: give a list of what its run(20) yields, as the second argument")
    layout, em = words_layout(work.cipher), work.em
    readings = []
    for state in states:
        known = {symbol: label for symbol, label in em.pins.items() if state.guess[symbol] == label}
        reading = word_pass(state.number, state, known)
        readings.append((reading, pack_reading(layout, reading, state.counts)))
    name = MethodChoice(em.method, em.budget).name
    method = {"name": name, "kind": em.method, "status": "done", "message": "", "readings": readings}
    return build_decipher(layout, [method], name="notebook", pins=em.pins, step=step) | {"title": name}


def pack_reading(layout, reading, counts):
    """A pass as JSON, with the shown part of the expected ``counts (S, Y)``; shares are bytes, 255 = 1.

    If the guess is the best one so far (``sure``) and not that of these counts, the mapping shows the guess.
    """
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-300)
    if reading.sure is not None:
        shares = reading.sure * np.eye(counts.shape[1])[reading.guess]
    for symbol, label in reading.pins.items():
        shares[symbol], shares[symbol, label] = 0.0, 1.0
    likeliest = np.argsort(-shares[layout.shown], axis=1, kind="stable")[:, :LIKELIEST]
    guess = reading.guess[layout.shown]
    sure = shares[layout.shown, guess] if reading.sure is None else np.full(len(guess), reading.sure)
    return {
        "step": reading.step,
        "round": reading.round,
        "stage": reading.stage,
        "solved": reading.solved,
        "guess": guess.tolist(),
        "sure": _bytes(sure),
        "likeliest": likeliest.ravel().tolist(),
        "shares": _bytes(np.take_along_axis(shares[layout.shown], likeliest, axis=1)),
        "matrix": _bytes(shares[np.ix_(layout.rows, layout.columns)]),
        "pins": _pins(layout, reading.pins),
    }


def build_decipher(
    layout, methods, *, name, pins, step=None, going=False, goes=0, code=None, ends=None, recorded=False, before=None
):
    """Build the payload of the decipher view.

    ``layout`` a CipherLayout · ``methods`` a list of ``{"name", "kind", "status", "message", "readings": [(ShownPass,
    packed)]}``, or of results of ``method_payload`` · ``name`` of the run: while it stays the same, the view keeps its
    position · ``pins`` {symbol: label} in force, by number · ``step`` the pass to show, None = the latest · ``going``
    whether more passes will come · ``goes`` how often the user continued the run: each time the view follows the
    latest pass again · ``ends`` the pass that ends EM, before the first swaps, None if there are no swaps ·
    ``recorded`` whether the run plays by itself when it is first shown · ``before`` ``{"at", "methods", "holds"}`` of
    the run from which this one branched off after the pass ``at``; without ``methods`` it only continues that run;
    with ``holds`` the view keeps its position until new passes come.
    """
    message = [
        [[item if isinstance(item, str) else layout.places[item] for item in group] for group in line]
        for line in layout.message
    ]
    return {
        "id": name,
        "term": layout.term,
        "labels": list(layout.labels),
        "symbols": [layout.symbols[symbol] for symbol in layout.shown],
        "counts": layout.counts[layout.shown].tolist(),
        "key": None if layout.key is None else layout.key[layout.shown].tolist(),
        "message": message,
        "rows": len(layout.rows),
        "columns": layout.columns.tolist(),
        "total": len(layout.symbols),
        "pins": _pins(layout, pins),
        "methods": [method_payload(method) for method in methods],
        "step": step,
        "going": going,
        "goes": goes,
        "code": code,
        "ends": ends,
        "recorded": recorded,
        "before": before and before | {"methods": [method_payload(method) for method in before["methods"]]},
    }


def method_payload(method):
    """A method with its passes as JSON, as ``build_decipher`` sends it."""
    if "passes" in method:
        return method
    readings = [reading for reading, _ in method["readings"]]
    points = {curve: [_number(getattr(reading, curve)) for reading in readings] for curve in CURVES}
    return {
        "name": method["name"],
        "kind": method["kind"],
        "status": method["status"],
        "message": method["message"],
        "points": {"step": [reading.step for reading in readings]} | points,
        "passes": [packed for _, packed in method["readings"]],
    }


def _pins(layout, pins):
    return [[layout.places[symbol], int(label)] for symbol, label in pins.items() if symbol in layout.places]


def _bytes(shares):
    """Shares as one byte each, in base 64."""
    levels = np.round(255 * np.clip(shares, 0, 1)).astype(np.uint8)
    return base64.b64encode(np.ascontiguousarray(levels).tobytes()).decode()


def _number(value):
    """Six significant digits; null for no number."""
    return None if value is None or not math.isfinite(value) else float(f"{value:.6g}")
