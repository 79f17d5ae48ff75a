"""The answer of the CTC page: the outputs read from frames."""

from functools import partial

import rcmviz as rv
from pages.ctc.inputs import CtcInputs
from pages.shell.capability import Payload
from rcmviz.views.ctc.payload import build_ctc
from rcmviz.views.mass_flow.ctc import build_ctc_flow


def answer(inputs: CtcInputs) -> Payload:
    """Read the frames; returns the payload of the view."""
    frames = inputs.frames
    read = rv.ctc(frames.log_probs, frames.labels, inputs.lm, blank=frames.blank, **inputs.options)
    title = inputs.upload.name if inputs.upload else None
    return build_ctc(read, inputs.gold, separator=inputs.options["separator"], title=title)


def mass_flow(inputs: CtcInputs) -> Payload:
    """Read the frames by beam search and by RCMS with the same budget; returns the payload of the mass-flow picture."""
    frames, options = inputs.frames, inputs.options
    read = partial(rv.ctc, frames.log_probs, frames.labels, inputs.lm, blank=frames.blank)
    reads = [read(**options | {"method": "beam"}), read(**options | {"method": "rcms"})]
    return build_ctc_flow(reads, inputs.gold, title="".join(inputs.gold or ()))


def seconds(inputs: CtcInputs) -> float:
    """Return the estimated seconds of an answer."""
    length, width = inputs.frames.log_probs.shape
    exact = 3.0 if inputs.options["method"] == "exact" and inputs.lm is not None else 0.0
    return exact + 5e-7 * length * (inputs.options["budget"] + width) * width + 2.5e-3 * length
