"""Random search problems: a table of scores for every prefix, in whole numbers so that ties are exact."""

import math
import random
from itertools import product

FALLS, RISES = (-2.0, -1.0, -1.0, 0.0, -math.inf), (1.0, 1.0, 2.0)


class TableSearch:
    """Strings of a few steps with a score for each; scores ``fall`` along extensions, or do as they like."""

    def __init__(self, rng, fall, length=None, width=None):
        self.length, self.width = length or rng.randint(1, 4), width or rng.randint(1, 3)
        self.never_rises, self.table = fall, {(): 0.0}
        for size in range(1, self.length + 1):
            for prefix in product(range(self.width), repeat=size):
                self.table[prefix] = self.table[prefix[:-1]] + rng.choice(FALLS if fall else FALLS + RISES)

    def start(self):
        return ()

    def steps(self, hypothesis):
        return range(self.width)

    def extend(self, hypothesis):
        return [(*hypothesis, step) for step in self.steps(hypothesis)]

    def complete(self, hypothesis):
        return len(hypothesis) == self.length

    def score(self, hypothesis):
        return self.table[hypothesis]


def table_search(seed, fall):
    """One of a seed."""
    return TableSearch(random.Random(seed), fall)
