"""Text of users, links, files and messages, escaped so that Streamlit's Markdown shows it unchanged.

Markdown would turn it into pictures and links, and a picture is a request to the server that it names. Pages pass such
text through ``escape_markdown`` or ``sentence`` only, which tests/pages/test_foreign_text.py checks.
"""

import base64
import html
import re

_MARKS = re.compile(r"([\\`*_{}\[\]#$<>~:|&])")
_FIRST = re.compile(r"^(\d{0,9})([-+=.)])")  # starts a list, a rule or a heading at the start of a text
# Streamlit replaces these after parsing, regardless of backslashes: addresses, `:smile:`, `:material/…:`, arrows,
# dashes. An invisible character in between prevents it.
_AFTERWARDS = re.compile(r"(?<=:)(?=\S)|(?<=@)(?=\S)|(?<=www)(?=\.)|(?<=[-<>=~])(?=[-<>=~])", re.IGNORECASE)
_JOINER = "\u2060"
_CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


def escape_markdown(text):
    """Return text in one line, with all Markdown escaped."""
    text = _AFTERWARDS.sub(_JOINER, " ".join(text.split()))
    return _FIRST.sub(r"\1\\\2", _MARKS.sub(r"\\\1", text))


def as_sentence(error):
    """Return a message as a sentence, for a view, which shows text unchanged."""
    text = str(error).rstrip(".")
    first, *_ = text.split(maxsplit=1) or [""]
    return f"{text if '.' in first else text[:1].upper() + text[1:]}."


def sentence(error):
    """Return a message as a sentence; code between two backquotes stays code, the name of a file stays unchanged."""
    pieces = _CODE.split(as_sentence(error))
    return "".join(f"`{piece}`" if number % 2 else _escape_between(piece) for number, piece in enumerate(pieces))


def _escape_between(piece):
    """Return the escaped text before, between or after code, with the blanks next to code."""
    left, right = piece[:1].isspace() * " ", piece[1:][-1:].isspace() * " "
    return f"{left}{escape_markdown(piece)}{right}"


def duration(seconds):
    """Return seconds as text.

    >>> duration(42.4), duration(600)
    ('42 s', '10 min')
    """
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def ink(images, name):
    """Return a word's images (T, rows, columns) as HTML in the text colour; ``name`` is for screen readers.

    The images are a mask: Streamlit removes SVG from HTML, and an image would not follow the theme.
    """
    rows, columns = images.shape[1:]
    width = len(images) * (columns + 2)
    pixels = "".join(f"M{x + i * (columns + 2)} {y}h1v1h-1z" for i, y, x in zip(*images.nonzero(), strict=True))
    shape = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {rows}"><path d="{pixels}"/></svg>'
    mask = f"url(data:image/svg+xml;base64,{base64.b64encode(shape.encode()).decode()}) left / contain no-repeat"
    return (
        f'<div role="img" aria-label="handwritten: {html.escape(name)}" '
        f'style="height:40px;background-color:currentColor;mask:{mask}"></div>'
    )
