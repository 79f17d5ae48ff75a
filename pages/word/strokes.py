"""What was drawn on the pad as text for a link, so that a reload, another page or a colleague finds it on the pad."""

from rcmviz.tasks.handwriting.pen import word_from_strokes

PAD_ASPECT = 84 / 132  # a cell of the pad, width by height; its coordinates run from 0 to 1 both ways
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
GRID = 511  # steps across a cell, either way: finer than the pad's pixels
LETTER, STROKE = ".", "~"  # what letters and strokes end at
LONGEST_INK = 6_000  # characters; a longer drawing is in the link as its pixels alone


def write_strokes(letters):
    """Letters, each a list of strokes of points (x, y) in 0 … 1, as text: three characters a point.

    >>> write_strokes([[[(0, 0), (1, 1)]], [[(0.5, 0.25)]]])
    'AAA___.gCA'
    """
    return LETTER.join(STROKE.join("".join(map(_write_point, stroke)) for stroke in letter) for letter in letters)


def _write_point(point):
    x, y = (min(GRID, max(0, round(value * GRID))) for value in point)
    number = x * (GRID + 1) + y
    return DIGITS[number >> 12] + DIGITS[number >> 6 & 63] + DIGITS[number & 63]


def read_strokes(text):
    """The letters that ``write_strokes`` wrote; ValueError where a text is none of its."""
    return [[_read_stroke(stroke) for stroke in letter.split(STROKE)] for letter in text.split(LETTER)] if text else []


def word_drawn(text):
    """The Word of strokes as a link has them; ValueError where nothing is drawn."""
    squared = [[[(x * PAD_ASPECT, y) for x, y in stroke] for stroke in letter] for letter in read_strokes(text)]
    return word_from_strokes(squared)


def _read_stroke(text):
    if not text or len(text) % 3 or set(text) - set(DIGITS):
        raise ValueError("the strokes of the drawing are damaged; copy the link again")
    places = [DIGITS.index(digit) for digit in text]
    numbers = [(a << 12) + (b << 6) + c for a, b, c in zip(*[iter(places)] * 3, strict=True)]
    return [[round(number // (GRID + 1) / GRID, 3), round(number % (GRID + 1) / GRID, 3)] for number in numbers]
