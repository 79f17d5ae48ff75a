"""Between a user's features and labels and the numbered ``Sequences`` that a model is trained on.

A position is described by a dict of features (CRFsuite's way: ``{"word": "the", "length": 3, "capital": False}``), by a
list of feature names (``["word=the", "short"]``), or by a row of numbers. Names become numbers through scikit-learn's
DictVectorizer: a text is an indicator ``word=the``, a number keeps its value, a feature never seen in training is left
out. Labels are texts or whole numbers, and come back as what they were.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from sklearn.feature_extraction import DictVectorizer

from rcmviz.core import checks
from rcmviz.sequences.table import UNKNOWN, Sequences


@dataclass(frozen=True)
class Encoder:
    """``classes`` the labels as the user knows them, ascending · ``F`` features · their ``names``, None for arrays."""

    classes: tuple
    F: int
    names: tuple | None = None

    @classmethod
    def learn(cls, X, y):
        """The encoder of labelled sequences, and the sequences encoded → (Encoder, Sequences).

        ``X`` a list of sequences of positions, ``y`` a list of label sequences of the same lengths. ValueError names
        the sequence and position that cannot be used.

        >>> X = [[{"word": "the"}, {"word": "cat", "length": 3}], [["word=the"]]]
        >>> encoder, data = Encoder.learn(X, [["D", "N"], ["D"]])
        >>> encoder.classes, encoder.names, data.gold.tolist()
        (('D', 'N'), ('length', 'word=cat', 'word=the'), [0, 1, 0])
        """
        X, y = _listed(X, "X"), _listed(y, "y")
        _check_lengths(X, y)
        classes = _classes(y)
        if _is_numeric(X):
            bare = Sequences.from_arrays(X, None, _texts(classes))
        else:
            bare = _vectorize(DictVectorizer(), X, _texts(classes), fit=True)
        encoder = cls(classes, bare.F, bare.names)
        return encoder, replace(bare, gold=encoder.numbers(y))

    def encode(self, X, y=None):
        """Further sequences → Sequences; labels that training has not seen are −1, so no answer to them is right.

        ValueError: arrays with another number of features, dicts where training had arrays or the other way round.
        """
        X = _listed(X, "X")
        if not len(X):
            raise ValueError("no sequences: give at least one")
        if _is_numeric(X) != (self.names is None):
            known = "arrays of numbers" if self.names is None else "named features"
            raise ValueError(f"training had {known}, these sequences have the other kind; describe them alike")
        labels = _texts(self.classes)
        data = Sequences.from_arrays(X, None, labels) if self.names is None else _vectorize(self._fitted(), X, labels)
        if data.F != self.F:
            raise ValueError(f"X has {data.F} features per position, but training had {self.F}")
        if y is None:
            return data
        y = _listed(y, "y")
        _check_lengths(X, y)
        return replace(data, gold=self.numbers(y))

    def numbers(self, y):
        """The label numbers of label sequences, one after the other (N,); −1 for a label that is not in ``classes``."""
        index = {label: number for number, label in enumerate(self.classes)}
        return np.array([index.get(label, UNKNOWN) for labels in y for label in labels], dtype=np.int64)

    def unseen(self, y):
        """The labels in ``y`` that training has not seen, ascending."""
        return sorted({label for labels in y for label in labels} - set(self.classes), key=str)

    def _fitted(self):
        vectorizer = DictVectorizer()
        vectorizer.feature_names_ = list(self.names)
        vectorizer.vocabulary_ = {name: number for number, name in enumerate(self.names)}
        return vectorizer

    def to_dict(self):
        """Ready for JSON, and for the ``info`` of a model."""
        return {"classes": list(self.classes), "F": self.F, "names": None if self.names is None else list(self.names)}

    @classmethod
    def from_dict(cls, parts):
        """The encoder that ``to_dict`` wrote; ValueError where the parts do not fit together."""
        try:
            classes, F, names = tuple(parts["classes"]), int(parts["F"]), parts["names"]
        except (KeyError, TypeError, ValueError):
            raise ValueError("it does not say its features and classes") from None
        if names is not None and len(names) != F:
            raise ValueError(f"{len(names)} names for {F} features")
        return cls(classes, F, None if names is None else tuple(names))


def listed(labels, most=5):
    """The first few labels, for a message."""
    more = f" and {len(labels) - most:,} more" if len(labels) > most else ""
    return ", ".join(repr(label) for label in labels[:most]) + more


def _texts(classes):
    """The labels as the model spells them."""
    return tuple(str(label) for label in classes)


def _listed(sequences, name):
    try:
        return sequences if isinstance(sequences, (Sequence, np.ndarray)) else list(sequences)
    except TypeError:
        raise ValueError(f"{name} is a list of sequences, not {type(sequences).__name__}") from None


def _check_lengths(X, y):
    if not len(X):
        raise ValueError("no sequences: give at least one")
    if len(X) != len(y):
        raise ValueError(f"{len(X)} sequences of features, {len(y)} of labels: as many of each")
    for number, (positions, labels) in enumerate(zip(X, y, strict=True)):
        if not hasattr(labels, "__len__"):
            raise ValueError(f"sequence {number}: y is a list of label sequences, here it is {labels!r}")
        if not len(labels):
            raise ValueError(f"sequence {number} is empty: leave it out")
        if _length(positions) not in (None, len(labels)):
            raise ValueError(f"sequence {number}: {len(positions)} positions of features, {len(labels)} labels")


def _length(positions):
    """How many, or None where that cannot be said, as of a generator or a sparse matrix: it is refused further on."""
    try:
        return len(positions)
    except TypeError:
        return None


def _classes(y):
    """The distinct labels, ascending; texts and numbers do not mix, for 1 and "1" would look alike."""
    found = set()
    for number, labels in enumerate(y):
        for label in labels:
            if not isinstance(label, str) and not checks.is_whole(label):
                raise ValueError(f"sequence {number}: label {label!r} is neither a text nor a whole number")
        found.update(labels)
    if len({isinstance(label, str) for label in found}) > 1:
        raise ValueError("some labels are texts and some are numbers; use one kind")
    return tuple(sorted(str(label) if isinstance(label, str) else int(label) for label in found))


def _is_numeric(X):
    """Whether the first position is a row of numbers rather than named features."""
    first = X[0] if len(X) else ()
    if isinstance(first, np.ndarray):
        return True
    position = first[0] if isinstance(first, Sequence) and first else {}
    named = isinstance(position, (list, tuple)) and all(isinstance(name, str) for name in position)
    return not named and not isinstance(position, (str, Mapping))


class _Positions:
    """The feature dicts of all positions, one after the other; ``place`` is where the reading stands."""

    def __init__(self, X):
        self.X, self.place, self.lengths = X, "", []

    def __iter__(self):
        for number, positions in enumerate(self.X):
            self.place = f"sequence {number}"
            if not len(positions):
                raise ValueError(f"{self.place} is empty: leave it out")
            self.lengths.append(len(positions))
            for i, position in enumerate(positions, start=1):
                self.place = f"sequence {number}, position {i}"
                yield self._features(position)

    def _features(self, position):
        if isinstance(position, Mapping):
            return position
        if isinstance(position, (list, tuple)) and all(isinstance(name, str) for name in position):
            return dict.fromkeys(position, 1)
        raise ValueError(f"{self.place}: a position is a dict of features or a list of feature names, not {position!r}")


def _vectorize(vectorizer, X, labels, fit=False):
    positions = _Positions(X)
    try:
        rows = (vectorizer.fit_transform if fit else vectorizer.transform)(iter(positions))
    except (TypeError, OverflowError) as error:
        fault = str(error).splitlines()[0].rstrip(".")
        raise ValueError(f"{positions.place}: {fault}; names are texts, values are texts or numbers") from None
    names, lengths = tuple(vectorizer.feature_names_), positions.lengths
    strange = [name for name in names if not isinstance(name, (str, int))]
    if strange:
        raise ValueError(f"feature {strange[0]!r}: its name is no text, and could not be kept in a file")
    if not np.isfinite(rows.data).all():
        entry = int(np.argmin(np.isfinite(rows.data)))
        row = int(np.searchsorted(rows.indptr, entry, side="right")) - 1
        number, i = _place(lengths, row)
        name = names[rows.indices[entry]]
        raise ValueError(f"sequence {number}, position {i}: feature {name!r} is {rows.data[entry]}; use finite numbers")
    return Sequences.from_entries(rows.indptr, rows.indices, rows.data, lengths, None, labels, len(names), names)


def _place(lengths, row):
    """The sequence and the position, from 1, of a row."""
    ends = np.cumsum(lengths)
    number = int(np.searchsorted(ends, row, side="right"))
    return number, row - int(ends[number] - lengths[number]) + 1
