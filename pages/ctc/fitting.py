"""What fits together: frames, the labels of them, the right output, and what a language model calls its words."""

from dataclasses import replace

from pages.ctc.link import NO_MODEL
from pages.ctc.sample import frames_of, written
from pages.ctc.uploads import own_frames
from pages.shared.language_models import model_named
from rcmviz.lm.text import BEGIN, END, UNKNOWN, tokens
from rcmviz.views.frames.payload import SEPARATORS

SPECIAL = BEGIN, END, UNKNOWN


def model_of(question):
    """The language model of a question, or None."""
    return None if question.lm == NO_MODEL else model_named(question.lm)


def subject_of(question):
    """(Frames, the right output or None, notes): what is read, its label between words called as the model calls it."""
    if question.tab == "text":
        return frames_of(question.text, question.noise, question.seed), tuple(written(question.text)), ()
    own = own_frames(question.upload)
    frames, notes = own.frames, ["Its rows sum to 1: taken as probabilities."] * own.frames.were_probabilities
    lm = model_of(question)
    renamed = _renamed(frames.labels, lm)
    if renamed and not _is_of_words(question, frames.labels, lm):
        labels = tuple(renamed[1] if label == renamed[0] else label for label in frames.labels)
        frames = replace(frames, labels=labels)
        notes.append(f"The label {renamed[0]!r} is called {renamed[1]!r} here, as the language model calls it.")
    if lm is not None and not _is_of_words(question, frames.labels, lm):
        notes += _lacked(frames.labels, lm)
    return frames, _split(question.gold, frames.labels) if question.gold else None, tuple(notes)


def options_of(question):
    """What ``rv.ctc`` is told, but for the frames and the model."""
    frames, _, _ = subject_of(question)
    lm = model_of(question)
    options = {"budget": question.budget, "method": question.method, "separator": None}
    if question.method == "rcms":
        options["passes"] = question.passes
    if lm is None:
        return options
    options |= {"lm_weight": question.weight, "end": lm.end >= 0}
    if not _is_of_words(question, frames.labels, lm):
        return options | {"label_bonus": question.bonus}
    separator = question.separator or next((one for one in SEPARATORS if one in frames.labels), None)
    if separator is None:
        raise ValueError(
            "the language model knows words, and no label is a blank, _ or |: say under More which one stands between "
            "words, or that the model's words are the labels"
        )
    return options | {"separator": separator, "word_bonus": question.bonus, "unknown_score": question.unknown}


def _is_of_words(question, labels, lm):
    """Whether the words of the model are spelt by labels: as somebody says, else where most are no label themselves."""
    if question.spells != "auto" or lm is None:
        return question.spells == "words" and lm is not None
    known, words = {*labels, *SEPARATORS}, [word for word in lm.vocabulary if word not in SPECIAL]
    return sum(word in known for word in words) < len(words) / 2


def _renamed(labels, lm):
    """(Label between words, what the model calls it) where they differ, else None."""
    own = next((one for one in SEPARATORS if one in labels), None)
    known = next((one for one in SEPARATORS if lm is not None and one in lm), None)
    return (own, known) if own and known and own != known and own not in lm else None


def _lacked(labels, lm):
    """A note on the labels that the model does not know, if any."""
    lacked = [label for label in labels if label not in lm]
    some = ", ".join(map(repr, lacked[:5])) + (f" and {len(lacked) - 5:,} more" if len(lacked) > 5 else "")
    return [f"The language model lacks {some}: scored as an unknown word."] if lacked else []


def _split(text, labels):
    """A text as labels; of several characters each they are written with blanks between."""
    if any(len(label) > 1 for label in labels):
        return tuple(tokens(text))
    given = text if " " in labels else text.replace(" ", next((one for one in SEPARATORS if one in labels), " "))
    return tuple(given)
