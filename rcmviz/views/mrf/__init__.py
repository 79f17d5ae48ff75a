"""The views of Markov fields over whole texts: the lifted bound, and queries of a field."""

from rcmviz.views.shared.view import LEARNING, View

VIEW = View("mrf", "mrf/view.js", (*LEARNING, "mrf/view.css"))
