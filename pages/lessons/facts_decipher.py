"""Facts of Decipher: how much of a cryptogram each method reads after so many passes of EM, and what is pinned."""

from collections import Counter
from functools import lru_cache

import numpy as np

from pages.decipher.link import MOST_PASSES
from pages.decipher.run import ROUND
from pages.decipher.texts import letters_lm, subject_of
from pages.lessons.facts import fact
from rcmviz.tasks.decipher.letters import Solver


def _view(name):
    return fact(f"view.{name}", "decipher")


def _method(name):
    return fact(f"method.{name}", "decipher")


class _Solving:
    """One method at work on a cryptogram: its steps, made as far as somebody asks."""

    def __init__(self, puzzle, method):
        self.puzzle, self.steps = puzzle, []
        how = {"order": puzzle.letters, "passes": ROUND, "seed": puzzle.seed}
        self.solver = Solver(subject_of(puzzle).cipher, letters_lm(), method.kind, method.budget, **how)

    def step(self, number):
        """The step after so many passes, from 1."""
        while len(self.steps) < number:
            since = getattr(self.puzzle, "since", 0)
            self.solver.pins = dict(self.puzzle.pins) if len(self.steps) >= since else {}
            self.steps.append(self.solver.advance())
        return self.steps[number - 1]


_solvings = lru_cache(maxsize=12)(_Solving)


def _reader(view, who):
    if view.kind != "letters":
        raise ValueError("facts are told of cryptograms, kind=letters")
    found = [method for method in view.methods if who in (str(method), method.kind)]
    if len(found) != 1:
        raise ValueError(f"{who!r} is {len(found)} of the methods here: {', '.join(map(str, view.methods))}")
    return _solvings(view.only("kind", "letters", "seed", "pins", "since"), found[0])


def _step(view, who, passes):
    if not isinstance(passes, int) or not 1 <= passes <= MOST_PASSES:
        raise ValueError(f"pass {passes!r}: a whole number from 1 to {MOST_PASSES} is wanted here")
    return _reader(view, who).step(passes)


@_method("right")
def right(view, who, passes):
    """The share of the letters that is right after so many passes; none where the key is not known."""
    step, cipher = _step(view, who, passes), subject_of(view).cipher
    return cipher.accuracy(step.best if step.agreed else step.key)


@_method("remembered")
def remembered(view, who, passes):
    """How many letters contexts remember after so many passes, by mass."""
    return float(_step(view, who, passes).found.mean_length)


@_method("log_likelihood")
def log_likelihood(view, who, passes):
    """The log-likelihood of the cryptogram before so many passes have ended, in nats."""
    return float(_step(view, who, passes).found.log_likelihood)


@_method("text")
def text(view, who, passes, words=5):
    """The first words of the message as it reads after so many passes, in small letters."""
    return " ".join(_step(view, who, passes).text.lower().split()[:words])


@_method("first_above")
def first_above(view, who, share):
    """The first pass of EM after which at least this share of the letters is right; none if no pass is."""
    reached = (k for k in range(1, ROUND + 1) if right(view, who, k) >= share)
    return next(reached, None)


@_view("letters")
def letters(view, who):
    """How many letters the cryptogram has."""
    return int(subject_of(view).cipher.counts.sum())


@_view("symbols")
def symbols(view, who):
    """How many different symbols occur."""
    return int(np.count_nonzero(subject_of(view).cipher.counts))


@_view("commonest")
def commonest(view, who, rank=1):
    """The symbol of a rank, the commonest first."""
    layout = subject_of(view).layout
    return layout.symbols[int(layout.rows[rank - 1])]


@_view("count")
def count(view, who, symbol):
    """How often a symbol occurs."""
    layout = subject_of(view).layout
    return int(layout.counts[layout.symbols.index(str(symbol))])


@_view("meaning")
def meaning(view, who, symbol):
    """What a symbol stands for; none where nobody knows."""
    layout = subject_of(view).layout
    return None if layout.key is None else layout.labels[int(layout.key[layout.symbols.index(str(symbol))])]


@_view("symbol_of")
def symbol_of(view, who, letter):
    """The symbol that stands for a letter; none where nobody knows."""
    layout = subject_of(view).layout
    return None if layout.key is None else layout.symbols[layout.key.tolist().index(layout.labels.index(str(letter)))]


@_view("threes")
def threes(view, who):
    """The commonest group of three symbols between blanks."""
    groups = Counter(group for group in subject_of(view).cipher.text.upper().split() if len(group) == 3)
    return groups.most_common(1)[0][0] if groups else None


@_view("meaning_of_threes")
def meaning_of_threes(view, who):
    """What the commonest group of three symbols stands for, letter by letter; none where nobody knows."""
    letters = [meaning(view, who, symbol) for symbol in threes(view, who) or ""]
    return ", ".join(letters) if letters and None not in letters else None


@_view("pinned")
def pinned(view, who):
    """How many symbols are pinned to what they stand for."""
    return sum(meaning(view, who, symbol) == label for symbol, label in view.pins)
