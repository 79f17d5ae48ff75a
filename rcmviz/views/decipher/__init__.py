"""The decipher view: emissions and message, pass by pass."""

from rcmviz.views.shared.view import LEARNING, View

VIEW = View(
    "decipher", "decipher/view.js", (*LEARNING, "decipher/view.css"), events=("pin", "open"), shows_errors=False
)
