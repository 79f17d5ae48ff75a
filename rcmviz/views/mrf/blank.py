"""A field's words for the blank of a sentence as JSON for the view, also for each change of a neighbour."""

import numpy as np

from rcmviz.mrf.vocabulary import split_at_blank
from rcmviz.views.word.payload import digest, number

SHOWN = 10  # words of a list
OTHERS = 8  # words that a neighbour may be changed to


def build_blank(field, sentence, following=None, *, title="", code=None):
    """Build the payload of the view of a blank.

    ``field`` a MarkovField · ``sentence`` with one ``_``, a text or words · ``following(words before)`` the [(word, p)]
    of a left-to-right model, likeliest first, with its name, or None · ``title`` of the field · ``code`` shown by "show
    code". ValueError for no blank or two, and for an unknown word if the field has no ``<unk>``.
    """
    left, right = split_at_blank(sentence, field.vocabulary_.units)
    before = _Filling(field, left, right)
    order = field.potentials_.order
    slots = [_slot(field, left, right, side, back) for side, back in _neighbour_places(order)]
    best = field.words[before.best(1)[0]]
    variants = [v for slot in slots for v in _variants(field, left, right, slot, best)]
    shown = list(dict.fromkeys(w for one in (before, *(v.filling for v in variants)) for w in one.best(SHOWN)))
    payload = {
        "kind": "blank",
        "title": title,
        "left": left,
        "right": right,
        "unknown": sorted({word for word in left + right if word not in field.vocabulary_}),
        "slots": slots,
        "words": [field.words[w] for w in shown],
        "p": _numbers(before.p[shown]),
        "node": _numbers(before.node[shown]),
        "edges": before.edge_rows(shown),
        "hidden": number(before.hidden),
        "variants": [v.numbers(shown) for v in variants],
        "following": None if following is None else following(left),
        "code": code,
    }
    return payload | {"id": digest(payload)}


def _neighbour_places(order):
    """(side, distance) of the neighbours, in the order of the sentence."""
    return [*(("left", back) for back in range(order, 0, -1)), *(("right", back) for back in range(1, order + 1))]


def _slot(field, left, right, side, back):
    """A neighbour: ``word`` None where the sentence ends before it."""
    words = left[::-1] if side == "left" else right
    word = words[back - 1] if back <= len(words) else None
    return {"side": side, "back": back, "word": word, "known": word is None or word in field.vocabulary_}


class _Filling:
    """The words for a blank between these words. ``<unk>`` and the separator are never proposed; ``hidden`` is the
    probability of ``<unk>``. Scores are relative to their mean by the words' frequencies.
    """

    def __init__(self, field, left, right):
        self.p, unknown = field.conditional(left, right), field.vocabulary_.unknown
        self.hidden = float(self.p[unknown]) if unknown > 0 else 0.0
        share = np.array(field.counts_, np.float64)
        share[[0, unknown] if unknown > 0 else 0] = 0.0
        share /= share.sum()
        self._listed = share > 0
        self.node = field.potentials_.node - share @ field.potentials_.node
        edges = field.edge_scores(left, right)
        self.edges = edges - (edges @ share)[:, :, None]

    def best(self, k):
        """Numbers of the k likeliest words."""
        order = np.argsort(-np.where(self._listed, self.p, -1.0), kind="stable")
        return order[: min(k, int(self._listed.sum()))].tolist()

    def edge_rows(self, shown):
        """Scores of the edges to each neighbour, in the order of the sentence."""
        return [self.edge(side, back, shown) for side, back in _neighbour_places(self.edges.shape[1])]

    def edge(self, side, back, shown):
        """Scores of the edge to one neighbour."""
        return _numbers(self.edges[0 if side == "left" else 1, back - 1][shown])


class _Variant:
    """The blank where one neighbour is another word."""

    def __init__(self, field, left, right, slot, word):
        self.slot, self.word = slot, word
        left, right = list(left), list(right)
        if slot["side"] == "left":
            left[-slot["back"]] = word
        else:
            right[slot["back"] - 1] = word
        self.filling = _Filling(field, left, right)

    def numbers(self, shown):
        """As JSON."""
        edge = self.filling.edge(self.slot["side"], self.slot["back"], shown)
        return {
            "side": self.slot["side"],
            "back": self.slot["back"],
            "word": self.word,
            "p": _numbers(self.filling.p[shown]),
            "edge": edge,
            "hidden": number(self.filling.hidden),
        }


def _variants(field, left, right, slot, best):
    """The blank with each of the words that fit best in the neighbour's place, given the blank's ``best`` word."""
    if slot["word"] is None:
        return
    line, at = [*left, best, *right], len(left) + (slot["back"] if slot["side"] == "right" else -slot["back"])
    for w in _Filling(field, line[:at], line[at + 1 :]).best(OTHERS + 1):
        if field.words[w] != slot["word"]:
            yield _Variant(field, left, right, slot, field.words[w])


def _numbers(values):
    return [number(value) for value in np.asarray(values).tolist()]
