"""Tagged sentences drawn from a tagger, for use where there is no treebank."""

import numpy as np

LONGEST = 30  # words of a drawn sentence


def draw_tagged(tagger, number, seed=0):
    """Pairs (words, tags) from a trigram ``Tagger``: tags by its trigrams, each word as often as under its tag.

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
