"""Links of lessons, opened as their pages open them: a view, its link as the page would write it, what was refused.

Nothing here needs a session: a command, a class and a page ask alike.
"""

from dataclasses import dataclass

from pages.shell import link, registry
from rcmviz.lessons import View


@dataclass(frozen=True, eq=False)
class Opened:
    """A link that was opened: its ``page`` · ``view``, the frozen Link that the page makes of it, None where it has
    none · ``query``, the link as the page would write it · ``settings``, names of parameters that facts depend on ·
    ``defaults`` of parameters that a link leaves out · ``opening``, where the view begins · ``notices``, what was
    refused.
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
        """The settings of this view: what its facts are known for."""
        return {name: text for name, text in (self.defaults | self.query).items() if name in self.settings}


def open_view(view):
    """A View of a lesson as its page opens it; ValueError if there is no such page."""
    registry.entry_named(view.page)
    if view.page not in registry.names():
        return Opened(view.page, None, dict(view.query), (), {}, {}, ())
    usual = registry.page_named(view.page).default
    opened, opening, notices = usual.read(view.query, usual)
    places = {name for field in opened.place_fields for name in opened.parameters()[field].names}
    places.update(opened.place_names())
    placed = {name: text for name, text in view.query.items() if name in opened.place_names()}
    settings = tuple(name for name in opened.names() if name not in places)
    return Opened(
        view.page, opened, opened.write() | placed, settings, _defaults(opened), opening or {}, tuple(notices)
    )


def open_link(page, query):
    """The same of a page's name and a query."""
    return open_view(View(page, dict(query)))


def _defaults(view):
    """What the parameters mean that a link leaves out, as texts by name; of some nothing can be said."""
    found = {}
    for name, parameter in view.parameters().items():
        value = getattr(view, name)
        if isinstance(value, link.Link):
            found |= _defaults(value)
        elif isinstance(parameter, link.Parameter) and view.matters(parameter):
            usual = getattr(type(view), name)
            written = None if usual is None else parameter.encode(usual)
            found |= {} if written is None else {parameter.name: written}
    return found
