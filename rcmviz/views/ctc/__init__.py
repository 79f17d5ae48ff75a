"""Frames with a blank: what was read of them, frame by frame."""

from rcmviz.views.shared.view import CONTEXT_ROWS, View

VIEW = View("ctc", "ctc/view.js", (*CONTEXT_ROWS, "ctc/view.css"))
