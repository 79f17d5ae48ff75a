"""Alignments move by move: the search problem of an alignment model, whose contexts remember everything.

A hypothesis is a path so far: D writes a letter on the next phone, C another one on the same phone, P takes the next
phone for the same letter, and the end is a step of its own. The bound on the rest lets every edge and every letter
weigh the most that they can, whatever stands before them, and knows phones, letters written and the present star.
"""

from typing import NamedTuple

import numpy as np

from rcmviz.align.model import END, MOVES
from rcmviz.kernels.align.features import BEGIN, BITS, LETTER_BITS, C, D, P
from rcmviz.search.protocol import Expansion

START = (D, 0)  # no star yet
STEPS = {D: (1, 1), C: (0, 1), P: (1, 0)}  # phones and letters that a move takes
MOVED = -1  # the move of the end


class Place(NamedTuple):
    """``phones`` and ``letters`` taken, and the present ``star`` (move, how often)."""

    phones: int
    letters: int
    star: tuple


class Partial(NamedTuple):
    """``phones`` and ``letters`` taken · ``star`` (move, how often) · ``before`` the last letters and ``edges``, newest
    first, as the trie of features marks them · ``move`` and ``letter`` of the last step · ``score`` and ``rest``.
    """

    phones: int
    letters: int
    star: tuple
    before: tuple
    edges: tuple
    move: int
    letter: int
    score: float
    rest: float


class AlignSearch(Expansion[Partial]):
    """The alignments of ``phones`` by an ``AlignModel``, those of one ``text`` if given.

    ``bounded``: with the bound on the rest, which makes it A*. ValueError for phones or letters that the model does not
    know, and for a text that cannot be aligned.

    >>> import rcmviz as rv
    >>> from rcmviz.align.model import AlignModel
    >>> found = rv.search_best(AlignSearch(AlignModel("ab", "XY"), "XY", "ab"))
    >>> found.best.steps, found.best.score, found.proved
    (('Da', 'Db', '</s>'), 0.0, True)
    """

    def __init__(self, model, phones, text=None, *, bounded=True):
        self.model, self.limits = model, model.limits
        self.x = model.phone_numbers(phones).tolist()
        self.most, self.text = self.limits.most_letters(len(self.x)), None
        if text is not None:
            self.text = model.letter_numbers(text).tolist()
            reason = self.limits.why_not(len(self.x), len(self.text))
            if reason:
                raise ValueError(f"{text!r}: {reason}")
            self.most = len(self.text)
        self._rows = {address: row for row, address in enumerate(model.address.tolist())}
        self._rest = self._largest_rest() if bounded else None
        self.never_rises = bounded

    def start(self):
        """Nothing read, nothing written."""
        return Partial(0, 0, START, (BEGIN,), (BEGIN,), MOVED, 0, 0.0, self._ahead(0, 0, START))

    def extend(self, hypothesis):
        """Every move that the star allows with every letter, and the end where all phones are taken."""
        found = []
        for move in (D, C, P):
            found += self._extend_by_move(hypothesis, move)
        if self._may_end(hypothesis.phones, hypothesis.letters):
            gain = float(self._letter_weights(hypothesis)[-1])
            found.append(hypothesis._replace(move=len(MOVES), score=hypothesis.score + gain, rest=0.0))
        return found

    def _may_end(self, phones, letters):
        return phones == len(self.x) and (letters == self.most if self.text is not None else letters > 0)

    def _extend_by_move(self, here, move):
        """The extensions by one move."""
        star, (taken, written) = self._star_after(here.star, move), STEPS[move]
        phones, letters = here.phones + taken, here.letters + written
        if star is None or phones > len(self.x) or letters > self.most:
            return []
        phone, rest = self.x[phones - 1], self._ahead(phones, letters, star)
        gains = self._phone_weights(here, move, phone)
        if move != P:
            gains = gains + self._letter_weights(here)
        found = []
        for y in self._writable(here, move):
            edges = ((phone + 1) << BITS | (move + 1) << LETTER_BITS | y, *here.edges)[: self.model.order - 1]
            before = here.before if move == P else (y, *here.before)[: self.model.order - 1]
            found.append(Partial(phones, letters, star, before, edges, move, y, here.score + float(gains[y]), rest))
        return found

    def _writable(self, here, move):
        """The letters that a move may write, of P the one that it repeats."""
        if move == P:
            return (here.letter,)
        return range(len(self.model.letters)) if self.text is None else (self.text[here.letters],)

    def _star_after(self, star, move):
        """The star after a move, None if the move is not allowed."""
        kind, size = star
        if move == D:
            return (D, 1)
        most = self.limits.letters_per_phone if move == C else self.limits.phones_per_letter
        if star == START or kind not in (D, move) or size == most:
            return None
        return (move, size + 1)

    def _letter_weights(self, here):
        """Weights of each letter, and the end, after the letters before it (V + 1,)."""
        return self._sum_of(0, here.before)

    def _phone_weights(self, here, move, phone):
        """Weights of an edge to a phone by its letter (V + 1,); to a P the letter that it repeats is unknown."""
        edges = here.edges
        if move == P and edges:
            edges = (edges[0] >> LETTER_BITS << LETTER_BITS, *edges[1:])
        return self._sum_of((phone + 1) << BITS | (move + 1) << LETTER_BITS, edges)

    def _sum_of(self, mark, before):
        """The weights of a feature and of all longer ones; of the longest alone if the model is not additive."""
        chain, row = [], self._rows.get(mark)
        for older in before[: self.model.order - 1]:
            chain.append(row)
            row = None if row is None else self._rows.get((row + 1) << 24 | older)
        chain.append(row)
        if not self.model.additive:
            chain = chain[-1:]
        known = [row for row in chain if row is not None]
        return self.model.weights[known].astype(np.float64).sum(axis=0)

    def complete(self, hypothesis):
        """Whether it has ended."""
        return hypothesis.move == len(MOVES)

    def score(self, hypothesis):
        """The sum of its weights: its log probability, up to log Z."""
        return hypothesis.score

    def rest(self, hypothesis):
        """The bound on the weights of all moves to come."""
        return hypothesis.rest

    def context(self, hypothesis):
        """Everything that later features can see."""
        return hypothesis[: Partial._fields.index("score")]

    def name(self, hypothesis):
        """The last move, with the letter that it wrote."""
        if hypothesis.move == len(MOVES):
            return END
        return MOVES[hypothesis.move] + (self.model.letters[hypothesis.letter] if hypothesis.move != P else "")

    def _ahead(self, phones, letters, star):
        return float(self._rest[phones, letters, star]) if self._rest is not None else 0.0

    def _largest_rest(self):
        """{place: the most that the moves to come can weigh}; −inf where no end can be reached."""
        best = self._largest_weights()
        stars = [
            START,
            (D, 1),
            *((C, k) for k in range(2, self.limits.letters_per_phone + 1)),
            *((P, k) for k in range(2, self.limits.phones_per_letter + 1)),
        ]
        spelt, rest = best[self._rows[0]] if 0 in self._rows else np.zeros(len(self.model.labels)), {}
        for phones in reversed(range(len(self.x) + 1)):
            for letters in reversed(range(self.most + 1)):
                for star in stars:
                    ways = [float(spelt[-1])] if self._may_end(phones, letters) else []
                    here = Place(phones, letters, star)
                    ways += [self._largest_step(best, spelt, rest, here, move) for move in (D, C, P)]
                    rest[here] = max(ways)
        return rest

    def _largest_step(self, best, spelt, rest, here, move):
        """The most that a move and what comes after it can weigh."""
        then, (taken, written) = self._star_after(here.star, move), STEPS[move]
        there = Place(here.phones + taken, here.letters + written, then)
        if then is None or there not in rest:
            return -np.inf
        row = self._rows.get((self.x[there.phones - 1] + 1) << BITS | (move + 1) << LETTER_BITS)
        gains = best[row] if row is not None else np.zeros(len(spelt))
        if move != P:
            gains = (gains + spelt)[:-1]
            gains = gains if self.text is None else gains[self.text[here.letters]]
        return float(np.max(gains)) + rest[there]

    def _largest_weights(self):
        """Per row (R, V + 1): the most that its features and all longer ones can weigh together."""
        address, best = self.model.address, self.model.weights.astype(np.float64)
        if not self.model.additive:
            best = np.maximum(best, 0.0)
        longer = np.zeros_like(best)  # nothing longer may be known
        for row in reversed(range(len(address))):
            best[row] = best[row] + longer[row] if self.model.additive else np.maximum(best[row], longer[row])
            parent = (int(address[row]) >> 24) - 1
            if parent >= 0:
                longer[parent] = np.maximum(longer[parent], best[row])
        return best
