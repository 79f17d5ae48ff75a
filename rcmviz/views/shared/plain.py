"""Numbers and pictures as JSON has them."""

import math


def number(value):
    """A float with six significant digits, None where it is not finite."""
    value = float(value)
    return float(f"{value:.6g}") if math.isfinite(value) else None


def pixel_rows(images):
    """Pictures of 0 and 1 as texts, one per row of pixels."""
    return [["".join("1" if pixel else "0" for pixel in row) for row in image] for image in images]
