"""Text of users, links, files and messages, as Streamlit's Markdown shows it unchanged: the one way it goes there.

Markdown would make pictures and links of it, and a picture is a request to whoever a link names. What a test looks for
(tests/pages/test_foreign_text.py): a page hands such text on by ``plain`` or ``sentence`` and in no other way.
"""

import base64
import html
import re

_MARKS = re.compile(r"([\\`*_{}\[\]#$<>~:|&])")
_FIRST = re.compile(r"^(\d{0,9})([-+=.)])")  # a list, a line or a heading, where a text begins with it
# What Streamlit replaces after it has parsed, so that no backslash helps: addresses, `:smile:`, `:material/…:`, arrows,
# dashes. A character between that is not seen and joins them keeps it as it is.
_AFTERWARDS = re.compile(r"(?<=:)(?=\S)|(?<=@)(?=\S)|(?<=www)(?=\.)|(?<=[-<>=~])(?=[-<>=~])", re.IGNORECASE)
_JOINER = "\u2060"
_CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


def plain(text):
    """Text of which nothing is Markdown, in one line."""
    text = _AFTERWARDS.sub(_JOINER, " ".join(text.split()))
    return _FIRST.sub(r"\1\\\2", _MARKS.sub(r"\\\1", text))


def spoken(error):
    """A message as a sentence, for a view, which shows text as it is."""
    text = str(error).rstrip(".")
    first, *_ = text.split(maxsplit=1) or [""]
    return f"{text if '.' in first else text[:1].upper() + text[1:]}."


def sentence(error):
    """A message as a sentence; what stands between two backquotes stays code, and the name of a file as it is."""
    pieces = _CODE.split(spoken(error))
    return "".join(f"`{piece}`" if number % 2 else _between(piece) for number, piece in enumerate(pieces))


def _between(piece):
    """What stands before, between and after code: the blanks beside code stay."""
    left, right = piece[:1].isspace() * " ", piece[1:][-1:].isspace() * " "
    return f"{left}{plain(piece)}{right}"


def duration(seconds):
    """Seconds as people say them.

    >>> duration(42.4), duration(600)
    ('42 s', '10 min')
    """
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def ink(images, name):
    """A word's images (T, rows, columns) in the colour of the text; ``name`` is what a screen reader says.

    As a mask, for Streamlit takes SVG out of HTML and an image would not follow the theme.
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
