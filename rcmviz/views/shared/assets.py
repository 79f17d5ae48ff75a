"""What a browser is given to draw a view: one script and one style sheet each, and the page around an exported one."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rcmviz.views.shared.bundle import bundle

_HERE = Path(__file__).parent
FOLDER = _HERE.parent


@dataclass(frozen=True)
class Assets:
    """The entry module of a view, what its default export is called, and its style sheets, the general ones first."""

    entry: str
    draw: str
    sheets: tuple


_PLAYER = ("word/player.css", "shared/methods.css", "shared/words.css")
_PARTS = ("arithmetic", "blame", "trust", "beside", "present", "quiz")
_WORD = (*_PLAYER, *(f"word/{part}.css" for part in _PARTS))
_PRECISION = (*_PLAYER, "precision/view.css", "precision/blame.css")
_LEARNING = (*_PLAYER, "learn/view.css")
_ARS = (*_PLAYER, "ars/view.css")
_CONTEXTS = (*_LEARNING, "shared/context_rows.css")
_ALIGN = (*_CONTEXTS, "align/view.css")
_LESSON = ("lesson/view.css", "shared/words.css")
VIEWS = {
    "player": Assets("word/player.js", "rcmvizPlayer", _WORD),
    "pad": Assets("word/pad.js", "rcmvizPad", ("word/pad.css",)),
    "precision": Assets("precision/view.js", "rcmvizPrecision", _PRECISION),
    "learning": Assets("learn/view.js", "rcmvizLearning", _LEARNING),
    "ars": Assets("ars/view.js", "rcmvizArs", _ARS),
    "race": Assets("ars/race.js", "rcmvizRace", _ARS),
    "decipher": Assets("decipher/view.js", "rcmvizDecipher", (*_LEARNING, "decipher/view.css")),
    "align": Assets("align/view.js", "rcmvizAlign", _ALIGN),
    "field": Assets("field/view.js", "rcmvizField", (*_LEARNING, "field/view.css")),
    "frames": Assets("frames/view.js", "rcmvizFrames", (*_CONTEXTS, "frames/view.css")),
    "search": Assets("search/view.js", "rcmvizSearch", (*_LEARNING, "search/view.css")),
    "lesson": Assets("lesson/page.js", "rcmvizLesson", _LESSON),
    "lessons": Assets("lesson/list.js", "rcmvizLessons", (*_LESSON, "lesson/list.css")),
    "align_learning": Assets("align/learning.js", "rcmvizAlignLearning", _ALIGN),
    "class_lead": Assets("classroom/lead.js", "rcmvizClassLead", ("classroom/strip.css",)),
    "class_follow": Assets("classroom/follow.js", "rcmvizClassFollow", ("classroom/strip.css", "classroom/follow.css")),
    "clock": Assets("shared/clock.js", "rcmvizClock", ()),
    "lesson_file": Assets("lesson/file.js", "rcmvizLessonFile", (*_LESSON, "lesson/file.css")),
}


def script(view):
    """One ES module whose default export draws the view."""
    return bundle(FOLDER / VIEWS[view].entry, VIEWS[view].draw)


WIDGET = _HERE / "widget.js"


def widget(view):
    """The module that a notebook loads to draw the view (anywidget)."""
    draw = VIEWS[view].draw
    parts = (script(view), draw), (bundle(WIDGET, "rcmvizWidget"), "rcmvizWidget")
    codes = [code.removesuffix(f"export default {name};\n") for code, name in parts]
    return "".join([*codes, f"export default rcmvizWidget({draw});\n"])


def widget_style(view):
    """The style sheet of the view in a notebook."""
    return style(view) + (_HERE / "widget.css").read_text(encoding="utf-8")


@cache
def style(view):
    """The style sheet of the view."""
    return styles(VIEWS[view].sheets)


def styles(sheets):
    """These style sheets as one, each once."""
    return "".join((FOLDER / sheet).read_text(encoding="utf-8") for sheet in dict.fromkeys(sheets))


@cache
def page_template():
    """The HTML page around an exported view, with %title%, %style%, %data%, %script% and its %draw% to fill in."""
    return (_HERE / "page.html").read_text(encoding="utf-8")
