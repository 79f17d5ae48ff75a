"""Between a user's features and labels and the numbered ``Sequences`` that a model is trained on.

A position is described by a dict of features (CRFsuite's way: ``{"word": "the", "length": 3, "capital": False}``), by a
list of feature names (``["word=the", "short"]``), or by a row of numbers. A text is an indicator ``word=the``, a number
keeps its value, a list of texts is as many indicators, a dict within a dict prefixes its names, and a feature never
seen in training is left out. Names are numbered in one pass, and no object per feature stays. Labels are texts or whole
numbers, and come back as what they were. A sequence without positions says nothing, and is left out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np

from rcmviz.core.models.model import BEGIN, FORGOTTEN
from rcmviz.core.shared import checks
from rcmviz.sequences.numbering import BLOCK, LEFT_OUT, Entries, Names, place_of
from rcmviz.sequences.table import UNKNOWN, Sequences, first_full, full_rows, length_of

LARGE = 1_000  # a step of AdaGrad is as large in each weight, so other features hardly count next to such a value


@dataclass(frozen=True, repr=False)
class Encoder:
    """``classes`` the labels as the user knows them, ascending · ``F`` features · their ``names``, None for arrays."""

    classes: tuple
    F: int
    names: tuple | None = None

    def __repr__(self):
        return f"<Encoder: {len(self.classes):,} labels, {self.F:,} features>"

    @classmethod
    def learn(cls, X, y, classes=None):
        """The encoder of labelled sequences, and the sequences encoded → (Encoder, Sequences).

        ``X`` a list of sequences of positions, ``y`` a list of label sequences of the same lengths; ``classes`` all
        labels, those in ``y`` by default. ValueError names the sequence and position that cannot be used.

        >>> X = [[{"word": "the"}, {"word": "cat", "length": 3}], [["word=the"]]]
        >>> encoder, data = Encoder.learn(X, [["D", "N"], ["D"]])
        >>> encoder.classes, encoder.names, data.gold.tolist()
        (('D', 'N'), ('length', 'word=cat', 'word=the'), [0, 1, 0])
        """
        X, y = list_sequences(X, "X"), list_sequences(y, "y")
        _check_lengths(X, y)
        is_numeric, classes = _is_numeric(X), _all_classes(y, classes)
        labels = _texts(classes)
        bare = full_rows(X, labels) if is_numeric else _learn_names(X, labels)
        encoder = cls(classes, bare.F, bare.names)
        return encoder, replace(bare, gold=encoder.numbers(y))

    def encode(self, X, y=None, new=None):
        """Further sequences → Sequences; labels that training has not seen are −1, so no answer to them is right.

        Names of features that training has not seen are left out; they go into the list ``new`` if one is given.

        ValueError: arrays with another number of features, dicts where training had arrays or the other way round.
        """
        X = list_sequences(X, "X")
        if _is_numeric(X) != (self.names is None):
            known, first = "arrays of numbers" if self.names is None else "named features", first_full(X)
            here = next(iter(first), None) if checks.is_iterable(first) else first
            raise ValueError(f"training had {known}, here a position is {here!r:.60}; describe them alike")
        if self.names is None:
            data = full_rows(X, self.labels)
        else:
            names = self._by_name if new is None else Names(self.names, grows=True)
            entries = Entries(X, names)
            if new is not None:
                new += names.listed()[self.F :]
                numbers = np.asarray(entries.number)
                numbers[numbers >= self.F] = LEFT_OUT
            data = _sequences(entries, self.labels, self.names)
        if data.F != self.F:
            raise ValueError(f"X has {data.F} features per position, but training had {self.F}")
        if y is None:
            return data
        y = list_sequences(y, "y")
        _check_lengths(X, y)
        return replace(data, gold=self.numbers(y))

    def numbers(self, y):
        """The label numbers of label sequences, one after the other (N,); −1 for a label that is not in ``classes``."""
        index = {label: number for number, label in enumerate(self.classes)}
        with checks.hashable("y", "labels are texts or numbers"):
            found = (index.get(label, UNKNOWN) for labels in y for label in labels)
            return np.fromiter(found, np.int64, sum(map(len, y)))

    def unseen(self, y):
        """The labels in ``y`` that training has not seen, ascending."""
        with checks.hashable("y", "labels are texts or numbers"):
            return sorted({label for labels in y for label in labels} - set(self.classes), key=str)

    @cached_property
    def labels(self):
        """The labels as the model spells them, texts: ``*`` and ``^``, which windows reserve, behind a backslash."""
        return _texts(self.classes)

    @cached_property
    def _by_name(self):
        """Numbers of features, built once: for 60,000 names that takes as long as to decode a hundred sentences."""
        return Names(self.names)

    def index_names(self):
        """Build the index of names, which else the first call of `encode` does."""
        return None if self.names is None else self._by_name

    def __getstate__(self):
        """The pickled or copied parts, from which the others are made."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def to_dict(self):
        """Ready for JSON, and for the ``info`` of a model."""
        return {"classes": list(self.classes), "F": self.F, "names": None if self.names is None else list(self.names)}

    @classmethod
    def from_dict(cls, parts):
        """The encoder that ``to_dict`` wrote; ValueError where the parts do not fit together."""
        try:
            classes, F, names = tuple(parts["classes"]), int(parts["F"]), parts["names"]
            if None in map(_kind, classes):  # 1.5 is no label, and NaN would be an answer
                raise ValueError
            if names is not None and not all(isinstance(name, (str, int)) for name in names):
                raise ValueError
        except (KeyError, TypeError, ValueError):
            raise ValueError("it does not say its features and classes") from None
        if names is not None and not len(names) == len(set(names)) == F:
            raise ValueError(f"{len(set(names))} different names for {F} features")
        return cls(classes, F, None if names is None else tuple(names))


def too_large(data):
    """A warning about a feature whose values are too large to learn from others, or None."""
    value = data.value
    if not value.size or max(value.max(), -value.min()) < LARGE:
        return None
    entry = int(np.argmax(np.abs(value)))
    name = data.feature[entry] if data.names is None else repr(data.names[data.feature[entry]])
    return (
        f"feature {name} is as large as {value[entry]:,.16g}: other features hardly count; scale it, or make it a text"
    )


def labels_text(labels, most=5):
    """The first few labels, for a message."""
    more = f" and {len(labels) - most:,} more" if len(labels) > most else ""
    return ", ".join(repr(label) for label in labels[:most]) + more


def _texts(classes):
    """The labels as the model spells them."""
    texts = list(map(str, classes))
    for reserved in (FORGOTTEN, BEGIN):
        if reserved in texts:
            spelt = "\\" + reserved
            while spelt in texts:
                spelt = "\\" + spelt
            texts[texts.index(reserved)] = spelt
    return tuple(texts)


def list_sequences(sequences, name):
    """Sequences that can be gone through again; ValueError for a table, or for a single sequence."""
    _refuse_table(sequences, name)
    if not checks.is_iterable(sequences):
        raise ValueError(f"{name} is a list of sequences, not {type(sequences).__name__}")
    found = sequences if isinstance(sequences, (Sequence, np.ndarray)) else list(sequences)
    first = found[0] if name == "X" and len(found) else ()
    for number, one in enumerate(found if name == "X" and isinstance(found, (list, tuple)) else (first,)):
        _refuse_table(one, f"X[{number}]")
    if isinstance(first, (str, Mapping)):
        raise ValueError(f"X[0] is {first!r:.60}: X is a list of sequences, each of positions; one sequence x is [x]")
    return found


def _refuse_table(value, name):
    """A table of pandas or another library would be gone through column by column."""
    if hasattr(value, "columns") and hasattr(value, "to_numpy"):
        raise ValueError(
            f"{name} is a table: give a list of sequences, each the rows of one as dicts, "
            "[rows.to_dict('records') for _, rows in table.groupby(…)]"
        )


def _check_lengths(X, y):
    if isinstance(y, (str, bytes)):
        raise ValueError(f"y is one text; give a list of label sequences, [y] for one: {y!r:.60}")
    if len(X) != len(y):
        raise ValueError(f"{len(X)} sequences of features, {len(y)} of labels: as many of each")
    for number, (positions, labels) in enumerate(zip(X, y, strict=True), start=1):
        if not hasattr(labels, "__len__") or not checks.is_iterable(labels):
            raise ValueError(f"sequence {number}: y is a list of label sequences, here it is {labels!r}")
        if length_of(positions) not in (None, len(labels)):
            letters = f", the characters of {labels!r:.60}" if isinstance(labels, str) else ""
            raise ValueError(
                f"sequence {number}: {len(positions)} positions of features, {len(labels)} labels{letters}"
            )


def _all_classes(y, given):
    """The labels of a first training, ascending: those that are ``given``, which have to have all in ``y``."""
    found = _classes(y)
    if given is None:
        return found
    classes = _classes([checks.as_list("classes", given, "the names of all labels")])
    unknown = sorted(set(found) - set(classes), key=str)
    if unknown:
        raise ValueError(f"classes lack {labels_text(unknown)}, which y has; name all labels")
    return classes


def _classes(y):
    """The distinct labels, ascending; texts and numbers do not mix, for 1 and "1" would look alike."""
    found, kinds = set(), set()
    for number, labels in enumerate(y, start=1):
        for label in labels:
            kind = _kind(label)
            if kind is None:
                raise ValueError(
                    f"sequence {number}: label {label!r} is no text, no whole number and no truth value; make it one"
                )
            kinds.add(kind)
        found.update(labels)
    if len(kinds) > 1:
        raise ValueError("some labels are texts and some are numbers, or truth values among them; use one kind")
    return tuple(sorted(map(kinds.pop(), found))) if kinds else ()


def _kind(label):
    """str, bool or int, None for another kind; ``True`` and ``1`` are equal, so they must not mix."""
    if isinstance(label, (bool, np.bool_)):
        return bool
    return str if isinstance(label, str) else int if checks.is_whole(label) else None


def _is_numeric(X):
    """Whether the first position is a row of numbers rather than named features; ValueError for no position."""
    first = first_full(X)
    if isinstance(first, np.ndarray):
        return True
    position = first[0] if isinstance(first, Sequence) and first else {}
    named = isinstance(position, (list, tuple)) and all(isinstance(name, str) for name in position)
    return not named and not isinstance(position, (str, Mapping))


def _learn_names(X, labels):
    """Sequences of named features, whose names are numbered in ascending order."""
    found = Names(grows=True)
    entries = Entries(X, found)
    known = found.listed()
    spelt = list(map(str, known))
    order = sorted(range(len(spelt)), key=spelt.__getitem__)
    names = _check_names([known[number] for number in order])
    rank = np.zeros(len(names), np.int32)
    rank[order] = np.arange(len(names))
    return _sequences(entries, labels, names, rank)


def _sequences(entries, labels, names, rank=None):
    """Sequences of entries, where they stand; ``rank`` says the number of a name in the order of all names."""
    number, start = np.asarray(entries.number), np.asarray(entries.start)
    value, plain, lengths = np.broadcast_to(1.0, len(number)), not entries.place, np.asarray(entries.lengths)
    if not plain:  # else one number in memory, where there were K
        value = np.ones(len(number))
        value[np.asarray(entries.place)] = entries.value
    if rank is None and (number == LEFT_OUT).any():
        known = number != LEFT_OUT
        start = np.concatenate([[0], np.cumsum(known)])[start]
        number, value = number[known], value[: known.sum()] if plain else value[known]
    for first in range(0, len(start) - 1, BLOCK):
        _order_positions(start[first : first + BLOCK + 1], number, value, rank, plain)
    if not (plain or np.isfinite(value).all()):
        entry = int(np.argmin(np.isfinite(value)))
        w, i = place_of(lengths, int(np.searchsorted(start, entry, side="right")) - 1)
        raise ValueError(
            f"sequence {w}, position {i}: feature {names[number[entry]]!r} is {value[entry]}; use finite numbers"
        )
    full = lengths[lengths > 0]
    offset, unknown = np.concatenate([[0], np.cumsum(full)]), np.full(len(start) - 1, UNKNOWN)
    return Sequences(labels, len(names), offset, start, number, value, unknown, names)


def _order_positions(start, number, value, rank, plain):
    """The entries of each position ascending, so that sums are the same in whatever order features came."""
    here = slice(start[0], start[-1])
    feature = number[here] if rank is None else rank[number[here]]
    rows, width = len(start) - 1, 1 + int(feature.max(initial=0))
    position = np.repeat(np.arange(rows, dtype=np.int32 if rows * width < 2**31 else np.int64), np.diff(start))
    if plain or (value[here] == 1.0).all():  # nothing goes along, and numbers alone are sorted ten times as fast
        base = position * width
        number[here] = np.sort(base + feature) - base
    else:
        order = np.lexsort((feature, position))
        number[here], value[here] = feature[order], value[here][order]


def _check_names(names):
    strange = [name for name in names if not isinstance(name, (str, int))]
    if strange:
        raise ValueError(f"feature {strange[0]!r}: its name is no text, and could not be kept in a file")
    return tuple(names)
