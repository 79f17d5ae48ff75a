"""The link of the Field page: which tab, the small text that is lifted, the sentence with a blank and its model."""

from dataclasses import dataclass

from pages.shell import link
from pages.word.edits import read_edits, write_edits
from rcmviz.lm.text import tokens

TABS = ("lifting", "learning", "blank", "neighbours", "tagging")
MODELS = ("english", "grammar")
OWN = "own"
SOURCES = ("grammar", "tatoeba", OWN)
MOST_MAPPED = 16  # words of the map of pairs
EXAMPLES = {"english": "i forgot to _ the door", "grammar": "the _ barked at anna"}
TAGGED = "an unbeatable striker outsmarted three Zanzibarian defenders ."
LONGEST = 300  # characters of a sentence
MOST_ORDER = 3


def _swap(text):
    side, _, word = text.partition(".")
    if side[:1] not in ("a", "b") or not side[1:].isdecimal() or not word:
        raise ValueError(f"{text[:20]!r} is no changed neighbour such as b1.dog, before the blank by 1")
    return text[:60]


def _words(text):
    words = tuple(dict.fromkeys(tokens(text)))
    if len(words) > MOST_MAPPED:
        raise ValueError(f"{len(words)} words are too many, the map has room for {MOST_MAPPED}")
    return words


@dataclass(frozen=True)
class FieldPlace(link.Link):
    """Where the view stands: the ``step`` that is drawn, how far the ring is folded, the ``word`` whose neighbours are
    listed, the neighbour of a blank that was changed.
    """

    step: int | None = link.whole("step", None, 1, 100_000, fallback=1)
    fold: float | None = link.real("fold", None, 0.0, 1.0, fallback=0.0)
    word: str | None = link.text("word", None, 40)
    swap: str | None = link.coded("swap", None, _swap)


@dataclass(frozen=True)
class FieldQuestion(link.Link):
    """What is asked: on ``lifting`` the ``text``, its sentences with ``/`` between, and ``order`` K; on ``blank`` the
    ``sentence``, the ``model`` that fills it and whether to ``prove`` the best one; on ``neighbours`` the model; on
    ``learning`` the ``source`` of the text and how many ``sentences`` of it (or the ``upload`` that is one's own), so
    many ``neighbours`` and vectors of ``rank`` numbers (0: full rank), ``l2``, ``steps``, ``seed``, and whose pairs are
    mapped: ``words``, none for the commonest; on ``tagging`` the sentence that is ``tagged``, and what-if ``edits`` of
    its tags.
    """

    tab: str = link.choice("view", "lifting", TABS, always=True)
    text: str = link.text("text", "anna saw the dog / the dog saw anna / tom slept", LONGEST, of="lifting")
    order: int = link.whole("order", 2, 1, MOST_ORDER, of="lifting")
    sentence: str = link.text("sentence", EXAMPLES["english"], LONGEST, of="blank")
    model: str = link.choice("model", "english", MODELS, of="blank neighbours")
    prove: bool = link.flag("prove", False, of="blank")

    tagged: str = link.text("tagged", TAGGED, LONGEST, of="tagging")
    edits: tuple = link.coded("edits", (), read_edits, write_edits, of="tagging", widget=False)
    source: str = link.choice("source", "grammar", SOURCES, of="learning")
    upload: str = link.text("upload", "", 16, of="learning", widget=False)
    sentences: int = link.whole("sentences", 3_000, 100, 20_000, of="learning")
    neighbours: int = link.whole("neighbours", 2, 1, 2, of="learning")
    rank: int = link.whole("rank", 12, 0, 60, of="learning")
    l2: float = link.real("l2", 1.0, 0.0, 1e4, of="learning")
    steps: int = link.whole("steps", 150, 1, 200, of="learning")
    seed: int = link.whole("seed", 0, 0, 2**31 - 1, of="learning")
    words: tuple = link.coded("words", (), _words, " ".join, of="learning")

    beside = ("run",)  # the name of a training, which the session writes

    def groups(self):
        """What matters on this tab."""
        return (self.tab,)

    def place(self):
        """Where the view stands."""
        return FieldPlace()
