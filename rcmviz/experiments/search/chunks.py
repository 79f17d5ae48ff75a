"""Chunks of nouns and of verbs, derived from tags of the Penn treebank, as labels of words: B-NP, I-NP … O."""

from functools import lru_cache

from rcmviz.experiments.search.data import tagged_data, token_features
from rcmviz.sequences.encoding import Encoder
from rcmviz.sequences.table import Sequences

HEADS = {"NN", "NNS", "NNP", "NNPS", "PRP", "EX", "WP", "CD"}
NOMINAL = HEADS | {"DT", "PDT", "PRP$", "WP$", "POS", "JJ", "JJR", "JJS", "WDT"}
OPENING = {"DT", "PDT", "PRP", "PRP$", "EX", "WP", "WP$", "WDT", "POS"}  # a chunk of nouns begins here
VERBAL = {"MD", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "TO"}
BETWEEN = {"RB"}  # within verbs, as in "did not see"


def chunks_of_tags(tags: list[str]) -> list[str]:
    """The chunk label of every tag.

    >>> chunks_of_tags(["DT", "JJ", "NN", "MD", "RB", "VB", "PRP", "IN", "JJ"])
    ['B-NP', 'I-NP', 'I-NP', 'B-VP', 'I-VP', 'I-VP', 'B-NP', 'O', 'O']
    """
    found, begin = ["O"] * len(tags), 0
    while begin < len(tags):
        end = begin + 1
        if tags[begin] in NOMINAL:
            while end < len(tags) and tags[end] in NOMINAL and (tags[end] not in OPENING or tags[end - 1] == "PDT"):
                end += 1
            name = "NP" if HEADS & set(tags[begin:end]) else None
        elif tags[begin] in VERBAL:
            while end < len(tags) and tags[end] in VERBAL | BETWEEN:
                end += 1
            while tags[end - 1] in BETWEEN:
                end -= 1
            name = "VP" if set(tags[begin:end]) != {"TO"} else None
        else:
            name = None
        if name is not None:
            found[begin:end] = [f"B-{name}"] + [f"I-{name}"] * (end - begin - 1)
        begin = end
    return found


@lru_cache(maxsize=2)
def chunk_data(source: str, every: int = 1) -> tuple[Sequences, Sequences]:
    """(learning, test): the words of ``tagged`` with chunk labels."""
    learning, test = tagged_data(source, every)
    encoder, data = Encoder.learn(*_columns(learning))
    return data, encoder.encode(*_columns(test))


def _columns(sentences):
    features = [token_features(list(words)) for words, _ in sentences]
    return features, [chunks_of_tags(list(tags)) for _, tags in sentences]
