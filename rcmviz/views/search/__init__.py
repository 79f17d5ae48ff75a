"""The views of searching and of learning to search: a search pop by pop, updates of a perceptron, roll-outs."""

from rcmviz.views.shared.view import LEARNING, View

VIEW = View("search", "search/view.js", (*LEARNING, "search/view.css"))
