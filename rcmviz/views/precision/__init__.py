"""The precision view: what a confidence is worth."""

from rcmviz.views.shared.view import PLAYER, View

VIEW = View(
    "precision",
    "precision/view.js",
    (*PLAYER, "precision/view.css", "precision/blame.css"),
    events=("word",),
    shows_errors=False,
)
