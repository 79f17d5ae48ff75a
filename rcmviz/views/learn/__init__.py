"""The learning view: curves, checkpoints, learnt weights."""

from rcmviz.views.shared.view import LEARNING, View

VIEW = View("learning", "learn/view.js", LEARNING, events=("open",), states=("step", "word"), shows_errors=False)
