"""Numbers and images in the form of JSON."""

import math


def number(value):
    """Return a float with six significant digits, None if it is not finite."""
    value = float(value)
    return float(f"{value:.6g}") if math.isfinite(value) else None


def pixel_rows(images):
    """Return images of 0 and 1 as texts, one per row of pixels."""
    return [["".join("1" if pixel else "0" for pixel in row) for row in image] for image in images]
