"""Links of lessons, opened by their pages: the view, the link in the page's form, and notices.

Nothing here needs a session: commands, classes and pages use it.
"""

from dataclasses import dataclass

from pages.shell import link, registry
from rcmviz.lessons import View


@dataclass(frozen=True, eq=False)
class OpenedView:
    """An opened link.

    ``page`` · ``view``, the question of the page, None if it has none · ``query``, the link as the page writes it ·
    ``settings``, names of parameters that facts depend on · ``defaults`` of parameters that a link leaves out ·
    ``opening``, the position of the view · ``notices`` about refused parameters.
    """

    page: str
    view: link.Link | None
    query: dict
    settings: tuple
    defaults: dict
    opening: dict
    notices: tuple

    @property
    def when(self):
        """The settings of this view, for which its facts are known."""
        return {name: text for name, text in (self.defaults | self.query).items() if name in self.settings}


def open_view(view):
    """Open a View of a lesson on its page; ValueError if there is no such page."""
    registry.entry_named(view.page)
    if view.page not in registry.names():
        return OpenedView(view.page, None, dict(view.query), (), {}, {}, ())
    usual = registry.page_named(view.page).default
    opened, opening, notices = usual.read(view.query, usual)
    places = {name for field in opened.place_fields for name in opened.parameters()[field].names}
    places.update(opened.place_names())
    placed = {name: text for name, text in view.query.items() if name in opened.place_names()}
    settings = tuple(name for name in opened.names() if name not in places)
    return OpenedView(
        view.page, opened, opened.write() | placed, settings, _defaults(opened), opening or {}, tuple(notices)
    )


def open_link(page, query):
    """Open a query on the page of that name."""
    return open_view(View(page, dict(query)))


def _defaults(view):
    """Return the values of parameters that links leave out, as texts by name; some have none."""
    found = {}
    for name, parameter in view.parameters().items():
        value = getattr(view, name)
        if isinstance(value, link.Link):
            found |= _defaults(value)
        elif isinstance(parameter, link.Parameter) and view.is_relevant(parameter):
            usual = getattr(type(view), name)
            written = None if usual is None else parameter.encode(usual)
            found |= {} if written is None else {parameter.name: written}
    return found
