"""The views of an exported lesson, with the payload of each link."""

from pages.shell import registry
from pages.shell.drawing import drawing_of


def draw_link(opened):
    """Return the ``Drawing`` of an opened link; None if its page needs the application."""
    return drawing_of(opened.page, opened.view, opened.opening) if opened.page in registry.names() else None
