"""High-order HMMs as problems of ``oracle.Machine``: contexts of words under eq. 7, in exact rationals.

A context is scored by the words that it remembers; where it remembers all of them, by ``<s>`` before them too.
"""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property

from oracles import ars
from oracles.ngrams import BEGIN


@cache
def weight(value):
    """exp of a log of any size.

    >>> weight(-math.inf), weight(0.0), weight(-2000.0) > 0
    (Fraction(0, 1), Fraction(1, 1), True)
    """
    if value == -math.inf:
        return Fraction(0)
    parts = math.ceil(abs(value) / 700) or 1
    return Fraction(math.exp(value / parts)) ** parts


@dataclass(frozen=True, eq=False)
class Problem(ars.Problem):
    """An HMM with the names that ``oracle.Machine`` asks a problem for; ``closed`` are (position, word) ruled out."""

    closed: frozenset = frozenset()

    @cached_property
    def labels(self):
        """All words that are a candidate somewhere."""
        return tuple(dict.fromkeys(word for row in self.positions for word in row))

    @property
    def order(self):
        """How many words a score can see: N − 1, at least 1."""
        return max(self.table.order - 1, 1)

    def arc(self, i, context, label):
        """exp score of writing ``label`` after i words of which ``context`` is remembered; 0 if it is no candidate."""
        if label not in self.positions[i] or (i + 1, label) in self.closed:
            return Fraction(0)
        history = (BEGIN, *context) if len(context) == i else context
        (word,) = self.known([label])
        return weight(self.table.log_prob(word, self.known(history)) / self.temperature + self.positions[i][label])

    def offers(self, position, what):
        """Whether a label, or a context that ends there, consists of candidates of its positions."""
        words = (what,) if isinstance(what, str) else what
        rows = self.positions[max(position - len(words), 0) : position]
        return len(rows) == len(words) and all(word in row for word, row in zip(words, rows, strict=True))

    def edited(self, pin=(), forbid=()):
        """The same problem without the candidates that pinned and forbidden labels rule out."""
        closed = {(position, what) for position, what in forbid}
        for position, what in pin:
            closed |= {
                (position, word) for word in self.positions[position - 1] if word != what and isinstance(what, str)
            }
        return replace(self, closed=frozenset(closed))
