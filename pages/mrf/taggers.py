"""The taggers of the page: a field, and the shipped HMM as bigram and as trigram."""

from dataclasses import dataclass
from functools import lru_cache

import rcmviz as rv

# Sentences with known tags: the present opening sentence and the previous one.
GOLD = {
    "an unbeatable striker outsmarted three Zanzibarian defenders .": "DT JJ NN VBD CD JJ NNS .",
    "the new professor quickly unfriended two Zanzibarian gloops .": "DT JJ NN RB VBD CD JJ NNS .",
}
SHIPPED, SHIPPED_HMM = "mrftagger-ewt", "tagger-ewt"


@dataclass(frozen=True, eq=False)
class Taggers:
    """The ``field``, and ``others`` {name: order} of the shipped HMM."""

    field: rv.FieldTagger
    shipped: object
    others: tuple = (("Bigram HMM", 2), ("Trigram", 3))


@lru_cache(maxsize=1)
def taggers():
    """Return the taggers, both trained on the training part of UD-EWT and shipped with rcmviz."""
    return Taggers(rv.load_field_tagger(SHIPPED), rv.load_tagger(SHIPPED_HMM))
