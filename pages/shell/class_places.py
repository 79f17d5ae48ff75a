"""Where a teacher's view stands, from its link: what the browsers of a class need to open the same view there."""

from urllib.parse import parse_qsl, urlsplit


def opening_of(address):
    """What stands over a payload for the place in this address of the application; None where it says none.

    Examples
    --------
    >>> opening_of("/decipher?at=3"), opening_of("/step?pos=3")
    ({'step': 3}, None)
    """
    from pages.shell import registry  # declarations import fragments, and these this module

    parts = urlsplit(address)
    page = parts.path.rpartition("/")[2]
    if page not in registry.names():
        return None
    declared = registry.page_named(page)
    _, opening, _ = declared.default.read(dict(parse_qsl(parts.query)), declared.default)
    return None if opening is None else declared.view_state(opening)
