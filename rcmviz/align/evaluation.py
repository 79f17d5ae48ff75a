"""Spellings that a model reads from phones, and their errors."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from rcmviz.align.infer import Aligner
from rcmviz.align.settings import DECODERS
from rcmviz.core.shared import checks
from rcmviz.kernels.align.features import P

BEAMS_AT_TEST = {"target": "model", "hybrid": "model"}  # the target is unknown then
DRAWS = 60  # alignments whose texts compete for the largest marginal


@dataclass(frozen=True)
class ReadText:
    """The ``text`` that was read, the one that was ``meant``, and the ``edits`` between them."""

    text: str
    meant: str
    edits: int


@dataclass(frozen=True)
class AlignScores:
    """``error_rate`` edits per letter meant (1 for empty readings) · ``exact`` share of texts that are right ·
    ``readings`` of all examples.
    """

    error_rate: float
    exact: float
    readings: tuple


def edit_distance(one, other):
    """The fewest insertions, deletions and substitutions that turn one text into the other (Levenshtein 1966).

    >>> edit_distance("fone", "phone")
    2
    """
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, start=1):
        above, row[0] = row[0], i
        for j, wanted in enumerate(other, start=1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (letter != wanted))
    return row[-1]


def best_spelling(aligner, x, decoder="viterbi", seed=0):
    """The text that an aligner reads from phones ``x`` (L',); empty where a beam keeps no complete alignment.

    ``"marginal"`` is the text of the largest Σ_z p(y, z | x) among those of the best alignment and of draws from the
    posterior: no dynamic programme finds the largest of all.
    """
    best = aligner.forward(x).best()
    if best is None or decoder == "viterbi":
        return "" if best is None else best.text
    drawn = aligner.draws(DRAWS, seed)
    found = Counter("".join(aligner.model.letters[y] for y in letters[moves != P]) for moves, letters in drawn)
    texts = [best.text, *sorted(set(found) - {best.text}, key=lambda text: (-found[text], text))]
    masses = [aligner.log_mass(aligner.model.letter_numbers(text)) for text in texts]
    return texts[int(np.argmax(masses))]


def evaluate(model, pairs, strategy="rcms", budget=20, *, decoder="viterbi", weights=None, **options):
    """``AlignScores`` of all pairs. The target is unknown at test, so every beam is chosen by the model.

    ValueError for an unknown decoder, and for pairs of other inventories than the model's.
    """
    checks.choice("decoder", decoder, DECODERS)
    if (pairs.letters, pairs.phones) != (model.letters, model.phones):
        raise ValueError("pairs of other inventories: make them from the letters and phones of the model")
    aligner = Aligner(model, BEAMS_AT_TEST.get(strategy, strategy), budget, weights=weights, **options)
    readings = []
    for w in range(len(pairs)):
        text, meant = best_spelling(aligner, pairs.sounds(w), decoder, seed=w), pairs.text(w)
        readings.append(ReadText(text, meant, edit_distance(text, meant)))
    return scores_of(readings)


def scores_of(readings):
    """``AlignScores`` of readings."""
    letters = sum(len(one.meant) for one in readings)
    edits = sum(one.edits for one in readings)
    exact = sum(one.text == one.meant for one in readings)
    return AlignScores(edits / letters, exact / len(readings), tuple(readings))
