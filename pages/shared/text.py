"""Text of users and of the library, as Streamlit's Markdown shows it unchanged."""

import base64
import html
import re

_MARKS = re.compile(r"([\\`*_{}\[\]#$<>~:])")


def plain(text):
    """Text of which nothing is Markdown."""
    return _MARKS.sub(r"\\\1", text)


def sentence(error):
    """A message as a sentence; what stands between backquotes stays code, and the name of a file as it is."""
    said = str(error).rstrip(".")
    first, *_ = said.split(maxsplit=1) or [""]
    said = said if "." in first else said[:1].upper() + said[1:]
    parts = f"{said}.".split("`")
    return "`".join(part if number % 2 else plain(part) for number, part in enumerate(parts))


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
