"""Word ciphers: plain sentences to learn the language from, and sentences in which every word has become a symbol.

The words of a line are its letters and digits in lower case, as ``rcmviz.lm.text.words`` has them; one sentence per
line, lines without words are left out. Only sentences made of the commonest words alone are taken.
"""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.data.registry import need
from rcmviz.learn.discounting import discounted_model
from rcmviz.lm.text import read_sentences, tokens, words_of
from rcmviz.tasks.decipher.grammar import sentences as grammar_sentences

TATOEBA_SENTENCES, TATOEBA_LINES, VOCABULARY = 24_666, 2_000, 500  # as many as the paper took of Gigaword
MOST_WORDS = 5_000


@dataclass(frozen=True, eq=False)
class Cipher:
    """``vocabulary`` (V,) words of the language · ``plain`` sentences to learn it from, arrays of word numbers ·
    ``symbols`` (S,) names · ``lines`` of the cipher, arrays of symbol numbers · ``key (S,)`` the word number that
    each symbol replaces, or None if unknown · ``source`` where the text is from.
    """

    vocabulary: tuple
    plain: tuple
    symbols: tuple
    lines: tuple
    key: np.ndarray | None
    source: str

    def __post_init__(self):
        for number, line in enumerate(self.lines, start=1):
            if len(line) >= checks.MAX_POSITIONS:
                raise ValueError(
                    f"{self.source}: line {number} of those with words has {len(line):,} symbols, at most "
                    f"{checks.MAX_POSITIONS - 1:,} can be read; split it"
                )
        if len(self.vocabulary) < 2:
            raise ValueError(f"{self.source}: a vocabulary of one word leaves nothing to find out; give more text")
        if len(self.symbols) > len(self.vocabulary):
            raise ValueError(
                f"{self.source}: {len(self.symbols):,} different symbols for {len(self.vocabulary):,} words; every "
                "symbol replaces one word, so keep more words, or give fewer lines"
            )

    @cached_property
    def _models(self):
        return {}

    def model(self, order):
        """The language model with ``order`` words of history, made once."""
        if order not in self._models:
            self._models[order] = discounted_model(self.plain, self.vocabulary, order)
        return self._models[order]

    @cached_property
    def counts(self):
        """The count of each symbol (S,)."""
        return np.bincount(np.concatenate(self.lines), minlength=len(self.symbols))

    def numbers(self, line):
        """The symbol numbers of a line of symbols between blanks; ValueError names one that the cipher lacks."""
        number = {name: k for k, name in enumerate(self.symbols)}
        names = tokens(line)
        if not names:
            raise ValueError("an empty line: give symbols with blanks between them")
        strange = [name for name in names if name not in number]
        if strange:
            raise ValueError(f"symbol {strange[0]!r} does not occur in the cipher text, so nothing is known about it")
        return np.array([number[name] for name in names])

    def words(self, line):
        """The words of a line of symbol numbers, if the key is known."""
        return tuple(self.vocabulary[self.key[x]] for x in line)


def encipher(sentences, *, lines, size=VOCABULARY, most=None, joined=1, seed=0, source="the text"):
    """A ``Cipher`` of ``sentences``, lists of words or texts: the first ``lines`` of them enciphered, the others plain.

    Kept are the distinct sentences made of the ``size`` commonest words alone, in an order drawn with the ``seed``,
    ``most`` of them; a permutation of the words, also drawn, is the key. ``joined`` sentences become one, which
    changes how long histories are and nothing else. ValueError if too little is left.
    """
    checks.refuse_one_text("sentences", sentences)
    sentences = [tuple(words_of(f"sentence {n}", one, "words")) for n, one in enumerate(sentences, start=1)]
    vocabulary = _commonest(sentences, size)
    number = {word: k for k, word in enumerate(vocabulary)}
    kept = list(dict.fromkeys(s for s in sentences if s and all(word in number for word in s)))
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(kept))[:most]
    chosen = _join_sentences([[number[word] for word in kept[k]] for k in order], joined)
    if not 0 < lines < len(chosen):
        raise ValueError(
            f"{source}: {len(chosen):,} distinct sentences of the {len(vocabulary):,} commonest words, and {lines:,} "
            "are to be enciphered; some must remain to learn the language from: give more text, or encipher fewer lines"
        )
    code = rng.permutation(len(vocabulary))
    written = [[f"{code[word]:03d}" for word in sentence] for sentence in chosen[:lines]]
    key = {f"{code[word]:03d}": word for word in range(len(vocabulary))}
    return _cipher(vocabulary, chosen[lines:], written, key, source)


def tatoeba_cipher(seed=0, *, most=TATOEBA_SENTENCES, lines=TATOEBA_LINES, size=VOCABULARY, joined=1):
    """The paper's experiment on sentences of Tatoeba; ValueError where they are not on this machine."""
    sentences = read_sentences(need("tatoeba"), "words")
    return encipher(sentences, lines=lines, size=size, most=most, joined=joined, seed=seed, source="Tatoeba")


def grammar_cipher(seed=0, *, most=8_000, lines=1_000):
    """The same on sentences of our own grammar, about 200 words: nothing needs to be fetched."""
    return encipher(grammar_sentences(most, seed), lines=lines, size=VOCABULARY, seed=seed, source="our grammar")


def text_cipher(path, seed=0, *, size=VOCABULARY, lines=None):
    """The same on a text of the user, one sentence per line; a tenth of it is enciphered by default."""
    sentences = list(read_sentences(path, "words"))
    lines = max(1, len(sentences) // 10) if lines is None else lines
    return encipher(sentences, lines=lines, size=size, seed=seed, source=str(path))


def given_cipher(plain, enciphered, *, size=VOCABULARY):
    """Two texts of the user: ``plain`` to learn the language from, and ``enciphered``, symbols with blanks between
    them, whose key is unknown. One sentence per line.
    """
    sentences = [tuple(sentence) for sentence in read_sentences(plain, "words")]
    vocabulary = _commonest(sentences, size)
    number = {word: k for k, word in enumerate(vocabulary)}
    known = [[number[word] for word in s] for s in sentences if all(word in number for word in s)]
    if not known:
        raise ValueError(f"{plain}: no sentence of its {len(vocabulary):,} commonest words alone; keep more words")
    return _cipher(vocabulary, known, list(read_sentences(enciphered, "tokens")), None, str(enciphered))


def _commonest(sentences, size):
    """The commonest words, equally common ones in order of the alphabet; ValueError for no useful number of them."""
    if not 2 <= size <= MOST_WORDS:
        raise ValueError(f"a vocabulary of {size:,} words: choose 2 to {MOST_WORDS:,}")
    counts = Counter(word for sentence in sentences for word in sentence)
    return tuple(sorted(counts, key=lambda word: (-counts[word], word))[:size])


def _join_sentences(sentences, joined):
    """Every ``joined`` sentences in a row as one; the rest at the end is dropped."""
    groups = zip(*(sentences[k::joined] for k in range(joined)), strict=False)
    return [[word for sentence in group for word in sentence] for group in groups]


def _cipher(vocabulary, plain, written, key, source):
    symbols = tuple(sorted({name for line in written for name in line}))
    number = {name: k for k, name in enumerate(symbols)}
    lines = tuple(np.array([number[name] for name in line]) for line in written)
    truth = None if key is None else np.array([key[name] for name in symbols])
    return Cipher(vocabulary, tuple(map(np.array, plain)), symbols, lines, truth, source)
