"""Write ARPA files (docs/language-models.md), with enough digits to restore each float32."""

import gzip
import math
from contextlib import contextmanager

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.core.shared.whole_file import whole_file
from rcmviz.lm.text import TOKENS

HEADER = "MAX-ARPA: log10 probability, words, back-off, max probability, max back-off (rcmviz)\n"
UNITS_LINE = "# units:"  # before \\data\\, what texts are split into unless at blanks; toolkits pass over such lines
CHUNK = 50_000  # n-grams per write
SEPARATORS = frozenset(" \t\r\n\0")


def write_arpa(model, path, max_backoff=False):
    """Write the n-grams of a ``LanguageModel``, packed where the name ends in .gz: whole or not at all.

    ``max_backoff`` adds the maxima of eq. 8 to each line below the highest order (MAX-ARPA). Blanks that the model was
    repaired with are left out: reading adds them again. ValueError for a word that no line can hold; OSError where the
    file cannot be written.
    """
    _check_words(model.vocabulary), checks.switch("max_backoff", max_backoff)
    with whole_file(path) as file, _open_packed(file, str(path)) as out:
        for text in _pages(model, max_backoff):
            out.write(text.encode())


@contextmanager
def _open_packed(file, name):
    """The file itself, or what packs into it; without a time stamp, so that equal models are equal files."""
    if not name.endswith(".gz"):
        yield file
        return
    with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0) as packed:
        yield packed


def _check_words(vocabulary):
    for word in vocabulary:
        if not word or not SEPARATORS.isdisjoint(word) or any("\ud800" <= c <= "\udfff" for c in word):
            raise ValueError(f"the word {word!r} cannot be written: a word has no blanks, line ends or lone surrogates")


def _pages(model, max_backoff):
    """The text of the file, piece by piece."""
    sections = listed_ngrams(model.trie)
    counts = "".join(f"ngram {k}={len(rows)}\n" for k, (rows, _) in enumerate(sections, start=1))
    units = "" if model.units == TOKENS else f"{UNITS_LINE} {model.units}\n"
    yield f"{HEADER if max_backoff else ''}{units}\\data\\\n{counts}"
    trie, names = model.trie, np.array(model.vocabulary, object)
    for order, (rows, words) in enumerate(sections, start=1):
        yield f"\n\\{order}-grams:\n"
        behind = () if order == model.order else (trie.back_off, trie.max_log, trie.max_back)[: 3 if max_backoff else 1]
        for start in range(0, len(rows), CHUNK):
            place = rows[start : start + CHUNK]
            spelled = map(" ".join, zip(*names[words[start : start + CHUNK]].T.tolist(), strict=True))
            columns = [log10_texts(trie.log_prob[place]), spelled, *(log10_texts(column[place]) for column in behind)]
            yield "".join(f"{line}\n" for line in map("\t".join, zip(*columns, strict=True)))
    yield "\n\\end\\\n"


def listed_ngrams(trie):
    """Per order ``(rows, words)``: the rows (M,) of the trie that are no blanks, and their word ids (M, k), sorted.

    Rows of order 1 are all words of the vocabulary: longer n-grams are spelled with them.
    """
    listed = np.ones(len(trie.word), bool)
    listed[trie.blanks] = False
    words = np.arange(trie.level[1])[:, None]
    sections = [(words[:, 0], words)]
    for order in range(2, len(trie.level)):
        start, stop = trie.level[order - 1 : order + 1]
        children = np.diff(trie.first[trie.level[order - 2] : start + 1])
        words = np.column_stack([trie.word[start:stop], np.repeat(words, children, axis=0)])
        kept = np.flatnonzero(listed[start:stop])
        kept = kept[np.lexsort(words[kept].T[::-1])]
        sections.append((start + kept, words[kept]))
    return sections


def log10_texts(logs):
    """Natural logs (float32) as log10 in text: the 7 digits that toolkits write, or 8 or 9 where float32 needs them.

    >>> log10_texts(np.log([0.5, 1.0, 1e-99]).astype(np.float32))
    ['-0.30103', '0', '-99']
    """
    tens = logs.astype(np.float64) / math.log(10.0) + 0.0  # without the sign of a zero
    texts = [f"{value:.7g}" for value in tens.tolist()]
    for digits in (8, 9):
        wrong = np.flatnonzero((np.array(texts, float) * math.log(10.0)).astype(np.float32) != logs)
        for place in wrong.tolist():
            texts[place] = f"{tens[place]:.{digits}g}"
    return texts
