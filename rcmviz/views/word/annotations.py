"""Texts next to the labels of a word: observed tokens, and notes by position."""

from rcmviz.core.shared import checks


def check_tokens(tokens, length):
    """A text per position as a list, or None; ValueError for another number of them."""
    if tokens is None:
        return None
    checks.same_length(tokens, "tokens", length, "positions")
    return [str(token) for token in tokens]


def check_notes(notes, length):
    """``{position: remark}`` as JSON holds it, or None; ValueError for a wrong position.

    >>> check_notes({2: "here"}, 3)
    {'2': 'here'}
    """
    for position in notes or ():
        checks.whole("note at position", position, 1, length)
    return {str(position): str(notes[position]) for position in sorted(notes)} if notes else None
