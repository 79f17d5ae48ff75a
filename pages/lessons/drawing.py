"""Views of lessons as an exported file draws them: what each page's own view is given for a link."""

from pages.shell import registry
from pages.shell.drawing import drawing_of


def drawn(opened):
    """The ``Drawing`` of an opened link; None if its page draws nothing that plays without the application."""
    return drawing_of(opened.page, opened.view, opened.opening) if opened.page in registry.names() else None
