"""The link of the CTC page: which frames, by which contexts and which language model they are read."""

import re
from dataclasses import dataclass

from pages.shared import link
from pages.shared.language_models import known_name
from rcmviz.core.methods import BASIC

TABS = ("text", "upload")
NO_MODEL = "none"
SPELLINGS = ("auto", "labels", "words")
LETTERS_MODEL = "lm-english-characters"
LONGEST_TEXT, LONGEST_GOLD, LONGEST_LABEL = 60, 1_000, 20  # characters
MAX_SEED, MAX_BUDGET, MAX_PASSES = 2**31 - 1, 1_000, 4


def _model_name(name):
    return name if name == NO_MODEL else known_name(name)


def _digest(text):
    if text and not re.fullmatch(r"[0-9a-f]{16}", text):
        raise ValueError(f"{text[:20]!r} names no upload")
    return text


@dataclass(frozen=True)
class CtcPlace(link.Link):
    """Where the view stands: the frame."""

    pos: int | None = link.whole("pos", None, 1, 100_000, otherwise=1)


@dataclass(frozen=True)
class CtcQuestion(link.Link):
    """What is read: frames made for a ``text`` with so much ``noise`` by a ``seed``, or an ``upload`` whose right
    output may be the ``gold`` · by which ``method``, ``budget`` and ``passes`` · with the language model ``lm``, or
    none: its words are the labels, or stand between labels that are the ``separator``, as ``spells`` has it; its
    ``weight``, the ``bonus`` of each of its words, and what an ``unknown`` one is worth.
    """

    tab: str = link.choice("frames", "text", TABS, always=True)
    text: str = link.text("text", "i know that he is here", LONGEST_TEXT, of="text", always=True)
    noise: float = link.real("noise", 1.6, 0.0, 6.0, of="text")
    seed: int = link.whole("seed", 1, 0, MAX_SEED, of="text")
    upload: str = link.coded("own", "", _digest, of="upload", widget=False)
    gold: str = link.text("gold", "", LONGEST_GOLD, of="upload")
    method: str = link.choice("method", "rcms", tuple(BASIC))
    budget: int = link.whole("budget", 5, 1, MAX_BUDGET)
    passes: int = link.whole("passes", 1, 1, MAX_PASSES)
    lm: str = link.coded("lm", LETTERS_MODEL, _model_name)
    spells: str = link.choice("spells", "auto", SPELLINGS)
    separator: str = link.text("between", "", LONGEST_LABEL)
    weight: float = link.real("weight", 1.0, 0.01, 10.0)
    bonus: float = link.real("bonus", 0.0, -20.0, 20.0)
    unknown: float = link.real("unknown", -10.0, -100.0, 0.0)

    def groups(self):
        """What matters on this tab."""
        return (self.tab,)

    def place(self):
        """Where the view stands."""
        return CtcPlace()
