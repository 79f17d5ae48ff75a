"""What is known of a cipher: symbols pinned to what they stand for, in a link, by name and by number."""

from urllib.parse import unquote

MOST_PINS = 100
_ESCAPED = {ord(sign): f"%{ord(sign):02X}" for sign in "%,-"}  # in the names of pins, which these separate


def read_pins(text):
    """Pairs (symbol, label) of a text such as ``Q-t,X-h``; ValueError where it is none.

    >>> read_pins("Q-t,017-house")
    (('Q', 't'), ('017', 'house'))
    """
    pins = [tuple(map(unquote, part.split("-", 1))) for part in text.split(",") if part]
    if len(pins) > MOST_PINS or any(len(pin) != 2 or not all(pin) for pin in pins):
        raise ValueError(f"{text[:40]!r} is not what symbols stand for, such as Q-t,X-h")
    if len(dict(pins)) < len(pins):
        raise ValueError(f"{text[:40]!r} says of a symbol twice what it stands for")
    return tuple(pins)


def write_pins(pins):
    """Pairs (symbol, label) as text.

    >>> write_pins((("Q", "t"), ("017", "house")))
    'Q-t,017-house'
    """
    return ",".join("-".join(name.translate(_ESCAPED) for name in pin) for pin in pins)


def numbered(layout, pins):
    """``{symbol: label}`` by number of pins by name; ValueError names what cannot be."""
    numbers = {}
    for symbol, label in pins.items():
        if symbol not in layout.symbols or not layout.counts[layout.symbols.index(symbol)]:
            raise ValueError(f"the symbol {symbol[:20]!r} does not occur in the cipher text")
        if label not in layout.labels:
            raise ValueError(f"{label[:40]!r} is no {layout.term} of the language model: {symbol} cannot stand for it")
        numbers[layout.symbols.index(symbol)] = layout.labels.index(label)
    if len(set(numbers.values())) < len(numbers):
        raise ValueError(f"two symbols cannot stand for one {layout.term}: free one of them first")
    return numbers


def named(layout, pins):
    """``{symbol: label}`` by name of pins by number."""
    return {layout.symbols[symbol]: layout.labels[label] for symbol, label in pins.items()}
