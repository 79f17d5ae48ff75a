"""The CTC view: the decoding of frames with a blank, frame by frame."""

from rcmviz.views.shared.view import CONTEXT_ROWS, View

VIEW = View("ctc", "ctc/view.js", (*CONTEXT_ROWS, "ctc/view.css"))
