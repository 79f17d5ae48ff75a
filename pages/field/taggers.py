"""The taggers that the page asks: a field, and the shipped HMM, as bigram and as trigram."""

from dataclasses import dataclass
from functools import lru_cache

import rcmviz as rv

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
