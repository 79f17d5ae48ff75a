"""The prepared examples on Home."""

import hashlib
from dataclasses import dataclass
from functools import lru_cache

from pages.word.question import Subject, WordQuestion
from pages.word.words import kassel_words
from rcmviz.core.methods import MethodChoice
from rcmviz.data import registry

SMALL = (MethodChoice("beam", 4), MethodChoice("rcms", 4))
# With budget 10, beam search is never sure of a wrong word of Kassel's test fold.
FEW = (MethodChoice("beam", 3), MethodChoice("rcms", 3))


@dataclass(frozen=True)
class ExampleCard:
    """A card: ``title``, ``description``, and the page that it opens with these settings."""

    title: str
    description: str
    page: str
    settings: WordQuestion

    @property
    def query(self):
        """The parameters of the link."""
        return self.settings.write()


LOST = Subject(text="consider", seed=15)  # beam search with budget 4 loses it at position 5
COMPARED = WordQuestion(LOST, SMALL, compares=True)  # the opening question of Compare
STORY = (
    "A model reads a handwritten word, letter by letter. Each letter may be any of 26, so the possible beginnings "
    "multiply; a budget of four keeps the four likeliest. A full column is all the probability, the *mass*.\n\n"
    "**Beam search drops the others.** At letter 5 it drops “consi”, the right beginning. In the end 84 % of the mass "
    "is lost, and what is left counts as everything: beam search is 89 % sure of “careless”, a wrong word.\n\n"
    "**RCMS merges the others into contexts that remember less.** “consi” is merged into “\\*i”, which remembers only "
    "the i. No mass is lost, and RCMS reads “consider”, the right word."
)

EXAMPLES = (
    ExampleCard(
        "Sure, and wrong",
        "Beam search reads “careless” and is 89 % sure: with a budget of 4 it has dropped “consi”, which ranked 5th, "
        "and cannot go back. RCMS merges it into “\\*i” and reads “consider”, like exact inference.",
        "compare",
        WordQuestion(LOST, SMALL, compares=True, position=5, node="consi"),
    ),
    ExampleCard(
        "Long memories on a small budget",
        "If few prefixes are likely, ten contexts hold almost all of the word so far; step through “presentation”.",
        "step",
        WordQuestion(Subject(text="presentation", seed=3), position=8),
    ),
    ExampleCard(
        "Saved by the root",
        "With a budget of 4, the right first letter is not kept: beam search is sure of “growing”. RCMS merges it into "
        "the root and recovers “knowing”.",
        "compare",
        WordQuestion(Subject(text="knowing", seed=9), SMALL, compares=True, position=1, node="k"),
    ),
)


# Indices and ids differ between copies of the data, pixels do not.
REAL_WORD = "d1ad6b5fdb875ebf"


def real_example():
    """Return the example on a real word, or None if the data are missing."""
    index = real_index() if registry.find("ocr") else None
    if index is None:
        return None
    return ExampleCard(
        "The same on real handwriting",
        "With a budget of 3, beam search reads “ovemfortably” and is 100 % sure; RCMS reads “ncomfortably”, the "
        "written word (the data omit first letters).",
        "compare",
        WordQuestion(
            Subject("kassel", str(index), model="handwriting-kassel"), FEW, compares=True, position=2, node="nc"
        ),
    )


@lru_cache(maxsize=1)
def real_index():
    """Return the index of the word in this copy of the data, or None."""
    return next((word.index for word in kassel_words() if digest(word) == REAL_WORD), None)


def digest(word):
    """Return a digest of a word's pixels, which identifies it in every copy of the data."""
    return hashlib.sha256(word.images.tobytes()).hexdigest()[:16]
