"""The views of adaptive rejection: rounds, automaton, comparison."""

from rcmviz.views.shared.view import CHARTS, View

SHEETS = (*CHARTS, "ars/view.css")
VIEW = View("ars", "ars/view.js", SHEETS, states=("message",))
RACE = View("race", "ars/race.js", SHEETS, shows_errors=False)
