"""Pins of a cipher: symbols with known meanings, as text in a link, by name and by number."""

from urllib.parse import unquote

MOST_PINS = 100
_ESCAPED = {ord(sign): f"%{ord(sign):02X}" for sign in "%,-"}  # in the names of pins, whose separators these are


def read_pins(text):
    """Parse pairs (symbol, label) from a text such as ``Q-t,X-h``; ValueError if it is malformed.

    >>> read_pins("Q-t,017-house")
    (('Q', 't'), ('017', 'house'))
    """
    pins = [tuple(map(unquote, part.split("-", 1))) for part in text.split(",") if part]
    if len(pins) > MOST_PINS or any(len(pin) != 2 or not all(pin) for pin in pins):
        raise ValueError(f"{text[:40]!r} is not a list of pins such as Q-t,X-h")
    if len(dict(pins)) < len(pins):
        raise ValueError(f"{text[:40]!r} pins a symbol twice")
    return tuple(pins)


def write_pins(pins):
    """Return pairs (symbol, label) as text.

    >>> write_pins((("Q", "t"), ("017", "house")))
    'Q-t,017-house'
    """
    return ",".join("-".join(name.translate(_ESCAPED) for name in pin) for pin in pins)


def pins_by_number(layout, pins):
    """Return pins by name as ``{symbol: label}`` by number; ValueError names an invalid pin."""
    numbers = {}
    for symbol, label in pins.items():
        if symbol not in layout.symbols or not layout.counts[layout.symbols.index(symbol)]:
            raise ValueError(f"the symbol {symbol[:20]!r} does not occur in the cipher text")
        if label not in layout.labels:
            raise ValueError(
                f"{label[:40]!r} is not a {layout.term} of the language model; choose another for {symbol}"
            )
        numbers[layout.symbols.index(symbol)] = layout.labels.index(label)
    if len(set(numbers.values())) < len(numbers):
        raise ValueError(f"two symbols are pinned to one {layout.term}: free one of them first")
    return numbers


def pins_by_name(layout, pins):
    """Return pins by number as ``{symbol: label}`` by name."""
    return {layout.symbols[symbol]: layout.labels[label] for symbol, label in pins.items()}
