"""Scripts and style sheets of the views, and the page around an exported view."""

from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from rcmviz.views.shared.bundle import bundle
from rcmviz.views.shared.view import View

_HERE = Path(__file__).parent
FOLDER = _HERE.parent


_LESSON = ("lesson/view.css", "lesson/step_figures.css", "shared/words.css")
_STRIP = ("classroom/strip.css",)


def _private(name, entry, *sheets):
    """Declare a view that is not shown to a class."""
    return View(name, entry, sheets, in_class=False)


VIEWS = {
    view.name: view
    for view in (
        _private("pad", "word/pad.js", "word/pad.css"),
        _private("lesson", "lesson/page.js", *_LESSON),
        _private("lessons", "lesson/list.js", *_LESSON, "lesson/list.css"),
        _private("class_lead", "classroom/lead.js", *_STRIP),
        _private("class_follow", "classroom/follow.js", *_STRIP, "classroom/follow.css"),
        _private("clock", "shared/clock.js"),
        _private("lesson_file", "lesson/file.js", *_LESSON, "lesson/file.css"),
    )
}


def register(view):
    """Register a view by its name."""
    VIEWS[view.name] = view


for _package in iter_modules([str(FOLDER)]):  # packages of views declare their own
    for _view in vars(import_module(f"rcmviz.views.{_package.name}")).values():
        if isinstance(_view, View):
            register(_view)


def script(view):
    """Return one ES module whose default export draws the view; views in a page's folder have absolute paths."""
    return bundle(FOLDER / VIEWS[view].entry, VIEWS[view].draw)


WIDGET = _HERE / "widget.js"


def widget(view):
    """Return the module with which a notebook draws the view (anywidget)."""
    draw = VIEWS[view].draw
    parts = (script(view), draw), (bundle(WIDGET, "rcmvizWidget"), "rcmvizWidget")
    codes = [code.removesuffix(f"export default {name};\n") for code, name in parts]
    return "".join([*codes, f"export default rcmvizWidget({draw});\n"])


def widget_style(view):
    """Return the style sheet of the view in a notebook."""
    return style(view) + (_HERE / "widget.css").read_text(encoding="utf-8")


@cache
def style(view):
    """Return the style sheet of the view."""
    return styles(VIEWS[view].sheets)


def styles(sheets):
    """Return these style sheets as one, each once."""
    return "".join((FOLDER / sheet).read_text(encoding="utf-8") for sheet in dict.fromkeys(sheets))


@cache
def page_template():
    """Return the HTML page around an exported view, with %title%, %style%, %data%, %script% and %draw% to fill in."""
    return (_HERE / "page.html").read_text(encoding="utf-8")
