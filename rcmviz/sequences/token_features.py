"""Features of tokens, from a cell, its spelling and its neighbours.

``word`` is the column's name; docs/classifier.md lists the features.
"""

import re

AFFIXES = (1, 2, 3)


def spelling(name, word):
    """The features of one token's spelling, ``{feature: value}``.

    >>> sorted(spelling("w", "Ab-1").items())[:4]
    [('w', 'ab-1'), ('w:digit', True), ('w:prefix1', 'A'), ('w:prefix2', 'Ab')]
    """
    affixes = [size for size in AFFIXES if size < len(word)]
    return (
        {name: word.lower(), f"{name}:shape": shape(word)}
        | {f"{name}:prefix{size}": word[:size] for size in affixes}
        | {f"{name}:suffix{size}": word[-size:] for size in affixes}
        | ({f"{name}:digit": True} if any(character.isdigit() for character in word) else {})
    )


def shape(word):
    """``X`` capitals, ``x`` other letters, ``d`` digits, runs written once.

    >>> shape("McDonald's-2024")
    "XxXx'x-d"
    """
    kinds = ("d" if c.isdigit() else "X" if c.isupper() else "x" if c.isalpha() else c for c in word)
    return re.sub(r"([dXx])\1+", r"\1", "".join(kinds))


def neighbours(name, cells, i):
    """The cells before and after position i (from 0), if there are any.

    >>> neighbours("tag", ["D", "N", "V"], 0)
    {'tag[+1]': 'N'}
    """
    before = {f"{name}[-1]": cells[i - 1]} if i else {}
    return before | ({f"{name}[+1]": cells[i + 1]} if i + 1 < len(cells) else {})


def ends(T):
    """Features that mark the first and the last of T positions, a list of dicts.

    >>> ends(3)
    [{'first': True}, {}, {'last': True}]
    """
    return [({"first": True} if i == 0 else {}) | ({"last": True} if i == T - 1 else {}) for i in range(T)]
