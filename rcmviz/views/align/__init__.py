"""The views of alignment: phones, letters, the cells between them, and how strategies learn."""

from rcmviz.views.shared.view import CONTEXT_ROWS, View

SHEETS = (*CONTEXT_ROWS, "align/view.css")
VIEW = View("align", "align/view.js", SHEETS)
LEARNING_VIEW = View(
    "align_learning", "align/learning.js", SHEETS, events=("open",), states=("step", "word"), shows_errors=False
)
