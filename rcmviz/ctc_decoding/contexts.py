"""Numbers of label strings while frames are read, with the scores of a language model after each.

The kernels know a context by its key; a context is another when a label is appended, the one that ``grown`` says.
``Suffixes`` remember the last n labels, ``Prefixes`` all of them; those of words are in ``words.py``. A history
holds label numbers, the oldest first: V is the start before the first label, −1 for forgotten labels.
"""

from os import PathLike
from warnings import warn

import numpy as np

from rcmviz.core.shared.frozen import CopyableMixin
from rcmviz.lm.language_model import END, UNKNOWN, LanguageModel

FORGOTTEN = -1
NO_OUTLOOK = np.zeros((0, 0))  # where nothing is believed of what a context will pay


def latest(items, most):
    """The last items of a tuple, at most ``most``."""
    return items[max(0, len(items) - most) :]


class Strings:
    """Tuples numbered as they come, each after all its suffixes; 0 is the empty one.

    >>> strings = Strings()
    >>> strings.number(("a", "b")), strings.known[:3], strings.shorter[:3].tolist()
    (2, [(), ('b',), ('a', 'b')], [-1, 0, 1])
    """

    def __init__(self):
        self.known, self.numbers = [()], {(): 0}
        self.shorter = np.full(64, -1)

    def number(self, string):
        """The number of a string, a new number for a new string."""
        if string not in self.numbers:
            shorter = self.number(string[1:])
            if len(self.known) == len(self.shorter):
                self.shorter = np.concatenate([self.shorter, np.full_like(self.shorter, -1)])
            self.shorter[len(self.known)] = shorter
            self.numbers[string] = len(self.known)
            self.known.append(string)
        return self.numbers[string]

    def lengths(self, numbers):
        """The length of each string."""
        return np.array([len(string) for string in self.known], np.int64)[numbers]


class Suffixes(CopyableMixin):
    """Strings of at most ``order`` labels, the start counted as one; a key is what comes before the last, times V + 1,
    plus the last.

    >>> names = Suffixes(2, 2)  # of a and b
    >>> after_a = names.grown(np.array([names.start]))[:, 0]  # the start, and then an a
    >>> names.histories(after_a).tolist(), names.lengths(after_a).tolist()
    ([[2, 0]], [2])
    """

    def __init__(self, width, order):
        self.width, self.order = width, order
        self.heads, self.following = Strings(), {}
        self.cells = np.arange(width + 1)
        self.cells.setflags(write=False)
        self.start = width  # the string of the start alone

    @property
    def shape(self):
        """The kernels' rule of forgetting; a last label has nothing to forget."""
        return self.heads.shorter, self.cells

    def lengths(self, keys):
        """The length of each string."""
        return self.heads.lengths(keys // (self.width + 1)) + 1

    def grown(self, keys):
        """The keys (n, V) with a label more, which forget their oldest where they would be too long."""
        for key in keys.tolist():
            if key not in self.following:
                self.following[key] = self.heads.number(latest(self._labels(key), self.order - 1))
        heads = np.array([self.following[key] for key in keys.tolist()], np.int64)
        return heads[:, None] * (self.width + 1) + self.cells[: self.width]

    def last(self, keys):
        """The last label, −1 for the start."""
        cell = keys % (self.width + 1)
        return np.where(cell == self.width, -1, cell)

    def histories(self, keys):
        """The strings, shape (n, order)."""
        found = np.full((len(keys), self.order), FORGOTTEN)
        for row, key in zip(found, keys.tolist(), strict=True):
            labels = self._labels(key)
            row[-len(labels) :] = labels
        return found

    def _labels(self, key):
        head, cell = divmod(key, self.width + 1)
        return (*self.heads.known[head], cell)


class Prefixes:
    """Whole strings, numbered as they come; a key is the number of the string without its last label, times V, plus it.

    >>> names = Prefixes(2, 2)  # of a and b
    >>> after_a = names.grown(np.array([names.start]))[:, 0]
    >>> names.histories(names.grown(after_a)[:, 1]).tolist()
    [[0, 1]]
    """

    start = -1

    def __init__(self, width, order):
        self.width, self.order = width, order
        self.number, self.key = {self.start: 0}, [self.start]

    def lengths(self, keys):
        """One for all: nothing is forgotten, so a context is its string."""
        return np.ones(len(keys), np.int64)

    def grown(self, keys):
        """The keys (n, V) with a label more."""
        for key in keys.tolist():
            if key not in self.number:
                self.number[key] = len(self.key)
                self.key.append(key)
        numbers = np.array([self.number[key] for key in keys.tolist()], np.int64)
        return numbers[:, None] * self.width + np.arange(self.width)

    def last(self, keys):
        """The last label, −1 for the start."""
        return np.where(keys == self.start, -1, keys % self.width)

    def histories(self, keys):
        """The last ``order`` labels, shape (n, order)."""
        found = np.full((len(keys), self.order), FORGOTTEN)
        for row, key in zip(found, keys.tolist(), strict=True):
            for back in range(1, self.order + 1):
                row[-back] = self.width if key == self.start else key % self.width
                if key == self.start:
                    break
                key = self.key[key // self.width]
        return found

    def spelt(self, key, most=None):
        """All labels of a string, or the last ones."""
        labels = []
        while key != self.start and len(labels) != most:
            labels.append(key % self.width)
            key = self.key[key // self.width]
        return tuple(reversed(labels))


class HistoryScores:
    """A row for every history that occurred: log scores of the labels after it, and in the last column of the end.

    Without a language model one row serves all.
    """

    def __init__(self, labels, lm, lm_weight, label_bonus, end):
        self.lm, self.lm_weight, self.label_bonus = lm, lm_weight, label_bonus
        self.words = self.words_of = None
        if lm is not None:
            self.words, self.words_of = _words(labels, lm, end)
        self.order = 1 if lm is None else max(lm.order - 1, 1)
        self.known, self.by_key = {}, {}
        self.rows = np.empty((16, len(labels) + 1))

    def names(self, method):
        """The numbers of contexts."""
        return (Prefixes if method == "beam" else Suffixes)(self.rows.shape[1] - 1, self.order)

    def outlook(self, names, keys):
        """Nothing: labels are scored as they come."""
        return NO_OUTLOOK

    @property
    def table(self):
        """All rows so far, (R, V + 1)."""
        return self.rows[: len(self.known)]

    def rows_of(self, names, keys):
        """The row of each string; strings that no score tells apart share one."""
        keys = keys.tolist()
        new = [key for key in keys if key not in self.by_key]
        if new:
            histories = names.histories(np.array(new, np.int64))
            if self.lm is None:
                histories[:] = FORGOTTEN
            spelt = [row.tobytes() for row in histories]
            missing = {name: k for k, name in enumerate(spelt) if name not in self.known}
            if missing:
                self._add(missing, histories[list(missing.values())])
            self.by_key |= {key: self.known[name] for key, name in zip(new, spelt, strict=True)}
        return np.array([self.by_key[key] for key in keys], np.int64)

    def _add(self, spelt, histories):
        """Rows of new histories, ``spelt`` as bytes."""
        begin = len(self.known)
        while len(self.rows) < begin + len(histories):
            self.rows = np.concatenate([self.rows, np.empty_like(self.rows)])
        rows = self.rows[begin : begin + len(histories)]
        rows[:] = 0.0
        if self.lm is not None:
            rows[:] = self.lm.log_rows(self.words_of[histories], self.words, self.lm_weight)
            rows[:, -1] = np.where(self.words[-1] < 0, 0.0, rows[:, -1])
        rows[:, :-1] += self.label_bonus
        self.known |= {name: begin + k for k, name in enumerate(spelt)}


def _words(labels, lm, end):
    """(ids of the labels and of the end, −1 if it is not scored; ids of the entries of histories, by their number)."""
    if not isinstance(lm, LanguageModel):
        read = "" if not isinstance(lm, (str, PathLike)) else "; rv.read_arpa and rv.load_lm read one"
        raise ValueError(f"lm {lm!r:.60}: give an rv.LanguageModel whose words are the labels, or None{read}")
    if end and lm.end < 0:
        raise ValueError(f"the language model has no {END}: it cannot score the end; pass end=False")
    ids = lm.ids(labels)
    lacked = [label for label, known in zip(labels, ids.tolist(), strict=True) if known in (-1, lm.unknown)]
    lacked = [label for label in lacked if label != UNKNOWN]
    if lacked:
        some = ", ".join(map(repr, lacked[:3])) + (f" and {len(lacked) - 3:,} more" if len(lacked) > 3 else "")
        if lm.unknown < 0:
            raise ValueError(f"the language model does not know {some} and has no {UNKNOWN}; its words are the labels")
        warn(f"the language model lacks {some}: scored as {UNKNOWN}", stacklevel=5)
    words = np.append(ids, lm.end if end else -1).astype(np.int32)
    return words, np.concatenate([ids, [lm.begin, -1]]).astype(np.int32)
