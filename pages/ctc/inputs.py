"""The inputs of a question: frames, the right output, the language model, and options of ``rv.ctc`` that fit them."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pages.ctc.question import NO_MODEL, CtcQuestion
from pages.ctc.sample import as_labels, frames_of
from pages.ctc.upload import OwnFrames, own_frames
from pages.shell.language_models import model_named
from rcmviz.core.builders.passes import MAX_ARCS
from rcmviz.ctc_decoding.file import Frames
from rcmviz.lm.language_model import LanguageModel
from rcmviz.lm.text import BEGIN, END, UNKNOWN, tokens
from rcmviz.views.ctc.payload import SEPARATORS

SPECIAL = BEGIN, END, UNKNOWN


@dataclass(frozen=True, eq=False)
class CtcInputs:
    """The inputs of one reading.

    ``frames`` · the right output ``gold``, if known · the language model ``lm``, or None · ``options`` of ``rv.ctc`` ·
    the ``upload`` that the frames come from, or None · ``notes`` for the user.
    """

    frames: Frames
    gold: tuple[str, ...] | None
    lm: LanguageModel | None
    options: dict[str, Any]
    upload: OwnFrames | None
    notes: tuple[str, ...]


def load(question: CtcQuestion) -> CtcInputs:
    """Return the inputs of a question; ValueError says what is wrong and what to do."""
    lm = None if question.lm == NO_MODEL else model_named(question.lm)
    if question.tab != "upload":
        upload: OwnFrames | None = None
        notes: list[str] = []
        frames = frames_of(question.text, question.noise, question.seed)
        gold: tuple[str, ...] | None = tuple(as_labels(question.text))
    else:
        upload = own_frames(question.upload)
        frames, notes = _fit_labels(upload.frames, lm, question.spells)
        gold = _split(question.gold, frames.labels) if question.gold else None
    options = _options(question, frames, lm)
    _refuse_too_large(options["method"], frames, lm, options["separator"])
    return CtcInputs(frames, gold, lm, options, upload, tuple(notes))


def _fit_labels(frames: Frames, lm: LanguageModel | None, spells: str) -> tuple[Frames, list[str]]:
    """Rename the label between words as the model names it; returns frames and notes on the changes."""
    notes = ["Rows sum to 1, so they are read as probabilities."] if frames.were_probabilities else []
    if lm is None or _is_word_model(spells, frames.labels, lm):
        return frames, notes
    if renamed := _separator_names(frames.labels, lm):
        before, after = renamed
        frames = replace(frames, labels=tuple(after if label == before else label for label in frames.labels))
        notes.append(f"The label {before!r} is renamed {after!r}, as in the language model.")
    return frames, notes + _note_on_missing(frames.labels, lm)


def _options(question: CtcQuestion, frames: Frames, lm: LanguageModel | None) -> dict[str, Any]:
    """Return the options of ``rv.ctc``."""
    method = "rcms" if question.tab == "flow" else question.method
    options: dict[str, Any] = {"budget": question.budget, "method": method, "separator": None}
    if question.tab != "flow" and method == "rcms":
        options["passes"] = question.passes
    if lm is None:
        return options
    options |= {"lm_weight": question.weight, "end": lm.end >= 0}
    if not _is_word_model(question.spells, frames.labels, lm):
        return options | {"label_bonus": question.bonus}
    separator = question.separator or next((one for one in SEPARATORS if one in frames.labels), None)
    if separator is None:
        raise ValueError(
            "the language model has words, and no label is a blank, _ or |: choose under More the label between words, "
            "or that the model's words are the labels"
        )
    return options | {"separator": separator, "word_bonus": question.bonus, "unknown_score": question.unknown}


def _refuse_too_large(method: str, frames: Frames, lm: LanguageModel | None, separator: str | None) -> None:
    """Refuse exact inference over the limit before the contexts are built; finite scores only."""
    if method != "exact" or lm is None or separator is not None or not np.isfinite(frames.log_probs).all():
        return
    width, order, length = len(frames.labels), max(lm.order - 1, 1), len(frames.log_probs)
    arcs = sum(width ** min(t, order) * width for t in range(length))
    if arcs > MAX_ARCS:
        raise ValueError(
            f"exact needs every string of {order} labels, {arcs:,} arcs in all; the limit is {MAX_ARCS:,}: choose "
            "RCMS, beam search, or no language model"
        )


def _is_word_model(spells: str, labels: tuple[str, ...], lm: LanguageModel) -> bool:
    """Whether labels spell the words of the model: by ``spells``, else if most of its words are not labels."""
    if spells != "auto":
        return spells == "words"
    known, words = {*labels, *SEPARATORS}, [word for word in lm.vocabulary if word not in SPECIAL]
    return sum(word in known for word in words) < len(words) / 2


def _separator_names(labels: tuple[str, ...], lm: LanguageModel) -> tuple[str, str] | None:
    """Return (label between words, the model's name for it) if they differ."""
    own = next((one for one in SEPARATORS if one in labels), None)
    known = next((one for one in SEPARATORS if one in lm), None)
    return (own, known) if own and known and own != known and own not in lm else None


def _note_on_missing(labels: tuple[str, ...], lm: LanguageModel) -> list[str]:
    """Return a note on the labels that the model does not have, if any."""
    missing = [label for label in labels if label not in lm]
    some = ", ".join(map(repr, missing[:5])) + (f" and {len(missing) - 5:,} more" if len(missing) > 5 else "")
    return [f"Not in the language model, scored as unknown: {some}."] if missing else []


def _split(text: str, labels: tuple[str, ...]) -> tuple[str, ...]:
    """Return a text as labels; labels of several characters are separated by blanks."""
    if any(len(label) > 1 for label in labels):
        return tuple(tokens(text))
    given = text if " " in labels else text.replace(" ", next((one for one in SEPARATORS if one in labels), " "))
    return tuple(given)
