"""The position of a teacher's view, read from its link, so that the browsers of a class open the view there."""

from urllib.parse import parse_qsl, urlsplit


def opening_of(address):
    """Return the payload fields for the position in this address of the application; None if it has no position.

    Examples
    --------
    >>> opening_of("/decipher?at=3"), opening_of("/step?pos=3")
    ({'step': 3}, None)
    """
    from pages.shell import registry  # declarations import fragments, and fragments import this module

    parts = urlsplit(address)
    page = parts.path.rpartition("/")[2]
    if page not in registry.names():
        return None
    declared = registry.page_named(page)
    _, opening, _ = declared.default.read(dict(parse_qsl(parts.query)), declared.default)
    return None if opening is None else declared.view_state(opening)
