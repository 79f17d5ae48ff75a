"""The player: one word, position by position, by one or several methods; and the pad."""

from rcmviz.views.shared.view import PLAYER, View

_PARTS = ("arithmetic", "blame", "trust", "annotations", "quiz")

VIEW = View(
    "player",
    "word/entry.js",
    (*PLAYER, *(f"word/{part}.css" for part in _PARTS)),
    events=("what_if", "looks"),
    states=("position", "node"),
    shows_errors=False,
)
