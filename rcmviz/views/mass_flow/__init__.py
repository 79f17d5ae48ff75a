"""The animated picture of where each method's mass goes, position by position."""

from rcmviz.views.shared.view import PLAYER, View

VIEW = View("mass_flow", "mass_flow/entry.js", (*PLAYER, "mass_flow/view.css"), states=("position",))
