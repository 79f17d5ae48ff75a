"""Data for learning to search: Kassel's letters at full resolution, and the XPOS tags of UD-EWT."""

from functools import lru_cache

from rcmviz.data.registry import find, need
from rcmviz.experiments.pos_runs import draw_sentence
from rcmviz.experiments.report import Plan
from rcmviz.sequences.encoding import Encoder
from rcmviz.sequences.table import Sequences
from rcmviz.sequences.token_features import neighbours, shape, spelling
from rcmviz.tasks.handwriting.letter_data import Word, load_words, word_sequences
from rcmviz.tasks.handwriting.pen import pen_words
from rcmviz.tasks.tagging.shipped import load_tagger
from rcmviz.tasks.tagging.tagger import read_tagged

GRID = "16x8"
LONG_ENDINGS = (4, 5)
DRAWN = 400  # sentences of the shipped tagger, a quarter of them to test on


@lru_cache(maxsize=2)
def _words(source):
    return load_words() if source == "kassel" else pen_words(int(source.removeprefix("pen:")), seed=0)


def words_of(source: str, fold: int) -> list[Word]:
    """The words of one fold of ``"kassel"`` or of ``"pen:600"``."""
    return [word for word in _words(source) if word.fold == fold]


def _words_of_folds(words: list[Word], folds: tuple[int, ...]) -> Sequences:
    return word_sequences([word for word in words if word.fold in folds], GRID)


@lru_cache(maxsize=4)
def letters(source: str, learnt: tuple[int, ...], tested: int) -> tuple[Sequences, Sequences]:
    """(learning, test): folds of ``"kassel"`` or of ``"pen:600"``, letters of 16 × 8 pixels."""
    words = _words(source)
    return _words_of_folds(words, tuple(learnt)), _words_of_folds(words, (tested,))


def treebank(plan: Plan) -> str:
    """UD-EWT if it is in the folder of data; else the shipped tagger, which sentences are drawn from."""
    return "ud_ewt" if plan.data == "kassel" and find("ud_ewt") else "shipped"


@lru_cache(maxsize=2)
def tagged_data(source: str, every: int = 1) -> tuple[list, list]:
    """(learning, test) as pairs (words, tags); every so many-th sentence."""
    if source == "ud_ewt":
        both = (read_tagged(need("ud_ewt", f"en_ewt-ud-{part}.conllu")) for part in ("train", "dev"))
        learning, test = (sentences[::every] for sentences in both)
        return learning, test
    model = load_tagger("tagger-ewt")
    pairs = [draw_sentence(model, 3 + seed % 12, seed) for seed in range(DRAWN // every)]
    return pairs[len(pairs) // 4 :], pairs[: len(pairs) // 4]


@lru_cache(maxsize=2)
def tags(source: str, every: int = 1) -> tuple[Sequences, Sequences]:
    """(learning, test) of ``tagged_data``, with the features of ``token_features`` as numbers."""
    learning, test = tagged_data(source, every)
    encoder, data = Encoder.learn(*_columns(learning))
    return data, encoder.encode(*_columns(test))


def _columns(sentences):
    return [token_features(list(words)) for words, _ in sentences], [list(tags) for _, tags in sentences]


def token_features(words: list[str]) -> list[dict]:
    """Per word its spelling with endings of up to five letters, the words up to two away, endings and shapes of both.

    >>> [name for name in sorted(token_features(["Old", "dogs"])[1]) if name.startswith("w")][:4]
    ['w', 'w:prefix1', 'w:prefix2', 'w:prefix3']
    """
    lower = [word.lower() for word in words]
    found = []
    for i, word in enumerate(words):
        row = spelling("w", word) | neighbours("w", lower, i)
        row |= {f"w:suffix{size}": lower[i][-size:] for size in LONG_ENDINGS if size < len(word)}
        for step in (-2, 2):
            row[f"w[{step:+d}]"] = lower[i + step] if 0 <= i + step < len(words) else "^"
        for step in (-1, 1):
            if 0 <= i + step < len(words):
                row |= {f"ending[{step:+d}]": lower[i + step][-3:], f"shape[{step:+d}]": shape(words[i + step])}
        found.append(row)
    return found
