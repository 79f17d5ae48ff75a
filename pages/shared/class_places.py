"""Where a teacher's view stands, from its link: what the browsers of a class need to open the same view there."""

from importlib import import_module
from urllib.parse import parse_qsl, urlsplit

# The view of each page whose views open elsewhere than the word's, which is moved, and what its payload calls the
# fields of the place. A page is imported when somebody leads to it: all of them took a second of each start.
PLACED = {
    "decipher": ("Puzzle", lambda opening: {"step": opening.get("at")}),
}


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
    if page in PLACED:
        view, as_payload = PLACED[page]
        usual = getattr(import_module(f"pages.{page}.link"), view)()
    elif page in registry.names():
        usual, as_payload = registry.page_named(page).default, registry.page_named(page).view_state
    else:
        return None
    _, opening, _ = usual.read(dict(parse_qsl(parts.query)), usual)
    return None if opening is None else as_payload(opening)
