"""Smoothed n-gram probabilities straight from their formulas, in exact rationals; imports nothing of rcmviz.

Counts are dicts of tuples of words, oldest first. Sentences are padded with `<s>` and, where they end, `</s>`. With
a(hw) the mass of an n-gram, D its discount and V all words but `<s>`:

    p(w | h) = (a(hw) − D(hw)) [c(hw) > cut] / a(h) + γ(h) p(w | h[1:]),   γ(h) = 1 − Σ_w (…)

p(w | h) = p(w | h[1:]) for a history that is cut off or never continued, and below single words lies 1 / |V|.
"""

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property

BEGIN, END, UNKNOWN = "<s>", "</s>", "<unk>"
HALF = Fraction(1, 2)


@dataclass(frozen=True, eq=False)
class Smoothed:
    """``sentences`` lists of words, ``vocabulary`` the words that count as known; ``cutoffs`` of every order."""

    sentences: list
    order: int
    smoothing: str
    cutoffs: tuple
    vocabulary: tuple
    end: bool = True
    discount: Fraction | None = None

    @cached_property
    def words(self):
        """All words that can be predicted."""
        return (UNKNOWN, *((END,) if self.end else ()), *self.vocabulary)

    @cached_property
    def padded(self):
        """The sentences with their marks, foreign words as `<unk>`."""
        known = set(self.vocabulary)
        closing = [END] if self.end else []
        return [[BEGIN, *(w if w in known else UNKNOWN for w in words), *closing] for words in self.sentences]

    @cached_property
    def counts(self):
        """c(g) of every n-gram that occurs."""
        return Counter(
            tuple(words[i : i + k])
            for words in self.padded
            for k in range(1, self.order + 1)
            for i in range(len(words) - k + 1)
            if words[i : i + k] != [BEGIN]
        )

    @cached_property
    def mass(self):
        """a(g) before discounting: counts, or for Kneser–Ney how many different words stand before g."""
        if self.smoothing != "kneser-ney":
            return dict(self.counts)
        before = Counter(gram[1:] for gram in self.counts if len(gram) > 1)
        return {
            gram: count if len(gram) == self.order or gram[0] == BEGIN else before[gram]
            for gram, count in self.counts.items()
        }

    @cache  # noqa: B019 (as short-lived as a test)
    def discounts(self, k):
        """D₁, D₂, D₃+ of order k, or the one discount thrice."""
        n = Counter(a for gram, a in self.mass.items() if len(gram) == k)
        if self.smoothing == "absolute":
            estimated = Fraction(n[1], n[1] + 2 * n[2]) if n[1] and n[2] else HALF
            return (estimated if self.discount is None else self.discount,) * 3
        if not all(n[j] for j in (1, 2, 3, 4)):
            return HALF, Fraction(1), 3 * HALF
        y = Fraction(n[1], n[1] + 2 * n[2])
        found = tuple(j - (j + 1) * y * Fraction(n[j + 1], n[j]) for j in (1, 2, 3))
        return found if min(found) > 0 else (HALF, Fraction(1), 3 * HALF)

    def listed(self, gram):
        """Whether an n-gram is in the table."""
        return len(gram) == 1 or self.counts.get(gram, 0) > self.cutoffs[len(gram) - 1]

    def own(self, gram):
        """Return the discounted mass of an n-gram."""
        a = self.mass.get(gram, 0)
        if not a or not self.listed(gram):
            return Fraction(0)
        return Fraction(a) if self.smoothing == "witten-bell" else a - self.discounts(len(gram))[min(a, 3) - 1]

    @cache  # noqa: B019
    def after(self, history):
        """(a(h), γ(h))."""
        masses = [self.mass.get((*history, word), 0) for word in self.words]
        total = sum(masses)
        if self.smoothing == "witten-bell":
            total += sum(a > 0 for a in masses)
        kept = sum(self.own((*history, word)) for word in self.words)
        return total, (1 - kept / total if total else Fraction(1))

    @cache  # noqa: B019
    def p(self, word, history):
        """p(word | history) with at most order − 1 words of history."""
        if len(history) >= self.order:
            return self.p(word, history[len(history) - self.order + 1 :])
        total, rest = self.after(history)
        shorter = self.p(word, history[1:]) if history else Fraction(1, len(self.words))
        if history and (total == 0 or not self.listed(history)):
            return shorter
        return self.own((*history, word)) / total + rest * shorter

    def log_p(self, word, history):
        """Return the natural log of the probability."""
        p = self.p(word, tuple(history))
        return math.log(p.numerator) - math.log(p.denominator)


def most_frequent(sentences, size=None, least=1):
    """The words that a limited vocabulary keeps: the most frequent, equally frequent ones by alphabet."""
    counts = Counter(word for words in sentences for word in words)
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    return tuple(word for word in ranked if counts[word] >= least)[:size]
