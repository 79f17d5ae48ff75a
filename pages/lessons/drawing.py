"""Views of lessons as an exported file draws them: what each page's own view is given for a link."""

from pages.decipher import shown as decipher_shown
from pages.shell import registry
from pages.shell.drawing import Drawing, drawing_of


def drawn(opened):
    """The ``Drawing`` of an opened link; None if its page draws nothing that plays without the application."""
    if opened.page in registry.names():
        return drawing_of(opened.page, opened.view, opened.opening)
    draw = _DRAW.get(opened.page)
    return draw(opened.view, opened.opening) if draw else None


def _decipher(puzzle, opening):
    if not decipher_shown.is_recorded(puzzle):
        return None
    return Drawing("decipher", decipher_shown.payload_of(puzzle, None), {"step": opening.get("at")})


_DRAW = {
    "decipher": _decipher,
}
