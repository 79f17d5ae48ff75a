"""The vectors of a field's words as a map, and the nearest words of each: JSON for the Neighbours view."""

from typing import Any, NamedTuple

import numpy as np

from rcmviz.views.word.payload import digest, number

NEAREST = 10


class NamedField(NamedTuple):
    """A field with its name and the seconds that it took to learn, None if unknown."""

    name: str
    field: Any
    seconds: float | None


def build_neighbours(fields, *, word=None, title="", code=None):
    """Build the payload of the Neighbours view.

    ``fields`` one or two ``NamedField``s of the same vocabulary · ``word`` selected at first · ``title`` of the text ·
    ``code`` shown by "show code". ValueError for a word that is not in the vocabulary, and for fields of full rank,
    which have no vectors.
    """
    fields = [NamedField(*one) for one in fields]
    first = fields[0].field
    unknown = first.vocabulary_.unknown
    shown = np.array([w for w in range(1, len(first.words)) if w != unknown])
    words = [first.words[w] for w in shown]
    if word is not None and word not in words:
        raise ValueError(f"the word {word!r} is not among the {len(words):,} words of the field: type another one")
    payload = {
        "kind": "neighbours",
        "title": title,
        "words": words,
        "first": word or words[0],
        "counts": np.asarray(first.counts_)[shown].astype(int).tolist(),
        "maps": [
            {"name": one.name, "seconds": None if one.seconds is None else number(one.seconds)}
            | _map_of(one.field.vectors[shown])
            for one in fields
        ],
        "code": code,
    }
    return payload | {"id": digest(payload)}


def _map_of(vectors):
    """Two principal components of the words' directions, and the words with the smallest angles to each."""
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-300)
    place, share = principal(unit)
    cosines = unit @ unit.T
    np.fill_diagonal(cosines, -np.inf)
    near = np.argsort(-cosines, axis=1, kind="stable")[:, : min(NEAREST, len(unit) - 1)]
    values = np.take_along_axis(cosines, near, axis=1)
    return {
        "x": np.round(place[:, 0], 4).tolist(),
        "y": np.round(place[:, 1], 4).tolist(),
        "share": number(share),
        "near": near.tolist(),
        "cosines": np.round(values, 3).tolist(),
    }


def principal(points):
    """Coordinates (n, 2) along the two directions in which the points differ most, and their share of the variance.

    The largest coordinate of a direction is positive, so that the same vectors give the same map everywhere.
    """
    centred = points - points.mean(axis=0)
    parts = np.linalg.svd(centred, full_matrices=False)
    scale = parts.S
    place = parts.U[:, :2] * scale[:2]
    place = np.pad(place, ((0, 0), (0, 2 - place.shape[1])))
    largest = place[np.abs(place).argmax(axis=0), [0, 1]]
    total = float((scale**2).sum())
    return place * np.where(largest < 0, -1.0, 1.0), float((scale[:2] ** 2).sum()) / total if total else 0.0
