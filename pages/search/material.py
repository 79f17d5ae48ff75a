"""The training data of SEARN: pen words, letter by letter, or tagged sentences, word by word."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from pages.search.question import MOST_EXAMPLES
from rcmviz.tasks.handwriting.letter_data import features
from rcmviz.tasks.handwriting.pen import pen_words
from rcmviz.tasks.tagging.sentences import tagged_sentences
from rcmviz.views.shared.plain import pixel_rows

GRID, SEED = "8x4", 11
SHORTEST, LONGEST = 4, 12  # words of a sentence


@dataclass(frozen=True, eq=False)
class Labelled:
    """A labelled sequence.

    ``inputs`` are a text per position, ``features`` the input of a policy, ``images`` rows of 0 and 1.
    """

    inputs: list
    features: list
    labels: list
    images: list | None = None


# The noun of a sequence, of a position and of a label, and the separator of positions in a title.
NOUNS = {"word": ("word", "letter", "letter", ""), "sentence": ("sentence", "word", "tag", " ")}


def labelled_data(material, learnt):
    """Return ([Labelled for training], [Labelled held out]); the held-out ones are always the same."""
    found = (_words if material == "word" else _sentences)(learnt + MOST_EXAMPLES)
    return found[MOST_EXAMPLES:], found[:MOST_EXAMPLES]


@lru_cache(maxsize=2)
def _words(number):
    return [
        Labelled(list(word.letters), features(word.images, GRID), list(word.letters), pixel_rows(word.images))
        for word in pen_words(number, seed=SEED)
    ]


@lru_cache(maxsize=2)
def _sentences(number):
    drawn = (one for one in tagged_sentences(2 * number, SEED) if SHORTEST <= len(one) <= LONGEST)
    return [
        Labelled([word for word, _ in one], [[word] for word, _ in one], [tag for _, tag in one])
        for one in islice(drawn, number)
    ]
