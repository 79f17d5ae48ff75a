"""Cryptograms as in puzzle books: every letter replaces another one, blanks and marks are unchanged.

They are read in rounds. A round is some passes of EM under RCMS, from emissions that are uniform the first time and
drawn at random after that; then one letter for every symbol and no letter twice; then swaps of two letters, the best
one each time, as long as the text gets more probable, begun again a few times from four letters moved at random. Swaps
are judged by three letters of history, which is quick; the last few by the whole language model, which also ranks the
rounds. The answer is the most probable of all, and it is taken for solved when two rounds have found it.
"""

import time
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.optimize import linear_sum_assignment

from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin, freeze
from rcmviz.learn.em import EM, Pass
from rcmviz.lm.text import BLANK
from rcmviz.tasks.decipher.letter_model import LETTERS, letter_model

SYMBOLS = LETTERS.upper()
BLANK_NUMBER = len(LETTERS)
MOST_READ, MOST_JUDGED = 1_500, 3_000  # symbols that EM looks at, and that keys are judged by; the key is for all
FEWEST, MOST = 10, 50_000  # letters
BLANK_BEAM = 14.0  # a way to put blanks that is e^-14 as probable as the best so far
MIN_GAIN = 1e-9  # by which a text must be more probable
NOISE = 0.5  # of the logs of the emissions that a later round begins with
PASSES, ROUNDS, BUDGET = 20, 100, 40
RESTARTS, SHUFFLED_LETTERS = 6, 4  # how often a climb begins again, and from how many letters moved
MOST_COMPARED, PLAIN_LEAST = 300, -3.9  # symbols that are looked at, and log probability of each, of plain English
FULL_MODEL_SWAPS = 4  # by the whole language model at most: each looks at the RESCORED_SWAPS best by the quick one
RESCORED_SWAPS, RESCORE_MARGIN = 20, 30.0  # and only where the text is this near to the best so far


@dataclass(frozen=True, eq=False)
class Cryptogram(CopyableMixin):
    """``text`` as it was written · ``has_blanks`` whether its blanks are between words · ``numbers (T,)`` its letters,
    0 to 25, and 26 for each run of blanks and marks, where they count · ``key (26,)`` the letter that each symbol
    replaces, or None if unknown.
    """

    text: str
    has_blanks: bool
    numbers: np.ndarray
    key: np.ndarray | None = None

    def __post_init__(self):
        freeze(self)

    @cached_property
    def counts(self):
        """The count of each symbol (26,)."""
        return np.bincount(self.numbers, minlength=27)[:26]

    def decoded(self, key):
        """The text that a key ``(26,)`` makes of it, capitals and marks as they were."""
        table = {c: LETTERS[key[k]] for k, c in enumerate(LETTERS)}
        table |= {c: LETTERS[key[k]].upper() for k, c in enumerate(SYMBOLS)}
        return self.text.translate(str.maketrans(table))

    def accuracy(self, key):
        """The share of the letters of the text that a key gets right; None where the true one is not known."""
        if self.key is None:
            return None
        return float(np.average(key == self.key, weights=self.counts))


def read_cryptogram(text, *, has_blanks=None, key=None):
    """The ``Cryptogram`` in a text; blanks are taken for those between words unless they are in groups of one length.

    An apostrophe within a word is passed over. ValueError for fewer than ten letters or more than 50,000,
    or letters other than a to z, which it names.

    >>> read_cryptogram("Ifmmp, nz gsjfoe!").numbers[:7].tolist(), read_cryptogram("IFMMP NZGSJ FOE").has_blanks
    ([8, 5, 12, 12, 15, 26, 13], False)
    """
    for place, character in enumerate(text, start=1):
        if character.isalpha() and character.lower() not in LETTERS:
            raise ValueError(
                f"{character!r}, character {place}: a cryptogram is written in the letters a to z; write e for é, or "
                "put letters in the place of other signs"
            )
    plain = "".join(c if c in LETTERS else "" if c in "'’" else " " for c in text.lower())
    words = plain.split()
    letters = sum(map(len, words))
    if letters < FEWEST:
        raise ValueError(
            f"{letters} letter{'s' * (letters != 1)}: a cryptogram needs {FEWEST}, and about 100 to be solved"
        )
    if letters > MOST:
        raise ValueError(f"{letters:,} letters: at most {MOST:,} can be read, and 300 are enough to find the key")
    if has_blanks is None:
        grouped = len(words) > 2 and len({len(word) for word in words[:-1]}) == 1
        has_blanks = len(words) > 1 and not grouped
    spelt = (" " if has_blanks else "").join(words)
    numbers = np.array([BLANK_NUMBER if c == " " else LETTERS.index(c) for c in spelt])
    return Cryptogram(text, has_blanks, numbers, None if key is None else np.asarray(key))


def encipher_text(text, seed=0):
    """The ``Cryptogram`` of a plain text under a key that is drawn with the ``seed``; capitals and marks stay.

    >>> encipher_text("To be, or not to be", seed=1).text
    'Jd ur, di kdj jd ur'
    """
    code = np.random.default_rng(seed).permutation(26)
    written = read_cryptogram(text).decoded(code)
    return read_cryptogram(written, key=np.argsort(code))


def reads_as_english(cryptogram, lm):
    """Whether a ``Cryptogram`` is plain text, by a language model of letters.

    >>> import rcmviz as rv
    >>> lm = rv.load_lm("lm-english-characters")
    >>> text = "the cat sat on the mat and looked at the moon"
    >>> [reads_as_english(each, lm) for each in (read_cryptogram(text), encipher_text(text, seed=0))]
    [True, False]
    """
    seen = replace(cryptogram, numbers=cryptogram.numbers[:MOST_COMPARED])
    return FullOrderModel(seen, lm).log_prob(np.arange(26)) > PLAIN_LEAST * len(seen.numbers)


@dataclass(frozen=True, eq=False)
class SolverStep(CopyableMixin):
    """One step of solving. ``number`` from 1 on · ``round`` · ``stage`` ``"em"``, a pass, or ``"swaps"``, the end of a
    round · ``key (26,)`` the letter number of each symbol, no letter twice · ``text`` what it makes of the cryptogram,
    ``log_prob`` as ``Solver.log_probs`` has it · ``confidence (26,)`` expected share of each symbol's occurrences ·
    ``accuracy`` share of letters right, None where unknown · ``found`` the ``Pass`` of EM · ``best`` the most probable
    key of all rounds so far, with ``best_text``, ``best_log_prob`` · ``agreed`` how many rounds ended with it ·
    ``solved`` whether two or more.
    """

    number: int
    round: int
    stage: str
    key: np.ndarray
    text: str
    log_prob: float
    confidence: np.ndarray
    accuracy: float | None
    found: Pass
    best: np.ndarray
    best_text: str
    best_log_prob: float
    agreed: int
    solved: bool

    def __post_init__(self):
        freeze(self)


class Solver:
    """A cryptogram being solved, step by step.

    ``cryptogram`` a ``Cryptogram`` · ``lm`` a language model of letters, ``rv.load_lm("lm-english-characters")`` ·
    ``method``, ``budget``, ``order`` of EM, ``passes`` of it in a round · ``pins`` {symbol: letter} of known ones,
    which may be changed between steps · ``seed`` of the rounds after the first. Of a long cryptogram the beginning is
    looked at, so a letter that occurs only later is left to chance. ValueError names what does not fit.

    >>> import rcmviz as rv
    >>> cryptogram = encipher_text("the cat sat on the mat and looked at the moon", seed=0)
    >>> next(Solver(cryptogram, rv.load_lm("lm-english-characters")).run()).stage
    'em'
    """

    def __init__(self, cryptogram, lm, method="rcms", budget=BUDGET, *, order=2, passes=PASSES, pins=None, seed=0):
        self.cryptogram, self.passes = cryptogram, checks.whole("passes", passes, 1)
        self.model = letter_model(lm, order, blanks=cryptogram.has_blanks)
        self.judge = letter_model(lm, 3, blanks=cryptogram.has_blanks)
        self.width = len(self.model.labels) - 1  # letters, and the blank if there is one
        self._judged = replace(cryptogram, numbers=cryptogram.numbers[:MOST_JUDGED])
        self._whole = FullOrderModel(self._judged, lm)
        self.number, self.round = 0, 0
        self._rng, self._how = np.random.default_rng(seed), (method, budget)
        self._best, self._agreed, self._highest = (np.arange(26), -np.inf), 0, -np.inf
        self._em, self._pins = None, {}
        self.pins = pins or {}
        self._begin_round()

    @property
    def pins(self):
        """``{symbol: letter}`` of known symbols, symbols in capitals."""
        return {SYMBOLS[x]: LETTERS[y] for x, y in self._pins.items()}

    @pins.setter
    def pins(self, pins):
        numbers = {}
        for symbol, letter in pins.items():
            if len(symbol) != 1 or symbol.upper() not in SYMBOLS or len(letter) != 1 or letter.lower() not in LETTERS:
                raise ValueError(f"pin {symbol!r}: {letter!r}: give a symbol A to Z and a letter a to z")
            number = LETTERS.index(letter.lower())
            if numbers.setdefault(SYMBOLS.index(symbol.upper()), number) != number:
                raise ValueError(f"symbol {symbol.upper()!r} is pinned to two letters; leave one of them out")
        if len(set(numbers.values())) < len(numbers):
            raise ValueError("two symbols are pinned to one letter; every letter has one symbol: free one of them")
        if self._em is not None:
            self._em.pins = numbers | self._fixed_symbols
        self._pins, self._best, self._agreed, self._highest = numbers, (np.arange(26), -np.inf), 0, -np.inf

    @property
    def _fixed_symbols(self):
        """A blank is a blank."""
        return {BLANK_NUMBER: BLANK_NUMBER} if self.cryptogram.has_blanks else {}

    def run(self, seconds=None, rounds=ROUNDS, stop=None):
        """A generator of one ``SolverStep`` per step, until it is solved, or ``rounds`` or ``seconds`` are over.

        Seconds count from the end of the first round, in which kernels may be compiled. ValueError where that is no
        time at all, or no round.
        """
        checks.whole("rounds", rounds, 1)
        if seconds is not None:
            checks.number("seconds", seconds, "above 0, or None for no limit", above=0)
        last, until = self.round + rounds - 1, None
        while until is None or time.perf_counter() < until:
            guess = self.advance(stop)
            if guess is None:
                return
            yield guess
            if guess.stage == "swaps" and (guess.solved or guess.round >= last):
                return
            if guess.stage == "swaps" and until is None and seconds is not None:
                until = time.perf_counter() + seconds

    def advance(self, stop=None):
        """The ``SolverStep`` of one more step; None if ``stop()`` became true during it."""
        if self._em.passes < self.passes:
            found = self._em.advance(stop)
            if found is None:
                return None
            self._found = found
            return self._make_step("em", self._best_assignment(found.counts))
        key, score = self._restarted_climb(self._best_assignment(self._found.counts))
        self._highest = max(self._highest, score)
        if score > self._highest - RESCORE_MARGIN:
            key = self._rescore_swaps(key)
        self._remember(key)
        guess = self._make_step("swaps", key)
        self._begin_round()
        return guess

    def _begin_round(self):
        """A new round."""
        self.round += 1
        start = None
        if self.round > 1:
            start = np.exp(NOISE * self._rng.standard_normal((self.width, self.width)))
            start /= start.sum(axis=0)
        numbers = self.cryptogram.numbers[:MOST_READ]
        pins = self._pins | self._fixed_symbols
        self._em = EM(self.model, [numbers], *self._how, emission=start, pins=pins, S=self.width, dtype="f8")

    def _best_assignment(self, counts):
        """The key with the largest expected counts, pins kept."""
        wanted = counts[:26, :26].copy()
        for symbol, letter in self._pins.items():
            wanted[symbol, letter] = len(self.cryptogram.numbers) + 1.0
        return linear_sum_assignment(wanted, maximize=True)[1]

    @property
    def _free_symbols(self):
        """The symbols that are not pinned."""
        return np.array([x for x in range(26) if x not in self._pins], dtype=np.int64)

    def _swap_letters(self, key):
        """All keys (K, 26) that differ from a key by a swap of two letters, and themselves first."""
        one, other = (self._free_symbols[part] for part in np.triu_indices(len(self._free_symbols), 1))
        keys, rows = np.repeat(key[None], len(one) + 1, axis=0), np.arange(1, len(one) + 1)
        keys[rows, one], keys[rows, other] = key[other], key[one]
        return keys

    def _hill_climb(self, key):
        """``(key, log_prob)`` after swaps, the best one each time, while the text gets more probable."""
        while True:
            keys = self._swap_letters(key)
            scores = self.log_probs(keys)
            if not scores.max() > scores[0] + MIN_GAIN:
                return key, scores[0]
            key = keys[scores.argmax()]

    def _restarted_climb(self, key):
        """``(key, log_prob)`` of the best of a few climbs, each from the best so far with some letters moved."""
        key, highest = self._hill_climb(key)
        for _ in range(RESTARTS):
            other, moved = key.copy(), self._rng.permutation(self._free_symbols)[:SHUFFLED_LETTERS]
            other[moved] = key[np.roll(moved, 1)]
            other, score = self._hill_climb(other)
            if score > highest + MIN_GAIN:
                key, highest = other, score
        return key, highest

    def _rescore_swaps(self, key):
        """The key after a few swaps that the whole language model prefers, of the closest by the quick one."""
        for _ in range(FULL_MODEL_SWAPS):
            keys = self._swap_letters(key)
            closest = np.argsort(-self.log_probs(keys[1:]), kind="stable")[:RESCORED_SWAPS] + 1
            scores = [self._whole.log_prob(each) for each in (key, *keys[closest])]
            if not max(scores) > scores[0] + MIN_GAIN:
                break
            key = keys[closest[int(np.argmax(scores)) - 1]]
        return key

    def log_probs(self, keys):
        """Log probability (K,) of the texts that keys (K, 26) make, by three letters of history, as swaps are judged;
        the first three letters, which have less, are not counted.
        """
        n, numbers, width = self.judge.order, self._judged.numbers, len(self.judge.labels)
        full = np.hstack([keys, np.full((len(keys), 1), BLANK_NUMBER)])[:, numbers]
        steps = len(numbers) - n
        codes = sum(full[:, n - 1 - k : n - 1 - k + steps] * width**k for k in range(n))
        return self.judge.log_table[self.judge.base[n, n] + codes, full[:, n:]].sum(axis=1)

    def _remember(self, key):
        score, used = self._whole.log_prob(key), self.cryptogram.counts > 0
        if np.array_equal(key[used], self._best[0][used]) and self._agreed:
            self._agreed += 1
        elif score > self._best[1]:
            self._best, self._agreed = (key, score), 1

    def _make_step(self, stage, key):
        self.number += 1
        counts = self._found.counts[:26, :26]
        confidence = counts[np.arange(26), key] / np.maximum(counts.sum(axis=1), 1e-300)
        best = self._best[0] if self._agreed else key
        score, highest = self.log_probs(np.stack([key, best])).tolist()
        texts = self.cryptogram.decoded(key), self.cryptogram.decoded(best)
        return SolverStep(
            self.number,
            self.round,
            stage,
            key,
            texts[0],
            score,
            confidence,
            self.cryptogram.accuracy(key),
            self._found,
            best,
            texts[1],
            highest,
            self._agreed,
            self._agreed > 1,
        )


class FullOrderModel:
    """Log probabilities of the texts that keys make of a cryptogram, by all orders of a language model of letters.

    Where words run together, those of the most probable way to put blanks between the letters.
    """

    def __init__(self, cryptogram, lm):
        self.cryptogram, self.lm = cryptogram, lm
        self._ids = lm.ids([*LETTERS, BLANK])
        self._known = {}  # (history, letter) → log probability: keys differ in few letters

    def log_prob(self, key):
        """Log probability of the text that ``key (26,)`` makes, from its start."""
        if not self.cryptogram.has_blanks:
            return self.insert_blanks("".join(LETTERS[key[x]] for x in self.cryptogram.numbers))[0]
        ids = self._ids[np.append(key, BLANK_NUMBER)[self.cryptogram.numbers]]
        return float(self.lm.score_words(np.append(self.lm.begin, ids), [0, len(ids) + 1]).sum())

    def insert_blanks(self, letters):
        """``(log_prob, text)`` of the most probable way to put blanks between letters."""
        ways, top = {("<s>",): (0.0, "")}, 0.0  # what the model remembers → the best way there
        for letter in letters:
            further = {}
            for known, way in ways.items():
                if way[0] < top - BLANK_BEAM:
                    continue
                for written in (letter, BLANK + letter) if way[1] else (letter,):
                    seen, score = self._extend_known(known, way[0], written)
                    if seen not in further or score > further[seen][0]:
                        further[seen] = score, way[1] + written
            ways, top = further, max(score for score, _ in further.values())
        return max(ways.values())

    def _extend_known(self, seen, score, written):
        for letter in written:
            if (seen, letter) not in self._known:
                self._known[seen, letter] = self.lm.log_prob(letter, seen)
            score += self._known[seen, letter]
            seen = (*seen, letter)[1 - self.lm.order :]
        return seen, score


def split_letters(letters, lm):
    """The most probable way to put blanks between the letters of a word, by a language model of letters.

    >>> import rcmviz as rv
    >>> split_letters("thedoglookedatthemoon", rv.load_lm("lm-english-characters"))
    'the dog looked at the moon'
    """
    return FullOrderModel(None, lm).insert_blanks(letters)[1].replace(BLANK, " ")
