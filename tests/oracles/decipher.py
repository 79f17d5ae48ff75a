"""Decipherment by its definitions: every output enumerated, in exact rationals; imports nothing of rcmviz."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from oracles.chain import log

BEGIN, END = "^", "</s>"


@dataclass(frozen=True)
class Discounted:
    """Absolute discounting over ``sentences``, tuples of words; ``order`` words of history at most."""

    sentences: tuple
    vocabulary: tuple
    order: int
    discount: Fraction = Fraction(1, 4)
    smoothing: Fraction = Fraction(1, 100)

    @property
    def labels(self):
        return (*self.vocabulary, END)

    @cached_property
    def grams(self):
        """How often every stretch of every sentence occurs, the begin at its front and the end at its back."""
        counts = Counter()
        for sentence in self.sentences:
            whole = (BEGIN, *sentence, END)
            counts.update(whole[i:j] for i in range(len(whole)) for j in range(i + 1, len(whole) + 1))
        return counts

    def prob(self, word, history):
        """P(word | history), the history oldest first; it may begin with BOS."""
        if not history:
            total = sum(self.grams[(label,)] for label in self.labels)
            return (self.grams[(word,)] + self.smoothing) / (total + self.smoothing * len(self.labels))
        following = [self.grams[(*history, label)] for label in self.labels]
        total, shorter = sum(following), self.prob(word, history[1:])
        if total == 0:
            return shorter
        kinds = sum(count > 0 for count in following)
        own = max(self.grams[(*history, word)] - self.discount, Fraction(0))
        return own / total + self.discount * kinds / total * shorter

    def after(self, i, context, word):
        """P(word | context) after i words of which ``context`` is remembered: by the order that it allows."""
        history = (BEGIN, *context) if len(context) == i else context
        return self.prob(word, history[-self.order :])


@dataclass(frozen=True)
class Enciphered:
    """A line of a cipher as a problem of ``oracle.Machine``: ``emission`` {(symbol, word): p(symbol | word)}."""

    language: Discounted
    line: tuple
    emission: dict

    @property
    def labels(self):
        return self.language.labels

    @property
    def order(self):
        return self.language.order

    @property
    def T(self):
        return len(self.line) + 1

    def arc(self, i, context, label):
        if i == len(self.line) or label == END:
            writes = Fraction(i == len(self.line) and label == END)
        else:
            writes = self.emission[self.line[i], label]
        return self.language.after(i, context, label) * writes if writes else writes


def expected(machines):
    """``(counts {(symbol, word): expected}, log-likelihood)`` of the machines of all lines."""
    counts = defaultdict(Fraction)
    for machine in machines:
        for symbol, row in zip(machine.problem.line, machine.label_mass(), strict=False):
            for label, share in zip(machine.problem.labels, row, strict=True):
                counts[symbol, label] += share
    return dict(counts), sum(log(machine.z) for machine in machines)


def whole_mass(language, columns):
    """The mass of all outputs, whatever is observed: those that have ended by T, and those that have not, T long."""
    total, running = Fraction(0), {((), ()): Fraction(1)}
    for i, _ in enumerate(columns):
        further = defaultdict(Fraction)
        for (labels, context), mass in running.items():
            total += mass * language.after(i, context, END)
            for word in language.vocabulary:
                grown = (*context, word)
                fallen = _longest(grown, columns[i + 1]) if i + 1 < len(columns) else ()
                further[(*labels, word), fallen] += mass * language.after(i, context, word)
        running = further
    return total + sum(running.values())


def _longest(context, column):
    return next(context[k:] for k in range(len(context) + 1) if context[k:] in column)
