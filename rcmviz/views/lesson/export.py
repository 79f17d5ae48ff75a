"""A lesson as one HTML file without a server: the dock next to the views of its steps."""

import re

from rcmviz.views.shared import assets
from rcmviz.views.shared.export import filled_page

DOCK = "lesson_file"


def lesson_html(lesson, pictures, links, presents=False):
    """Return the HTML text of a lesson.

    ``lesson`` is its payload with all conditions · ``pictures`` are ``{"view": name, "payload"}`` · ``links`` are all
    links of the lesson, ``{"page", "query", "settings", "begins", "shown", "place"}``: ``query`` as the lesson writes
    it, ``settings`` and the place where it ``begins`` as its page would, ``shown`` the number of the picture or None,
    and ``place`` fields of its payload · ``presents``: whether the file opens as a talk.
    """
    used = sorted({picture["view"] for picture in pictures})
    data = {"lesson": lesson, "pictures": pictures, "links": links, "presents": presents}
    return filled_page(data, lesson["title"], _drawing(used), _scripts(used), _styles(used))


def _drawing(used):
    views = ", ".join(f"{view}: {assets.VIEWS[view].draw}" for view in used)
    given = f"{{ ...given, data: {{ ...given.data, views: {{ {views} }} }} }}"
    return f"((given) => {assets.VIEWS[DOCK].draw}({given}))"


def _scripts(used):
    """Return the scripts of all views as one module, each in its own scope."""
    return "\n".join(_wrap_view(view) for view in [*used, DOCK])


def _wrap_view(view):
    name = assets.VIEWS[view].draw
    body = re.sub(rf"\nexport default {name};\s*$", f"\nreturn {name};", assets.script(view))
    return f"const {name} = (() => {{\n{body}\n}})();"


def _styles(used):
    return assets.styles([sheet for view in [*used, DOCK] for sheet in assets.VIEWS[view].sheets])
