"""A section of an ARPA file: bytes in, word ids and numbers out (docs/language-models.md).

``text (B,)`` are the bytes of the file. A line ends with a line feed; blanks, tabs and carriage returns separate its
fields, and a NO-BREAK SPACE does not: a number, the words, then up to ``columns − 1`` further numbers. Words and
n-grams are found by open addressing: ``slots`` (a power of two, more than half of them free) hold rows, −1 where free.
"""

import numpy as np

from rcmviz.kernels.bare_arrays import bare
from rcmviz.kernels.kernel import kernel, part
from rcmviz.kernels.rows import copy_row, fill


@kernel()
def read_section(text, start, stop, spans, lexicon, slots, words, numbers, fields):
    """The lines of ``text[start:stop]`` into ``words (M, k)`` and ``numbers (M, columns)``, NaN if a number is missing.

    ``spans (V, 2)`` are the places of the vocabulary in the text and ``lexicon`` its slots: order 1 fills both.
    ``fields (k + columns, 2)`` is room for the places of a line's fields. Returns ``stop``, or where a line starts that
    is no n-gram or one for the second time.
    """
    text, spans, lexicon = bare((text, spans, lexicon))
    slots, words, numbers, fields = bare((slots, words, numbers, fields))
    order, columns = words.shape[1], numbers.shape[1]
    row, line = 0, start
    while line < stop:
        count, following = split_line(text, line, stop, fields)
        if count:
            if count <= order or count > order + columns:
                return line
            if not read_numbers(text, fields, count, order, numbers[row]):
                return line
            if order == 1:
                copy_row(fields[1], spans[row])
                words[row, 0] = row
                fresh = enter_word(text, spans, lexicon, row)
            else:
                fresh = find_words(text, fields, spans, lexicon, words[row]) and enter_ngram(words, slots, row)
            if not fresh:
                return line
            row += 1
        line = following
    return stop


@kernel()
def count_lines(text, start, stop):
    """How many lines of ``text[start:stop]`` are not blank."""
    text, count, blank = bare(text), 0, True
    for at in range(start, stop):
        if text[at] == 10:
            count += not blank
            blank = True
        elif text[at] != 32 and text[at] != 9 and text[at] != 13:
            blank = False
    return count + (not blank)


@kernel(inline="always")
def split_line(text, at, stop, fields):
    """Starts and ends of the fields of a line into ``fields (F, 2)``; returns how many it has and the next line."""
    count, inside = 0, False
    while at < stop and text[at] != 10:
        separates = text[at] == 32 or text[at] == 9 or text[at] == 13
        if inside == separates:
            inside = not inside
            if count < fields.shape[0]:
                fields[count, int(separates)] = at
            count += separates
        at += 1
    if inside:
        if count < fields.shape[0]:
            fields[count, 1] = at
        count += 1
    return count, at + 1


@kernel(inline="always")
def read_numbers(text, fields, count, order, numbers):
    """The first of ``count`` fields and those behind the words; False where one is no number."""
    fill(numbers, np.nan)
    valid, numbers[0] = number_at(text, fields[0, 0], fields[0, 1])
    for column in range(1, count - order):
        place = fields[order + column]
        known, numbers[column] = number_at(text, place[0], place[1])
        valid = valid and known
    return valid


@part(_nrt=False)
def number_at(text, at, stop):
    """A decimal number, or inf with or without a sign, as ``(True, value)``; else ``(False, nan)``."""
    sign = -1.0 if text[at] == 45 else 1.0
    if text[at] == 45 or text[at] == 43:
        at += 1
    if stop - at == 3 and text[at] | 32 == 105 and text[at + 1] | 32 == 110 and text[at + 2] | 32 == 102:
        return True, sign * np.inf
    value, digits, behind, point = 0.0, 0, 0, False
    while at < stop and (48 <= text[at] <= 57 or (text[at] == 46 and not point)):
        if text[at] == 46:
            point = True
        else:
            value = 10.0 * value + (text[at] - 48)
            digits, behind = digits + 1, behind + point
        at += 1
    exponent = 0
    if digits and at + 1 < stop and text[at] | 32 == 101:
        downwards = text[at + 1] == 45
        at += 2 if downwards or text[at + 1] == 43 else 1
        digits = 0
        while at < stop and 48 <= text[at] <= 57 and digits < 9:
            exponent, digits, at = 10 * exponent + (np.int64(text[at]) - 48), digits + 1, at + 1
        exponent = -exponent if downwards else exponent
    if digits == 0 or at < stop:
        return False, np.nan
    return True, sign * scaled(value, exponent - behind)


@kernel(inline="always")
def scaled(value, exponent):
    """``value · 10^exponent``, dividing by whole powers of ten, which are exact up to 10^22."""
    if value == 0.0:
        return 0.0
    return value / 10.0**-exponent if exponent < 0 else value * 10.0**exponent


@part(_nrt=False)
def word_slot(text, start, stop, spans, lexicon):
    """The slot of the word ``text[start:stop]``, or the free one that it belongs to (FNV-1a)."""
    code = np.uint64(14695981039346656037)
    for at in range(start, stop):
        code = (code ^ np.uint64(text[at])) * np.uint64(1099511628211)
    slot = np.int64((code ^ (code >> np.uint64(32))) & np.uint64(lexicon.size - 1))
    while lexicon[slot] >= 0:
        known = lexicon[slot]
        first, end = spans[known, 0], spans[known, 1]
        same = end - first == stop - start
        for j in range(stop - start if same else 0):
            if text[first + j] != text[start + j]:
                same = False
                break
        if same:
            break
        slot = (slot + 1) & (lexicon.size - 1)
    return slot


@kernel(inline="always")
def enter_word(text, spans, lexicon, row):
    """Put the word of ``row`` into its slot; False if it is in the table already."""
    slot = word_slot(text, spans[row, 0], spans[row, 1], spans, lexicon)
    fresh = lexicon[slot] < 0
    if fresh:
        lexicon[slot] = row
    return fresh


@kernel(inline="always")
def find_words(text, fields, spans, lexicon, words):
    """The ids of the fields behind the first; False where one is not in the vocabulary."""
    for k in range(words.size):
        words[k] = lexicon[word_slot(text, fields[k + 1, 0], fields[k + 1, 1], spans, lexicon)]
        if words[k] < 0:
            return False
    return True


@kernel(inline="always")
def enter_ngram(words, slots, row):
    """Put ``row`` of ``words`` into its slot; False where a row above holds the same n-gram."""
    code = np.uint64(0)
    for k in range(words.shape[1]):
        code = (code ^ np.uint64(words[row, k])) * np.uint64(0x9E3779B97F4A7C15)
        code ^= code >> np.uint64(32)
    slot = np.int64(code & np.uint64(slots.size - 1))
    while slots[slot] >= 0:
        same = True
        for k in range(words.shape[1]):
            if words[slots[slot], k] != words[row, k]:
                same = False
                break
        if same:
            return False
        slot = (slot + 1) & (slots.size - 1)
    slots[slot] = row
    return True
