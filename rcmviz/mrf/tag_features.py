"""A tagger's features of a word: the word itself if frequent, its shape, its prefixes and suffixes.

Features are those of Jernite, Rush and Sontag (2015): capitals, digits, hyphens, beginnings and endings of 1 to 4
letters.
"""

from collections import Counter

import numpy as np
from scipy import sparse

from rcmviz.mrf.vocabulary import SEPARATOR

LONGEST = 4  # letters of a prefix or suffix


def features_of(word, is_frequent=False):
    """Names of the features of a word.

    >>> features_of("Ab-1")[:6]
    ['any', 'first capital', 'digit', 'hyphen', '^a', '1$']
    """
    if word == SEPARATOR:
        return [SEPARATOR]
    found = ["any"] + [f"= {word}"] * is_frequent
    found += ["first capital"] * word[:1].isupper()
    found += ["capitals"] * (word.isupper() or any(letter.isupper() for letter in word[1:]))
    found += ["no letter"] * (not any(letter.isalpha() for letter in word))
    found += ["digit"] * any(letter.isdigit() for letter in word) + ["hyphen"] * ("-" in word)
    lower = word.lower()
    for size in range(1, min(LONGEST, len(word)) + 1):
        found += [f"^{lower[:size]}", f"{lower[-size:]}$"]
    return found


class FeatureTable:
    """Features by number, those of at least ``least`` words; ``frequent`` words are features themselves.

    >>> table = FeatureTable(("any", "ed$"), frozenset())
    >>> table.rows(["walked"]).toarray().tolist()
    [[1.0, 1.0]]
    """

    def __init__(self, names, frequent):
        self.names, self.frequent = tuple(names), frozenset(frequent)
        self._place = {name: k for k, name in enumerate(self.names)}

    @classmethod
    def learn(cls, words, frequent, least=2):
        """The features that ``words``, each once, have."""
        frequent = frozenset(frequent)
        counts = Counter(name for word in words for name in features_of(word, word in frequent))
        kept = (name for name, count in counts.items() if count >= least or name[:2] == "= " or name == SEPARATOR)
        return cls(kept, frequent)

    def __len__(self):
        return len(self.names)

    def rows(self, words):
        """Features of words, sparse (n, P)."""
        numbers = [
            [self._place[name] for name in features_of(word, word in self.frequent) if name in self._place]
            for word in words
        ]
        offset = np.cumsum([0, *map(len, numbers)])
        columns = np.array([number for row in numbers for number in row], np.int32)
        return sparse.csr_array((np.ones(len(columns)), columns, offset), shape=(len(words), len(self)))
