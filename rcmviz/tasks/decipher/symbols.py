"""Decipherment: EM finds the word behind every symbol of a word cipher (Steinhardt & Liang 2015, §6, figure 5).

How well it does is the share of the symbols that are mapped to the right word. There are three *readings* of what a
symbol is mapped to: ``emission``, the word y with the largest p(x | y), which the paper's figure is compared with;
``posterior``, the word with the largest expected count; ``assignment``, one word for every symbol and no word twice,
with the largest expected counts in all.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from rcmviz.core.builders.build import build_lattice
from rcmviz.core.shared import checks
from rcmviz.learn.em import EM, Pass

READINGS = ("emission", "posterior", "assignment")


@dataclass(frozen=True, eq=False)
class DecipherState(Pass):
    """A ``Pass`` and what it reads: ``guess (S,)`` the word number of each symbol · ``confidence (S,)`` its share of
    the symbol's expected counts · ``by_type``, ``by_token`` the share of symbols, and of their occurrences, that are
    mapped to the right word, None where the key is not known.
    """

    guess: np.ndarray
    confidence: np.ndarray
    by_type: float | None
    by_token: float | None


class Decipherment:
    """A word cipher being read, one pass of EM after the other.

    ``cipher`` a ``Cipher`` · ``method`` one of ``methods.OF_EM``, ``budget`` contexts · ``order`` words of history that
    the language model sees · ``reading`` one of ``READINGS`` · ``pins`` {symbol: word}, by name, of known symbols. All
    but the cipher and the order may be changed between passes. ValueError names what does not fit.

    >>> from rcmviz.tasks.decipher.words import grammar_cipher
    >>> work = Decipherment(grammar_cipher(lines=200), budget=10)
    >>> [state.number for state in work.run(2)]
    [1, 2]
    """

    def __init__(self, cipher, method="rcms", budget=60, *, order=2, reading="emission", pins=None):
        self.cipher, self.order = cipher, order
        self.reading = reading
        self.em = EM(cipher.model(order), cipher.lines, method, budget)
        self.pins = pins or {}

    @property
    def reading(self):
        """The mapping of symbols to words."""
        return self._reading

    @reading.setter
    def reading(self, reading):
        self._reading = checks.choice("reading", reading, READINGS)

    @property
    def pins(self):
        """``{symbol: word}`` of known symbols."""
        return {self.cipher.symbols[x]: self.cipher.vocabulary[y] for x, y in self.em.pins.items()}

    @pins.setter
    def pins(self, pins):
        symbols, vocabulary = self.cipher.symbols, self.cipher.vocabulary
        for symbol, word in pins.items():
            if symbol not in symbols:
                raise ValueError(f"pin {symbol!r}: no such symbol in the cipher text")
            if word not in vocabulary:
                raise ValueError(f"pin {symbol!r}: the word {word!r} is not in the vocabulary")
        self.em.pins = {symbols.index(symbol): vocabulary.index(word) for symbol, word in pins.items()}

    def advance(self, stop=None):
        """The ``DecipherState`` after one more pass; None if ``stop()`` became true during it."""
        found = self.em.advance(stop)
        return None if found is None else self._read(found)

    def run(self, passes=20, stop=None):
        """A generator of one ``DecipherState`` after the other."""
        for _ in range(passes):
            state = self.advance(stop)
            if state is None:
                return
            yield state

    def lattice(self, line, *, record=True):
        """``(lattice, trace)`` of a line of symbol numbers and its end, at the present emissions."""
        em = self.em
        return build_lattice(em.method, em.model, em.log_emit(line), em.budget, record=record)

    def _read(self, found):
        guess = read(found.counts, found.emission, self.reading)
        for symbol, word in self.em.pins.items():
            guess[symbol] = word
        totals = found.counts.sum(axis=1)
        confidence = found.counts[np.arange(len(guess)), guess] / np.maximum(totals, 1e-300)
        shares_right = accuracy(self.cipher, guess) if self.cipher.key is not None else (None, None)
        by_type, by_token = shares_right
        return DecipherState(**vars(found), guess=guess, confidence=confidence, by_type=by_type, by_token=by_token)


def read(counts, emission, reading="emission"):
    """The word number of each symbol (S,) from expected ``counts`` and ``emission``, both (S, V); ties go to the
    commoner word. ValueError for an unknown reading.
    """
    checks.choice("reading", reading, READINGS)
    if reading == "emission":
        return emission.argmax(axis=1)
    if reading == "posterior":
        return counts.argmax(axis=1)
    return linear_sum_assignment(counts, maximize=True)[1]


def accuracy(cipher, guess):
    """``(by type, by token)``: the share of the symbols that occur, and of their occurrences, guessed right."""
    right = guess == cipher.key
    return float(right.mean()), float(np.average(right, weights=cipher.counts))
