"""The pen: words written in strokes of our own, and strokes drawn in the browser, on the grid of Kassel's letters.

Every writer (a seed) has a slant, a width, a thickness, a favourite variant of each letter and a habit of bending it;
every letter is bent a little differently again. The arithmetic is sums, products and square roots of uniform numbers
only, so a seed writes the same pixels on every machine.

Example:
    >>> write_word("context", seed=7).images.shape
    (7, 16, 8)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.tasks.handwriting.letter_data import COLUMNS, LETTERS, ROWS, Word, check_images
from rcmviz.tasks.handwriting.lexicon import LEXICON
from rcmviz.tasks.handwriting.strokes import SKELETONS

# Chosen so that the pen is as hard to read as people are. A logistic regression on the pixels, trained on 2,000
# letters, gets right of the others .47 at 8x4 and .68 at 16x8 on Kassel's letters (ink .220), .48 and .70 here
# (ink .219); without noise and with bending 0.71 times as strong, .58 and .84.
NOISE = 0.005
WRITERS = 2**48  # seeds of writers that pen_words draws from; as JSON they stay exact
_HABIT, _CHANCE = 1.26, 0.7  # how far a letter is bent, in units of its skeleton: by its writer, and for each letter

HEX_DIGITS = ROWS * COLUMNS // 4  # of a drawn letter in a link
_THICKNESS = 1.0, 8.0  # of a line, in pixels
_PIECES = 5  # straight pieces between two points of a skeleton
_BLOCK = 1_000  # lines of a stroke whose distances are held at once: a megabyte each
_SHEET = (4, 3)  # knots of the sheet that bends a letter, down and across
_CENTRE_Y, _CENTRE_X = (axis[..., None] + 0.5 for axis in np.ogrid[0:ROWS, 0:COLUMNS])  # of pixels


@dataclass(frozen=True, eq=False)
class _Writer:
    """The style of a word."""

    slant: float
    width: float
    thickness: float
    variants: np.ndarray  # (26,) in [0, 1)
    sheets: np.ndarray  # (26, 4, 3, 2) displacements, standard deviation 1


def write_word(
    text: str,
    seed: int = 0,
    *,
    slant: float | None = None,
    jitter: float = 1.0,
    thickness: float | None = None,
    noise: float = NOISE,
) -> Word:
    """Return a word written by the writer of this seed.

    Args:
        text: letters a to z; capitals are written small.
        seed: the writer, 0 or more. A letter does not change when others are added behind it.
        slant: how far the top leans to the right, per unit of height; None = the writer's own.
        jitter: how much letters are bent, 0 = as in the book, 1 = as by people.
        thickness: of the line, in pixels, at least 1; None = the writer's own.
        noise: probability that a pixel is wrong, 0 to 0.5.

    Raises:
        ValueError: for an empty text, letters outside a to z (named), or a setting out of its range.
    """
    letters = letters_of(text)
    _check_range("slant", slant if slant is not None else 0.0, -1.0, 1.0)
    _check_range("jitter", jitter, 0.0, 5.0)
    _check_range("noise", noise, 0.0, 0.5)
    seed = checks.whole("seed", seed, 0)
    if thickness is not None:
        _check_range("thickness", thickness, *_THICKNESS)
    images = _write_letters(letters, seed, slant, jitter, thickness, noise)
    return Word(letters, images, fold=0, index=0, source="pen")


def pen_words(n: int, seed: int = 0, *, noise: float = NOISE) -> list[Word]:
    """Return n words of the lexicon, each by a different writer, in folds 0, 1, … 9, 0, 1, … .

    Raises:
        ValueError: for a negative n or seed, and for noise outside 0 to 0.5.
    """
    orders = enumerate(pen_orders(n, seed))
    return [
        replace(write_word(text, seed=writer, noise=noise), fold=index % 10, index=index)
        for index, (text, writer) in orders
    ]


def pen_orders(n: int, seed: int = 0) -> list[tuple[str, int]]:
    """Return text and writer of each of the n words of ``pen_words``, so that one of them can be written alone.

    Raises:
        ValueError: for a negative n or seed.
    """
    checks.whole("number of words", n, 0)
    draws = _stream(seed, 0).random((n, 2))
    return [(LEXICON[int(which * len(LEXICON))], int(writer * WRITERS)) for which, writer in draws]


def word_from_strokes(letters: list, thickness: float = 1.2) -> Word:
    """Return the word of a drawing, one list of strokes per letter; its letters are unknown.

    Args:
        letters: per letter a list of strokes, per stroke a list of points (x, y), y downwards. Any unit will do as
            long as it is the same for x and y: each letter is scaled to fill its own image, keeping its proportions,
            as Kassel's letters are.
        thickness: of the line, in pixels.

    Raises:
        ValueError: where nothing is drawn, a letter has no stroke, or a point is not two finite numbers.
    """
    if not letters or not any(letters):
        raise ValueError("nothing is drawn: draw at least one letter, each in its own box")
    images = []
    for place, strokes in enumerate(letters, start=1):
        if not strokes:
            raise ValueError(f"letter {place} is empty: draw it, or remove its box")
        images.append(rasterise(fit([_points(stroke, place) for stroke in strokes], thickness), thickness))
    return word_from_images(np.stack(images))


def word_from_images(images: np.ndarray, letters: str = "") -> Word:
    """Return a drawn word of these images, (T, 16, 8) of 0 and 1; its letters if given.

    Raises:
        ValueError: for another shape or value, and for more or fewer letters than images.
    """
    return Word(letters, images, fold=0, index=0, source="drawn")


def encode_images(images: np.ndarray) -> str:
    """Return the images as text for a link, 32 hexadecimal digits per letter.

    Raises:
        ValueError: for images that are not (T, 16, 8) of 0 and 1.
    """
    return np.packbits(check_images(images).reshape(len(images), -1), axis=1).tobytes().hex()


def decode_images(text: str) -> np.ndarray:
    """Return the images, (T, 16, 8) uint8, that ``encode_images`` turned into this text.

    Raises:
        ValueError: for a text that is empty, of a wrong length, or not hexadecimal.
    """
    strange = sorted(set(text) - set("0123456789abcdefABCDEF"))
    if strange:
        raise ValueError(
            f"drawn letters are written in hexadecimal digits, not {''.join(strange)!r}: copy the link again"
        )
    if not text or len(text) % HEX_DIGITS:
        raise ValueError(
            f"a drawn letter is {HEX_DIGITS} hexadecimal digits, and {len(text)} digits are no whole number of "
            "letters: the link may have been cut short, copy it again"
        )
    packed = np.frombuffer(bytes.fromhex(text), dtype=np.uint8)
    return np.unpackbits(packed).reshape(-1, ROWS, COLUMNS)


def rasterise(strokes: list[np.ndarray], thickness: float) -> np.ndarray:
    """Return the (16, 8) uint8 image of strokes: a pixel is ink where its centre is within half a thickness of a line.

    A stroke so short that it falls between the centres inks the nearest one, so nothing that is drawn is lost.

    Args:
        strokes: (P, 2) arrays of points (x, y), both 0 to 1: x over the 8 columns, y down the 16 rows.
        thickness: of the line, in pixels, 1 to 8.

    Raises:
        ValueError: for a thickness out of its range.
    """
    _check_range("thickness", thickness, *_THICKNESS)
    image = np.zeros((ROWS, COLUMNS), dtype=bool)
    for stroke in strokes:
        # Rounded, so that the last bit of a machine's arithmetic decides no pixel.
        points = np.round(np.asarray(stroke) * (COLUMNS, ROWS) * 1024) / 1024
        blocks = range(0, max(1, len(points) - 1), _BLOCK)
        squared = np.minimum.reduce([_squared_distance(points[k : k + _BLOCK + 1]) for k in blocks])
        image |= squared <= max(thickness * thickness / 4, squared.min())
    return image.astype(np.uint8)


def _squared_distance(points: np.ndarray) -> np.ndarray:
    """Squared distance of each pixel centre to the poly-line through the points, (16, 8)."""
    start, stop = points[:-1], points[1:]
    if len(points) == 1:
        start = stop = points
    (ax, ay), (dx, dy) = start.T, (stop - start).T  # (P-1,) each
    px, py = _CENTRE_X - ax, _CENTRE_Y - ay  # (1, 8, P-1), (16, 1, P-1)
    along = np.clip((px * dx + py * dy) / np.maximum(dx * dx + dy * dy, 1e-9), 0, 1)
    return ((px - along * dx) ** 2 + (py - along * dy) ** 2).min(axis=-1)


def fit(strokes: list[np.ndarray], thickness: float) -> list[np.ndarray]:
    """Return the strokes scaled and centred to fill the image, their proportions kept, for ``rasterise``.

    Kassel's letters are so: 8 columns wide or 16 rows high, whichever comes first, and in the middle of the rest
    (i and l are 2 to 6 columns wide, m and w 6 to 8 rows high).

    Args:
        strokes: (P, 2) arrays of points (x, y) in any unit, y downwards.
        thickness: of the line that will be drawn, in pixels; half of it stays free on each side.
    """
    points = np.concatenate(strokes)
    low, high = points.min(axis=0), points.max(axis=0)
    room = np.array([COLUMNS, ROWS]) - thickness
    extent = np.maximum(high - low, 1e-9)
    scale = (room / extent).min() if (high > low).any() else 0.0
    centre = (low + high) / 2
    return [((stroke - centre) * scale + (COLUMNS / 2, ROWS / 2)) / (COLUMNS, ROWS) for stroke in strokes]


@lru_cache(maxsize=4096)  # about a kilobyte each; pages and trainings ask for the same words again and again
def _write_letters(letters, seed, slant, jitter, thickness, noise):
    """The images of a word, (T, 16, 8); ``Word`` makes them read-only."""
    writer = _writer(seed)
    if slant is not None:
        writer = replace(writer, slant=slant)
    if thickness is not None:
        writer = replace(writer, thickness=thickness)
    drawn = [_write_letter(letter, writer, _stream(seed, 1 + i), jitter, noise) for i, letter in enumerate(letters)]
    return np.stack(drawn)


def _write_letter(letter: str, writer: _Writer, stream: np.random.Generator, jitter: float, noise: float) -> np.ndarray:
    """One letter, (16, 8): choose the variant, bend, lean, widen, fit, draw, spoil."""
    place = LETTERS.index(letter)
    variants = SKELETONS[letter]
    skeleton = variants[int(writer.variants[place] * len(variants))]
    sheet = jitter * (_HABIT * writer.sheets[place] + _CHANCE * _gaussian(stream, (*_SHEET, 2)))
    strokes = [_lean(_smooth_curve(stroke), writer) for stroke in _bend(skeleton, sheet)]
    image = rasterise(fit(strokes, writer.thickness), writer.thickness)
    flips = stream.random((ROWS, COLUMNS)) < noise
    return image ^ flips.astype(np.uint8)


def _bend(strokes: list[np.ndarray], sheet: np.ndarray) -> list[np.ndarray]:
    """Move every point as the rubber sheet under it moves: knots (4, 3) over the letter's box, linear between."""
    points = np.concatenate(strokes)
    low, extent = points.min(axis=0), np.maximum(np.ptp(points, axis=0), 1e-9)
    last = np.array(_SHEET) - 1
    position = ((points - low) / extent)[:, ::-1] * last  # row, column of the sheet
    knot = np.minimum(position.astype(np.int64), last - 1)
    (down, across), (row, column) = (position - knot).T[..., None], knot.T
    above = sheet[row, column] * (1 - across) + sheet[row, column + 1] * across
    below = sheet[row + 1, column] * (1 - across) + sheet[row + 1, column + 1] * across
    bent, stops = points + above * (1 - down) + below * down, np.cumsum(list(map(len, strokes)))
    return [bent[stop - len(stroke) : stop] for stroke, stop in zip(strokes, stops, strict=True)]


def _smooth_curve(points: np.ndarray) -> np.ndarray:
    """The Catmull-Rom curve through the points, as a poly-line with 5 pieces between two points."""
    if len(points) < 3:
        return points
    padded = np.concatenate([points[:1], points, points[-1:]])[:, None]
    p0, p1, p2, p3 = padded[:-3], padded[1:-2], padded[2:-1], padded[3:]  # (P-1, 1, 2)
    t = (np.arange(_PIECES) / _PIECES)[:, None]
    slope, curve, twist = p2 - p0, 2 * p0 - 5 * p1 + 4 * p2 - p3, 3 * (p1 - p2) + p3 - p0
    between = p1 + t * (slope + t * (curve + t * twist)) / 2  # (P-1, 5, 2)
    return np.concatenate([between.reshape(-1, 2), points[-1:]])


def _lean(points: np.ndarray, writer: _Writer) -> np.ndarray:
    x, y = points.T
    return np.stack([writer.width * x - writer.slant * y, y], axis=1)


def _writer(seed: int) -> _Writer:
    stream = _stream(seed, 0)
    return _Writer(
        slant=-0.1 + 0.45 * stream.random(),
        width=0.75 + 0.65 * stream.random(),
        thickness=1.0 + 0.4 * stream.random(),
        variants=stream.random(len(LETTERS)),
        sheets=_gaussian(stream, (len(LETTERS), *_SHEET, 2)),
    )


def _stream(seed: int, number: int) -> np.random.Generator:
    """The random numbers of a writer (number 0) or of the letter at a position (1, 2, …)."""
    return np.random.Generator(np.random.PCG64([checks.whole("seed", seed, 0), number]))


def _gaussian(stream: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Nearly normal numbers: four uniform ones added, which is the same on every machine and version of NumPy."""
    return (sum(stream.random((4, *shape))) - 2) * 1.7320508075688772  # to standard deviation 1


def letters_of(text: str) -> str:
    """The letters that the pen writes for a text; ValueError for an empty one and for others than a to z."""
    letters = text.lower()
    strange = sorted({letter for letter in letters if letter not in SKELETONS})
    if strange:
        raise ValueError(f"the pen writes the letters a to z only, not {', '.join(map(repr, strange))} (in {text!r})")
    if not letters:
        raise ValueError("there is nothing to write: type a word of letters a to z")
    return letters


def _check_range(name: str, value: float, low: float, high: float) -> None:
    checks.number(name, value, f"a number from {low:g} to {high:g}", least=low, most=high)


def _points(stroke, place: int) -> np.ndarray:
    try:
        points = np.asarray(stroke, dtype=np.float64)
    except (TypeError, ValueError):
        points = np.empty(0)
    if points.ndim != 2 or points.shape[1] != 2 or len(points) == 0 or not np.isfinite(points).all():
        raise ValueError(f"letter {place}: a stroke is a list of points (x, y), each two finite numbers")
    return points
