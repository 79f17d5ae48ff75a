"""The taggers that the page asks: a field, and the shipped HMM, as bigram and as trigram."""

from dataclasses import dataclass
from functools import lru_cache

import rcmviz as rv

# Sentences whose right tags are known: what the page opens with, and what it opened with before.
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
    """Both learnt from the training part of UD-EWT; they come with rcmviz."""
    return Taggers(rv.load_field_tagger(SHIPPED), rv.load_tagger(SHIPPED_HMM))
