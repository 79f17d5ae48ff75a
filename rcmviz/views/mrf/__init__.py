"""The views of Markov fields over whole texts: how the bound is lifted, and what is asked of a field."""

from rcmviz.views.shared.view import LEARNING, View

VIEW = View("mrf", "mrf/view.js", (*LEARNING, "mrf/view.css"))
