"""The words of a language model spelt over labels, as a tree of their beginnings.

A *cell* is the known state of the word being written: a node of the tree, the root where none has begun; of a
word that is not in the tree, or whose beginning was forgotten, its last label; or that nothing was written yet.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rcmviz.core.shared.frozen import CopyableMixin, freeze
from rcmviz.lm.language_model import BEGIN, END, UNKNOWN

ROOT = 0
UNLISTED, NO_WORD, LOST = -1, -2, -3  # instead of the id of a word


@dataclass(frozen=True, eq=False)
class Lexicon(CopyableMixin):
    """Cells of a vocabulary; those of the N nodes first, then one for each of V labels, then the start."""

    following: np.ndarray  # (N + V + 1, V) the cell after a label
    last: np.ndarray  # (N + V + 1,) the last label, −1 at the start
    word: np.ndarray  # (N + V + 1,) id of the word that ends here, UNLISTED, NO_WORD where none has begun, or LOST
    bare: np.ndarray  # (N + V + 1,) the cell when the beginning of the word is forgotten
    parent: np.ndarray  # (N,) −1 for the root
    best: np.ndarray  # (N,) largest log probability of a word that begins so, whatever comes before it

    def __post_init__(self):
        freeze(self)

    @property
    def start(self):
        """The cell before anything is written."""
        return len(self.last) - 1

    def spelt(self, cell):
        """The labels that are known of a word."""
        if cell >= len(self.parent):
            return (int(self.last[cell]),)
        labels = []
        while cell != ROOT:
            labels.append(int(self.last[cell]))
            cell = int(self.parent[cell])
        return tuple(reversed(labels))


def lexicon_of(lm, labels, separator):
    """The ``Lexicon`` of all words of a model that the labels, a character each, can write; ValueError for none."""
    letters = {label: a for a, label in enumerate(labels) if label != separator}
    long = [label for label in letters if len(label) > 1]
    if long:
        raise ValueError(f"labels: {long[0]!r} is longer than a character; words are spelt in characters")
    ids, codes = _codes(lm, letters)
    if not len(ids):
        some = next((word for word in lm.vocabulary if word not in (BEGIN, END, UNKNOWN)), "")
        raise ValueError(
            f"none of the language model's words can be written in the labels, {some!r} for example; "
            "give labels as it spells, lower case or upper, or no separator where its words are the labels"
        )
    tree = _nodes(codes)
    at, parents, lasts = tree.at, tree.parents, tree.lasts
    nodes, width = len(parents), len(labels)
    count = nodes + width + 1
    last = np.concatenate([lasts, np.arange(width), [-1]])
    last[ROOT] = labels.index(separator)
    following = np.tile(np.arange(nodes, nodes + width, dtype=np.int32), (count, 1))
    following[parents[1:], lasts[1:]] = np.arange(1, nodes)
    following[-1] = following[ROOT]
    following[:, last[ROOT]] = ROOT
    word = np.full(count, UNLISTED)
    word[nodes:] = LOST  # of which no more than the last letter is known
    word[at], word[ROOT], word[-1] = ids, NO_WORD, NO_WORD
    bare = np.concatenate([nodes + lasts, np.arange(nodes, count)])
    bare[ROOT] = ROOT
    best = np.full(nodes, -np.inf)
    best[at] = lm.score_ngrams(ids[:, None])
    for node in range(nodes - 1, 0, -1):
        best[parents[node]] = max(best[parents[node]], best[node])
    return Lexicon(following, last, word, bare, parents, best)


def _codes(lm, letters):
    """Ids of the words that can be written, and their label numbers (n, longest), −1 behind; in alphabetical order."""
    possible = set(letters)
    found = [
        (tuple(letters[letter] for letter in word), k)
        for k, word in enumerate(lm.vocabulary)
        if word and word not in (BEGIN, END, UNKNOWN) and possible.issuperset(word)
    ]
    found.sort()
    codes = np.full((len(found), max((len(spelt) for spelt, _ in found), default=0)), -1)
    for row, (spelt, _) in zip(codes, found, strict=True):
        row[: len(spelt)] = spelt
    return np.array([k for _, k in found], np.int64), codes


class _Nodes(NamedTuple):
    """The node ``at`` which each word ends, and of every node its parent and its last label (N,)."""

    at: np.ndarray
    parents: np.ndarray
    lasts: np.ndarray


def _nodes(codes):
    """The ``_Nodes`` of the tree of rows of labels, a node after its parent."""
    at, is_new = np.zeros(len(codes), np.int64), np.zeros(len(codes), bool)
    is_new[0] = True
    parents, lasts, count = [np.array([-1])], [np.array([-1])], 1
    for column in codes.T:
        is_new[1:] |= column[1:] != column[:-1]
        reached, opened = column >= 0, is_new & (column >= 0)
        parents.append(at[opened])
        lasts.append(column[opened])
        at[reached] = count + np.cumsum(opened)[reached] - 1
        count += len(lasts[-1])
    return _Nodes(at, np.concatenate(parents), np.concatenate(lasts))
