"""Numbers as JSON has them."""

import math


def number(value):
    """A float with six significant digits, None where it is not finite."""
    value = float(value)
    return float(f"{value:.6g}") if math.isfinite(value) else None
