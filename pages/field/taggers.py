"""The taggers that the page asks: a field that is learnt here, and the shipped one, as bigram HMM and as trigram."""

from dataclasses import dataclass
from functools import lru_cache

import rcmviz as rv
from rcmviz.data import registry
from rcmviz.tasks.tagging.draws import draw_tagged
from rcmviz.tasks.tagging.tagger import read_tagged

SHIPPED = "tagger-ewt"
SENTENCES, STEPS = 1_500, 150  # two seconds of one core


@dataclass(frozen=True, eq=False)
class Taggers:
    """The ``field``, what it was learnt from, and ``others`` {name: order} of the shipped one."""

    field: rv.FieldTagger
    title: str
    shipped: object
    others: tuple = (("Bigram HMM", 2), ("Trigram", 3))


@lru_cache(maxsize=1)
def taggers():
    """Learnt from the treebank where it is on this machine, else from sentences that the shipped tagger draws."""
    shipped, file = rv.load_tagger(SHIPPED), registry.find("ud_ewt")
    if file is not None:
        tagged, source = read_tagged(file)[:SENTENCES], f"the first {SENTENCES:,} sentences of UD-EWT"
    else:
        tagged = draw_tagged(shipped, SENTENCES)
        source = f"{SENTENCES:,} sentences drawn from {SHIPPED}; the treebank itself: “rcmviz data get ud_ewt”"
    field = rv.FieldTagger(max_steps=STEPS).fit(*zip(*tagged, strict=True))
    return Taggers(field, source, shipped)
