"""The taggers that the page asks: a field that is learnt here, and the shipped one, as bigram HMM and as trigram."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

import rcmviz as rv
from rcmviz.data import registry
from rcmviz.tasks.tagging.tagger import read_tagged

SHIPPED = "tagger-ewt"
SENTENCES, STEPS = 1_500, 150  # two seconds of one core
LONGEST = 30  # words of a drawn sentence


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
        tagged = drawn(shipped, SENTENCES)
        source = f"{SENTENCES:,} sentences drawn from {SHIPPED}; the treebank itself: “rcmviz data get ud_ewt”"
    field = rv.FieldTagger(max_steps=STEPS).fit(*zip(*tagged, strict=True))
    return Taggers(field, source, shipped)


def drawn(tagger, number, seed=0):
    """Sentences of the shipped HMM as pairs (words, tags): tags by its trigrams, each word as often as under its tag.

    They make no sense, but their words, endings and pairs of tags are as frequent as in what it was learnt from.
    """
    rng, lm, emissions = np.random.default_rng(seed), tagger.lm_of(3), tagger.emissions
    of_pair = np.repeat(np.arange(len(emissions.words)), np.diff(emissions.offset))
    words, nexts = {}, {}
    for t, tag in enumerate(emissions.tags):
        pairs = np.flatnonzero(emissions.tag == t)
        words[tag] = of_pair[pairs], emissions.count[pairs] / emissions.count[pairs].sum()

    def following(history):
        if history not in nexts:
            names, scores = zip(*lm.next_words(history, len(emissions.tags) + 1), strict=True)
            p = np.exp(scores)
            nexts[history] = names, p / p.sum()
        return nexts[history]

    def sentence():
        tags = []
        while len(tags) < LONGEST:
            names, p = following(("<s>", *tags)[-2:])
            tag = names[rng.choice(len(names), p=p)]
            if tag == "</s>":
                break
            tags.append(tag)
        return [emissions.words[rng.choice(words[tag][0], p=words[tag][1])] for tag in tags], tags

    found = (sentence() for _ in range(4 * number))
    return [pair for pair in found if pair[0]][:number]
