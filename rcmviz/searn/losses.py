"""Losses of a whole output: by name, or a custom function."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import isfinite

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin
from rcmviz.kernels.searn import losses as kernel
from rcmviz.kernels.searn.rollouts import OWN
from rcmviz.sequences.schemes import OUTSIDE, SCHEMES, scheme_of

LOSSES = {"hamming": kernel.HAMMING, "zero-one": kernel.ZERO_ONE, "chunks": kernel.CHUNKS, "edit": kernel.EDIT}


def chunk_kinds(labels):
    """The meaning of labels for chunks, (Y + 1, 2): outside, begins or inside, and the number of the chunk's type.

    ``O`` and ``_`` are outside, ``B-NP`` begins a chunk of type NP, ``I-NP`` is inside one; where all labels are those
    of BIOES or BILOU, ``S-NP`` begins a chunk and ``E-NP`` is inside one. Any other label is inside a chunk of that
    name: runs of equal tags are chunks. The last row is that of −1, a label that training has not seen: a chunk like no
    other.

    >>> chunk_kinds(["O", "B-NP", "I-NP", "NOUN"]).tolist(), chunk_kinds(["O", "B-NP", "E-NP", "S-VP"]).tolist()
    ([[0, 0], [1, 1], [2, 1], [2, 2], [2, 3]], [[0, 0], [1, 1], [2, 1], [1, 2], [2, 3]])
    """
    scheme = scheme_of(labels)
    types, kinds = {}, []
    for label in map(str, labels):
        part, name = (scheme or SCHEMES["bio"]).split(label)
        if label in OUTSIDE:
            kinds.append((kernel.OUTSIDE, 0))
        else:
            tagged = part != "O" and (name or scheme is not None)
            number = types.setdefault(name if tagged else label, len(types) + 1)
            kinds.append((kernel.BEGINS if tagged and part in "BS" else kernel.INSIDE, number))
    return np.array([*kinds, (kernel.INSIDE, len(types) + 1)], np.int64)


@dataclass(frozen=True, eq=False)
class OutputLoss(CopyableMixin):
    """The loss of an output of ``labels``: that of a ``name``, or ``own(truth, output)``, a function of two lists."""

    labels: tuple
    name: str = "hamming"
    own: Callable | None = None

    def __post_init__(self):
        checks.choice("loss", self.name, LOSSES)
        if self.own is not None and not callable(self.own):
            raise ValueError(f"loss {self.own!r}: one of {', '.join(LOSSES)}, or a function of two lists of labels")

    @cached_property
    def kinds(self):
        """``chunk_kinds`` of the labels."""
        return chunk_kinds(self.labels)

    @property
    def number(self):
        """That of the kernels."""
        return OWN if self.own else LOSSES[self.name]

    def of(self, truth, output, where="an output"):
        """The loss of one output, label numbers; ValueError if a custom function returns no finite number."""
        if self.own is None:
            return float(kernel.loss_of(self.number, truth, output, self.kinds))
        right, found = ([None if y < 0 else self.labels[y] for y in labels] for labels in (truth, output))
        loss = self.own(right, found)
        if not checks.is_number(loss) or not isfinite(loss):
            raise ValueError(f"{where}: the loss of {found!r} is {loss!r}; a loss is a finite number")
        return float(loss)

    def of_all(self, golds, outputs):
        """Losses of many outputs (W,)."""
        return np.array(
            [self.of(*pair, f"sequence {w}") for w, pair in enumerate(zip(golds, outputs, strict=True), start=1)]
        )


def chunk_f1(golds, outputs, labels):
    """F1 of the chunks of all sequences together; 1 if there are none."""
    kinds = chunk_kinds(labels)
    counts = [kernel.count_chunks(truth, output, kinds) for truth, output in zip(golds, outputs, strict=True)]
    *chunks, right = np.sum(counts, axis=0)  # chunks of the truth, of the outputs, and of both
    return float(2 * right / sum(chunks)) if sum(chunks) else 1.0
