"""What ``rcmviz.show`` shows in a view of its own: proofs, alignments, fields, trainings, ciphers, frames."""

from typing import Any

from rcmviz.align.model import AlignModel
from rcmviz.ctc_decoding.transcript import Transcript
from rcmviz.learn.trainer import Trainer
from rcmviz.mrf.field import MarkovField
from rcmviz.mrf.tagger import FieldTagger
from rcmviz.views.align.payload import build_align
from rcmviz.views.ars.payload import build_ars
from rcmviz.views.ctc.payload import build_ctc
from rcmviz.views.decipher.payload import build_decipherment
from rcmviz.views.learn.payload import build_training
from rcmviz.views.mrf.blank import build_blank
from rcmviz.views.mrf.tagging import build_tagging


def payload_elsewhere(
    shown: Any, companion: Any, given: dict[str, Any], options: dict[str, Any]
) -> tuple[str, dict[str, Any]] | None:
    """The name of the view and its payload, or None where the player shows it.

    ``shown`` is a result of adaptive rejection, ``companion`` its ArsTrace · an AlignModel, and phones · a MarkovField,
    and a sentence with one ``_`` · a FieldTagger, and words · a Trainer, and the states that it has returned, or none ·
    a Decipherment, and the states that it has yielded · a Transcript of frames, to which what was ``given`` for a run
    says something too: ``gold`` and ``position``. ValueError as the payloads say it.
    """
    if type(companion).__name__ == "ArsTrace":
        return "ars", build_ars(companion, shown, **options)
    if isinstance(shown, AlignModel):
        return "align", build_align(shown, _words(companion, "phones, such as N AY T", str.split), **options)
    if isinstance(shown, MarkovField):
        return "mrf", build_blank(shown, _as_words(companion, "a sentence with one _"), **options)
    if isinstance(shown, FieldTagger):
        return "mrf", build_tagging(shown, _words(companion, "a sentence, or its words", shown.split), **options)
    if isinstance(shown, Trainer):
        return "learning", build_training(shown, companion, **options)
    if isinstance(shown, Transcript):
        return "ctc", build_ctc(shown, **given, **options)
    if type(shown).__name__ == "Decipherment":
        return "decipher", build_decipherment(shown, companion, **options)
    return None


def _words(given, wanted, split):
    """Words as a list, from a text or from words; ValueError for none."""
    given = _as_words(given, wanted)
    return split(given) if isinstance(given, str) else given


def _as_words(given, wanted):
    """A text, or words as a list; ValueError for neither, and for empty ones."""
    given = given if isinstance(given, str) else list(given or ())
    if not (given.strip() if isinstance(given, str) else given):
        raise ValueError(f"there is nothing to show it with: give {wanted}, as the second argument")
    return given
