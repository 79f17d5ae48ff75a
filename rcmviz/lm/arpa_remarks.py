"""Remarks on tolerated faults of a file, in sentences."""

import numpy as np

from rcmviz.lm.arpa_bytes import BLANKS
from rcmviz.lm.language_model import BEGIN, END, UNKNOWN

LOG_ZERO = -98.0  # log10; toolkits write about −99 for the probability of words that are never predicted


def remarks_on_form(file, outline):
    r"""Byte order mark, line ends, ``\end\`` and what follows it."""
    if file.marked:
        yield "A byte order mark stands before the text: skipped."
    if b"\r\n" in file.content:
        yield "Lines end with CR LF: read as LF."
    if file.had_returns:
        yield "Lines end with CR: read as LF."
    if outline.maxima:
        yield "A MAX-ARPA file: its maxima are kept for comparison, and computed again."
    if not outline.ended:
        yield "No \\end\\ closes the file; as many n-grams as declared are there."
    elif file.content[file.next_line_start(outline.stop) :].strip(BLANKS):
        yield f"Text follows \\end\\ from line {file.line(outline.stop) + 1} on: skipped."


def remarks_on_words(vocabulary):
    """The three words with a meaning of their own, of which toolkits leave out some."""
    missing = [word for word in (BEGIN, END, UNKNOWN) if word not in vocabulary]
    if UNKNOWN in missing and "<UNK>" in vocabulary:
        missing.remove(UNKNOWN)
        yield f"<UNK> is read as {UNKNOWN}."
    if missing:
        yield f"Without {', '.join(missing)}."


def remarks_on_numbers(order, highest, vocabulary, words, numbers):
    """Log zeros, back-offs that mean nothing, sections without n-grams and ``<s>`` inside them; ``words (M, k)``."""
    if not len(words):
        yield f"No {order}-grams."
    zeros = np.flatnonzero(numbers[:, 0] <= LOG_ZERO)
    if len(zeros):
        first = " ".join(vocabulary[w] for w in words[zeros[0]])
        yield f"{_grams(len(zeros), order)} of log10 {LOG_ZERO:g} or less, kept as written; the first is {first}."
    if order == highest and (ignored := int(np.count_nonzero(~np.isnan(numbers[:, 1])))):
        yield f"{_grams(ignored, order)} with a back-off at the highest order, where it means nothing: ignored."
    begin = vocabulary.index(BEGIN) if BEGIN in vocabulary else -1
    if inside := int(np.count_nonzero((words[:, 1:] == begin).any(axis=1))):
        yield f"{_grams(inside, order)} with {BEGIN} behind another word."


def _grams(count, order):
    return f"{count:,} {order}-gram{'s' * (count != 1)}"
