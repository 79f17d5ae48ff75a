"""Handwritten words as problems, one by one, and evaluated all together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from rcmviz.core.models.model import NgramModel
from rcmviz.core.problems.problem import Problem
from rcmviz.evaluation.evaluate import METHODS, Contender, Score, evaluate_sequences
from rcmviz.tasks.handwriting.letter_data import features, word_sequences


def problem_from_word(model: NgramModel, word: Any, model_name: str | None = None) -> Problem:
    """A handwriting word as a problem: its images through the model's emissions, its letters as gold.

    Raises ValueError when the model does not read handwriting or the word has a letter that is not one of its labels.
    """
    gold = tuple(word.letters) or None
    return Problem(model, word_emissions(model, word), gold, word.letters or "drawn word", word.images, model_name)


def word_emissions(model: NgramModel, word: Any) -> np.ndarray:
    """Log emissions (T, Y) of a word's images; raises as `problem_from_word`."""
    grid = grid_of(model)
    unknown = sorted(set(word.letters) - set(model.labels))
    if unknown:
        raise ValueError(
            f"the word {word.letters!r} has {', '.join(unknown)}, which the model does not know; "
            f"use only the labels {' '.join(model.labels)}"
        )
    return model.log_emit(features(word.images, grid))


def grid_of(model: NgramModel) -> str:
    """The grid of pixels that a model of handwriting reads, such as `"8x4"`; ValueError for other models."""
    if model.emission is None or "grid" not in model.info:
        raise ValueError("this model does not read handwriting; choose handwriting-kassel or handwriting-pen")
    return model.info["grid"]


def evaluate_handwriting(
    model: NgramModel, words: Iterable, methods: Sequence[Contender] = METHODS, threads: int | None = None
) -> list[Score]:
    """The score of every method on the same words (tasks.handwriting.Word); a word is a sequence of letters.

    Raises ValueError when there are no words, a word has letters outside the model's labels, or the model does not read
    handwriting. Example: `evaluate_handwriting(rv.load_model("handwriting-pen"), pen_words(200, seed=1))`.
    """
    return evaluate_sequences(model, word_sequences(words, grid_of(model), model.labels), methods, threads)
