"""SMS: keys as typed on a phone → the words that could be meant, and how likely each makes the keys.

A word's candidates are all words of the language model's vocabulary that take as many keys, whichever keys those are:
fingers slip. `rv.ars_decode(message.hmm(lm))` finds the message that was meant. A language model of letters reads
key by key; the blanks between words are certain, marks are left out.

>>> import rcmviz as rv
>>> lm = rv.train_lm(["the dog barks .", "the fog clears ."], order=2)
>>> message = read_digits(lm, "843 364 *")
>>> message.candidates[1], [round(float(score), 2) for score in message.log_obs[1]]
(('the', 'dog', 'fog'), [-15.11, -0.3, -0.3])
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rcmviz.lm.english import split_words
from rcmviz.lm.language_model import BEGIN, END, UNKNOWN
from rcmviz.lm.text import BLANK, SPELT, TOKENS
from rcmviz.tasks.sms import keypad

MAX_LETTERS = 80  # with the blanks, where a language model of letters reads
MAX_WORDS = 50  # a decode of 50 words is a matter of seconds; longer texts are several messages


@dataclass(frozen=True, eq=False)
class Message:
    """A typed message and its candidates: per word its ``keys``, its ``candidates`` and their ``log_obs``.

    ``log_obs[i][y]`` is log p(keys of word i | candidate y), natural. ``meant`` are the words of a typed text,
    ``unknown`` those of them missing from the vocabulary, which cannot be found. Of a model of letters a word is
    one letter or a blank, and ``left_out`` are keys that it cannot read.
    """

    keys: tuple
    candidates: tuple
    log_obs: tuple
    meant: tuple = ()
    unknown: tuple = ()
    left_out: str = ""

    def __repr__(self):
        return f"<Message: {self.digits!r}, {sum(map(len, self.candidates)):,} candidates of {len(self.keys):,} words>"

    @property
    def digits(self):
        """The keys as they are typed, blanks between words."""
        return " ".join(self.keys)

    def hmm(self, lm, **options):
        """The message as ``rv.HMM(lm, candidates, log_obs, …)``, which all builders take."""
        from rcmviz.lm.hmm import HMM

        return HMM(lm, self.candidates, self.log_obs, **options)


def read_digits(lm, digits, *, slope=keypad.SLOPE, most=None):
    """Keys such as ``"3637 843 *"`` as a ``Message``; ``slope`` is k of the noise, ``most`` limits the candidates.

    The limited candidates are those that make the keys likeliest, at equal likelihood the most frequent words.
    ValueError, with the place, for an unknown key, for a word that takes as many keys as no word of the vocabulary, for
    an empty message and for one of more than 50 words.
    """
    words = digits.split()
    _check_length(words, "digits such as 3637 843")
    for number, keys in enumerate(words, start=1):
        for place, key in enumerate(keys, start=1):
            if key not in keypad.KEYS:
                raise ValueError(
                    f"word {number}, {keys!r}: {key!r} in place {place} is no key; type 0 to 9, * and #, with blanks "
                    "between words"
                )
    return _spell_message(lm, words, slope, most) if spells(lm) else _message(lm, words, slope, most)


def read_text(lm, text, *, seed=None, slope=keypad.SLOPE, most=None):
    """A text as it would be typed, a ``Message``, in words as the language model splits it; with a ``seed`` the fingers
    slip. Of a model of tokens, what the vocabulary lacks is typed as English words and marks.

    ValueError as for ``read_digits``, and for a character that is on no key.
    """
    meant = _typed_words(lm, text)
    _check_length(meant, "a few words")
    words = [keypad.word_keys(word) for word in meant]
    for number, (word, keys) in enumerate(zip(meant, words, strict=True), start=1):
        if not keys:
            raise ValueError(f"word {number}, {word!r}: it has a character that is on no key; write a to z")
    if seed is not None:
        slipped = keypad.slip("".join(words), seed, slope)
        ends = np.cumsum([len(keys) for keys in words])
        words = [slipped[end - len(keys) : end] for keys, end in zip(words, ends, strict=True)]
    if spells(lm):
        return _spell_message(lm, words, slope, most, tuple(map(keypad.letters, meant)))
    return _message(lm, words, slope, most, tuple(meant))


def _typed_words(lm, text):
    """The words of a text, as the language model splits and spells them."""
    if lm.units in SPELT:
        return [word for word in "".join(lm.split(text)).split(BLANK) if word]
    if spells(lm):
        return split_words(text)
    found = lm.split(text)
    if lm.units == TOKENS:
        found = [part for word in found for part in ([word] if _is_listed(lm, word) else split_words(word))]
    return [_vocabulary_form(lm, word) for word in found]


def spells(lm):
    """Whether a language model knows letters and blanks in place of words.

    >>> import rcmviz as rv
    >>> spells(rv.load_lm("lm-english-characters")), spells(rv.load_lm("lm-english-words"))
    (True, False)
    """
    words = set(lm.vocabulary) - {BEGIN, END, UNKNOWN}
    return BLANK in words and all(len(word) == 1 for word in words)


def _spell_message(lm, words, slope, most, meant=()):
    """Key by key, with a certain blank between words; a key that is meant for marks is no letter's."""
    if most is not None and most < 1:
        raise ValueError(f"at most {most} candidates per letter leave none; give 1 or more")
    keys = [kept for word in words if (kept := word.replace(keypad.PUNCTUATION_KEY, ""))]
    if not keys:
        raise ValueError("the message has no letters, and this language model knows nothing else; type 3637 843")
    pressed = " ".join(keys)
    if len(pressed) > MAX_LETTERS:
        raise ValueError(
            f"the message has {len(pressed)} letters and blanks; at most {MAX_LETTERS} are decoded: send parts"
        )
    letters = sorted(
        letter for letter in lm.vocabulary if len(letter) == 1 and letter != BLANK and keypad.word_keys(letter)
    )
    table = keypad.log_press(slope)[:, keypad.codes("".join(map(keypad.word_keys, letters)))]
    candidates, log_obs = [], []
    for key in pressed:
        scores = np.zeros(1) if key == " " else table[keypad.codes(key)[0]]
        names = [BLANK] if key == " " else letters
        kept = slice(None) if most is None or key == " " else _likeliest(lm, letters, scores, most)
        candidates.append(tuple(np.array(names, dtype=object)[kept]))
        log_obs.append(scores[kept])
    spelt = tuple(BLANK.join(filter(None, meant)))
    left_out = keypad.PUNCTUATION_KEY * (sum(map(len, words)) > sum(map(len, keys)))
    return Message(
        tuple(pressed),
        tuple(candidates),
        tuple(log_obs),
        spelt if len(spelt) == len(pressed) else (),
        left_out=left_out,
    )


def _vocabulary_form(lm, word):
    """The word as the vocabulary spells it, should that begin with a capital: i → I."""
    return next((form for form in (word, word.capitalize()) if _is_listed(lm, form)), word)


def _is_listed(lm, word):
    return lm.word_id(word) not in (-1, lm.unknown)


def _check_length(words, such_as):
    if not words:
        raise ValueError(f"the message is empty; type {such_as}")
    if len(words) > MAX_WORDS:
        raise ValueError(f"the message has {len(words)} words; at most {MAX_WORDS} are decoded at once: send parts")


def _message(lm, words, slope, most, meant=()):
    if most is not None and most < 1:
        raise ValueError(f"at most {most} candidates per word leave none; give 1 or more")
    by_length = _codes_by_length(lm.vocabulary, (lm.begin, lm.end, lm.unknown))
    if not by_length:
        raise ValueError("the language model has no word that can be typed; choose another")
    table = keypad.log_press(slope)
    candidates, log_obs = [], []
    for number, keys in enumerate(words, start=1):
        if len(keys) not in by_length:
            raise ValueError(
                f"word {number}, {keys!r}: no word of the vocabulary takes {len(keys)} keys, the longest takes "
                f"{max(by_length)}; correct it, or put a blank where a word ends"
            )
        spelt, codes = by_length[len(keys)]
        scores = table[keypad.codes(keys), codes].sum(axis=1)
        kept = slice(None) if most is None else _likeliest(lm, spelt, scores, most)
        candidates.append(tuple(spelt[kept]))
        log_obs.append(scores[kept])
    unknown = tuple(word for word in meant if not _is_listed(lm, word))
    return Message(tuple(words), tuple(candidates), tuple(log_obs), meant, unknown)


def _likeliest(lm, spelt, scores, most):
    """Places of the ``most`` best scores, in their order; of equals the most frequent words."""
    frequency = np.array([lm.log_prob(word) for word in spelt])
    return np.sort(np.lexsort((-frequency, -scores))[:most])


@lru_cache(maxsize=4)
def _codes_by_length(vocabulary, left_out):
    """``{number of keys: (words, codes of their keys (words, keys))}``; words that cannot be typed are left out."""
    groups = {}
    for index, word in enumerate(vocabulary):
        keys = keypad.word_keys(word)
        if keys and index not in left_out:
            groups.setdefault(len(keys), []).append((word, keys))
    spelt = {length: zip(*group, strict=True) for length, group in groups.items()}
    return {
        length: (np.array(words, dtype=object), np.stack([keypad.codes(keys) for keys in pressed]))
        for length, (words, pressed) in spelt.items()
    }
