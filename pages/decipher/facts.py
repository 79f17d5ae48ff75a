"""Facts of Decipher: the letters that each method reads right after n passes of EM, and the pinned symbols."""

from collections import Counter
from functools import lru_cache

import numpy as np

from pages.decipher.question import MOST_PASSES
from pages.decipher.run import ROUND
from pages.decipher.texts import letters_lm, subject_of
from rcmviz.tasks.decipher.letters import Solver

CURVES = {
    "letters": {"letters right", "log-likelihood", "letters remembered"},
    "words": {"symbols right", "log-likelihood", "words remembered"},
}


def source(question):
    """Return the question: facts compute the passes that they need."""
    return question


def points(question, view_state, payload):
    """Return the charts, the slider through the passes, and the rows and signs of the cipher for each method."""
    layout, methods = subject_of(question).layout, question.methods
    rows, signs = ({layout.symbols[symbol] for symbol in shown} for shown in (layout.rows, layout.shown))
    return {
        "curve": [CURVES[question.kind]],
        "slider": [{"EM pass"}],
        "row": [rows] * len(methods),
        "sign": [signs] * len(methods),
        "method": [{str(number) for number in range(1, len(methods) + 1)}],
    }


class _LazySolver:
    """One method on a cryptogram; its passes are computed on demand."""

    def __init__(self, puzzle, method):
        self.puzzle, self.steps = puzzle, []
        how = {"order": puzzle.letters, "passes": ROUND, "seed": puzzle.seed}
        self.solver = Solver(subject_of(puzzle).cipher, letters_lm(), method.kind, method.budget, **how)

    def step(self, number):
        """Return the step after ``number`` passes, from 1."""
        while len(self.steps) < number:
            since = getattr(self.puzzle, "since", 0)
            self.solver.pins = dict(self.puzzle.pins) if len(self.steps) >= since else {}
            self.steps.append(self.solver.advance())
        return self.steps[number - 1]


_solver = lru_cache(maxsize=12)(_LazySolver)


def _reader(question, method):
    if question.kind != "letters":
        raise ValueError("this is a fact of cryptograms, kind=letters")
    found = [each for each in question.methods if method in (str(each), each.kind)]
    if len(found) != 1:
        raise ValueError(f"{method!r} is {len(found)} of the methods here: {', '.join(map(str, question.methods))}")
    return _solver(question.only("kind", "letters", "seed", "pins", "since"), found[0])


def _step(question, method, passes):
    if not isinstance(passes, int) or not 1 <= passes <= MOST_PASSES:
        raise ValueError(f"pass {passes!r} is not a whole number from 1 to {MOST_PASSES}")
    return _reader(question, method).step(passes)


def right(question, method, passes):
    """The share of right letters after n passes; none if the key is not known."""
    step, cipher = _step(question, method, passes), subject_of(question).cipher
    return cipher.accuracy(step.best if step.agreed else step.key)


def remembered(question, method, passes):
    """The mean number of letters in a context after n passes, weighted by mass."""
    return float(_step(question, method, passes).found.mean_length)


def log_likelihood(question, method, passes):
    """The log-likelihood of the cryptogram at the beginning of pass n, in nats."""
    return float(_step(question, method, passes).found.log_likelihood)


def text(question, method, passes, words=5):
    """The first words of the message after n passes, in small letters."""
    return " ".join(_step(question, method, passes).text.lower().split()[:words])


def first_above(question, method, share):
    """The first pass of EM after which at least this share of the letters is right; none if no pass reaches it."""
    reached = (k for k in range(1, ROUND + 1) if right(question, method, k) >= share)
    return next(reached, None)


def letters(question):
    """The number of letters of the cryptogram."""
    return int(subject_of(question).cipher.counts.sum())


def symbols(question):
    """The number of different symbols in the cryptogram."""
    return int(np.count_nonzero(subject_of(question).cipher.counts))


def commonest(question, rank=1):
    """The symbol of a rank, the commonest first."""
    layout = subject_of(question).layout
    return layout.symbols[int(layout.rows[rank - 1])]


def count(question, symbol):
    """The number of occurrences of a symbol."""
    layout = subject_of(question).layout
    return int(layout.counts[layout.symbols.index(str(symbol))])


def meaning(question, symbol):
    """The letter of a symbol; none if the key is not known."""
    layout = subject_of(question).layout
    return None if layout.key is None else layout.labels[int(layout.key[layout.symbols.index(str(symbol))])]


def symbol_of(question, letter):
    """The symbol of a letter; none if the key is not known."""
    layout = subject_of(question).layout
    return None if layout.key is None else layout.symbols[layout.key.tolist().index(layout.labels.index(str(letter)))]


def threes(question):
    """The commonest group of three symbols between blanks."""
    groups = Counter(group for group in subject_of(question).cipher.text.upper().split() if len(group) == 3)
    return groups.most_common(1)[0][0] if groups else None


def meaning_of_threes(question):
    """The letters of the commonest group of three symbols; none if the key is not known."""
    letters = [meaning(question, symbol) for symbol in threes(question) or ""]
    return ", ".join(letters) if letters and None not in letters else None


def pinned(question):
    """The number of symbols that are pinned to the right letter."""
    return sum(meaning(question, symbol) == label for symbol, label in question.pins)
