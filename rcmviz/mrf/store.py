"""A field in a file: one npz without pickle, every table checked when it is read."""

from typing import NamedTuple

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.core.shared.npz import (
    check_parts,
    head_text,
    join_precision,
    pack_text,
    read_head,
    read_npz,
    split_precision,
    unpack_text,
    write_npz,
)
from rcmviz.lm.text import TOKENS
from rcmviz.mrf.potentials import FullRank, LowRank
from rcmviz.mrf.vocabulary import Vocabulary

FORMAT, VERSION = "rcmviz/field", 1
REMEDY = "train it again, or copy it again from where it came"


def write_field(path, settings, vocabulary, potentials, delta, counts, tokens, info, history):
    """Write what ``read_field`` reads."""
    settings = settings | {"units": vocabulary.units}
    head = {
        "format": FORMAT,
        "version": VERSION,
        "settings": settings,
        "tokens": int(tokens),
        "info": info,
        "history": list(history),
    }
    arrays = split_precision(potentials.parts | {"delta": delta, "counts": counts})
    texts = {"head": pack_text(head_text(head)), "words": pack_text("\n".join(vocabulary.words))}
    write_npz(path, texts | arrays, compressed=True)


class StoredField(NamedTuple):
    """The arrays of a field in a file."""

    settings: dict
    vocabulary: Vocabulary
    potentials: FullRank | LowRank
    delta: np.ndarray
    counts: np.ndarray
    tokens: int
    info: dict
    history: tuple


def read_field(path):
    """The ``StoredField`` of a file; ValueError names the file and its fault."""
    arrays = read_npz(path, "field", REMEDY)
    with check_parts(path, "field of rcmviz", REMEDY):
        return _parts(read_head(arrays["head"], FORMAT, VERSION), unpack_text(arrays["words"]), arrays)


def _parts(head, words, arrays):
    settings, info, tokens, history = head["settings"], head["info"], head["tokens"], head.get("history", [])
    if not isinstance(settings, dict) or not isinstance(info, dict) or not isinstance(tokens, int):
        raise ValueError("its head is damaged")
    settings = {"units": info.get("split", TOKENS)} | settings  # before 0.3 only info named another split
    vocabulary = Vocabulary(tuple(words.split("\n")), settings["units"])
    kind = LowRank if "U" in arrays else FullRank
    names = ("node", "U", "W") if kind is LowRank else ("node", "theta")
    potentials = kind(*(join_precision(arrays, name) for name in names))
    delta, counts = (join_precision(arrays, name) for name in ("delta", "counts"))
    if potentials.size != len(vocabulary):
        raise ValueError(f"potentials of {potentials.size} words, a vocabulary of {len(vocabulary)}")
    if delta.shape != (potentials.order, potentials.size) or counts.shape != potentials.node.shape:
        raise ValueError("its tables do not fit each other")
    if not (
        np.all(np.abs(delta) <= checks.LARGEST) and np.isfinite(counts).all() and counts.min() >= 0 and counts.sum() > 0
    ):
        raise ValueError("delta or counts hold numbers that cannot be")
    return StoredField(settings, vocabulary, potentials, delta, counts, tokens, info, tuple(history))
