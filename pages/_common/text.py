"""Text of users and of the library, as Streamlit's Markdown shows it unchanged."""

import html
import re

_MARKS = re.compile(r"([\\`*_{}\[\]()#+\-.!|$<>~:])")


def plain(text):
    """Text of which nothing is Markdown."""
    return _MARKS.sub(r"\\\1", text)


def sentence(error):
    """A message as a sentence; what stands between backquotes stays code."""
    parts = f"{str(error)[:1].upper()}{str(error)[1:].rstrip('.')}.".split("`")
    return "`".join(part if number % 2 else plain(part) for number, part in enumerate(parts))


def ink(images, name):
    """A word's images (T, rows, columns) as SVG in the colour of the text; ``name`` is what a screen reader says."""
    rows, columns = images.shape[1:]
    pixels = "".join(
        f"M{x + i * (columns + 2)} {y}h1v1h-1z"
        for i, image in enumerate(images)
        for y, line in enumerate(image)
        for x, on in enumerate(line)
        if on
    )
    width = len(images) * (columns + 2)
    return (
        f'<svg role="img" aria-label="handwritten: {html.escape(name)}" viewBox="0 0 {width} {rows}" height="44" '
        f'style="max-width:100%"><path d="{pixels}" fill="currentColor" shape-rendering="crispEdges"/></svg>'
    )
