"""A phone's keypad: which key a letter is on, how far keys are apart, and how a finger slips.

The noise is that of Carter, Dymetman and Bouchard (2012), eq. 9: a pressed key at distance d from the one that was
meant has weight 1 / (k·d + 1), d between the centres of keys one unit apart. The paper gives it up to a factor; here
the weights of the twelve keys are divided by their sum, so that each letter has a distribution over the keys.

>>> word_keys("Don't"), word_keys("café"), word_keys(".")
('366*8', '2233', '*')
"""

import unicodedata
from functools import lru_cache

import numpy as np

from rcmviz.core.shared import checks

KEYS = "123456789*0#"  # row by row, three in a row
LETTERS = {"2": "abc", "3": "def", "4": "ghi", "5": "jkl", "6": "mno", "7": "pqrs", "8": "tuv", "9": "wxyz"}
PUNCTUATION_KEY = "*"  # the key of every mark of punctuation, the apostrophe among them
SLOPE = 64.0  # k of the noise: about nine keys in ten are pressed as they were meant

_CODE = {key: code for code, key in enumerate(KEYS)}
_KEY = {digit: digit for digit in "0123456789"}
_KEY |= {letter: key for key, letters in LETTERS.items() for letter in letters}


def word_keys(word):
    """The keys that spell a word: letters without their accents, digits by themselves, all other marks ``*``.

    Empty where a character is on no key, such as a Greek letter.
    """
    plain = unicodedata.normalize("NFKD", word).casefold()
    keys = [_key(character) for character in plain if not unicodedata.combining(character)]
    return "".join(keys) if all(keys) else ""


def letters(word):
    """The letters of a word that are on keys, without accents and marks: as a language model of letters has them.

    >>> letters("Don't"), letters("café"), letters(".")
    ('dont', 'cafe', '')
    """
    plain = unicodedata.normalize("NFKD", word).casefold()
    return "".join(character for character in plain if character in _KEY and character.isalpha())


def _key(character):
    known = _KEY.get(character)
    return known or ("" if character.isalnum() or character.isspace() else PUNCTUATION_KEY)


def codes(keys):
    """Keys as numbers 0 … 11 in the order of ``KEYS``, uint8."""
    return np.array([_CODE[key] for key in keys], dtype=np.uint8)


@lru_cache(maxsize=16)
def log_press(slope=SLOPE):
    """log p(pressed | meant), a (12, 12) array [pressed, meant]; ValueError where the slope is negative or not finite.

    >>> table = np.exp(log_press(64.0))
    >>> [round(float(p), 3) for p in (table[:, 4].sum(), table[4, 4], table[1, 4], table[0, 4])]
    [1.0, 0.887, 0.014, 0.01]
    """
    checks.number(
        "the noise k is", slope, "a finite number that is not negative, the paper's is 64", least=0, below=np.inf
    )
    places = np.array([divmod(code, 3) for code in range(len(KEYS))], dtype=np.float64)
    distance = np.linalg.norm(places[:, None] - places[None, :], axis=2)  # (12, 12)
    weight = 1 / (slope * distance + 1)
    table = np.log(weight / weight.sum(axis=0))
    table.setflags(write=False)
    return table


def slip(keys, seed, slope=SLOPE):
    """The keys as a finger hits them that slips at random, each drawn from ``log_press``.

    >>> slip("3637", seed=0, slope=1e9), len(slip("3637", seed=0, slope=0.0))
    ('3637', 4)
    """
    rng = np.random.default_rng(seed)
    upto = np.exp(log_press(slope)).cumsum(axis=0)  # (12, 12)
    drawn = rng.random(len(keys)) * upto[-1, codes(keys)]
    return "".join(KEYS[int(np.searchsorted(upto[:, meant], u))] for meant, u in zip(codes(keys), drawn, strict=True))
