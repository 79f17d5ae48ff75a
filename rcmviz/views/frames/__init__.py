"""Frames with a blank: what was read of them, frame by frame."""

from rcmviz.views.shared.view import CONTEXT_ROWS, View

VIEW = View("frames", "frames/view.js", (*CONTEXT_ROWS, "frames/view.css"))
