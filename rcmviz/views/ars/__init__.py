"""The views of adaptive rejection: rounds, automaton, comparison."""

from rcmviz.views.shared.view import PLAYER, View

SHEETS = (*PLAYER, "ars/view.css")
VIEW = View("ars", "ars/view.js", SHEETS, states=("message",))
RACE = View("race", "ars/race.js", SHEETS, shows_errors=False)
