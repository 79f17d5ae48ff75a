"""From a question to what the view draws; each kept by the question that it came from."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

import rcmviz as rv
from pages.ctc.code import reproducing_code
from pages.ctc.fitting import model_of, options_of, subject_of
from pages.ctc.link import NO_MODEL, CtcQuestion
from pages.ctc.uploads import UPLOADS, own_frames
from pages.shared.computing import compute
from pages.shared.language_models import UPLOADS as MODELS
from rcmviz.core.builders.passes import MAX_ARCS
from rcmviz.jobs.memory import SHELF
from rcmviz.views.frames.payload import build_frames

EXAMPLE = Path(__file__).with_name("example.json")  # of the usual question: the first view waits for no kernel


def payload_of(question):
    """What the view draws of a question; ValueError says what to do where it has no answer."""
    if question.tab == "upload":
        own_frames(question.upload)  # an upload is its visitor's: what is kept here is asked by nobody else
    model_of(question)
    asked = _asked(question)
    return prepared() if asked == _asked(CtcQuestion()) else _payload(asked)


def computed(question):
    """The same, from the engine."""
    frames, gold, _ = subject_of(question)
    lm, options = model_of(question), options_of(question)
    _refuse_early(question.method, frames, lm, options["separator"])
    drawing = {
        "gold": gold,
        "separator": options["separator"],
        "code": reproducing_code(question, options),
        "title": None if question.tab == "text" else own_frames(question.upload).name,
    }
    return compute(_seconds(question, frames, lm), payload_here, frames, lm, options, drawing)


def payload_here(frames, lm, options, drawing):
    """The payload in this process, whichever it is."""
    return build_frames(rv.ctc(frames.log_probs, frames.labels, lm, blank=frames.blank, **options), **drawing)


@cache
def prepared():
    """The payload of the usual question; scripts/record_openings.py writes it."""
    return json.loads(EXAMPLE.read_text(encoding="utf-8"))


def _refuse_early(method, frames, lm, separator):
    """The limit of exact contexts, where no score is −inf known before they are made, which would take ten seconds."""
    if method != "exact" or lm is None or separator is not None or not np.isfinite(frames.log_probs).all():
        return
    width, order, most = len(frames.labels), max(lm.order - 1, 1), len(frames.log_probs)
    arcs = sum(width ** min(t, order) * width for t in range(most))
    if arcs > MAX_ARCS:
        raise ValueError(
            f"exact keeps every string of {order} labels, {arcs:,} arcs in all; the limit is {MAX_ARCS:,}: choose "
            "RCMS, beam search, or no language model"
        )


def _seconds(question, frames, lm):
    """What reading and drawing take, by a rough estimate: 1,000 frames take 3 s with five contexts."""
    most, width = len(frames.log_probs), len(frames.labels)
    exact = 3.0 if question.method == "exact" and lm is not None else 0.0
    return exact + 5e-7 * most * (question.budget + width) * width + 2.5e-3 * most


def _asked(question):
    """The question with nothing but what matters."""
    return replace(question, **{name: getattr(CtcQuestion(), name) for name in _idle(question)})


def _idle(question):
    other = [name for name in question.parameters() if question.parameters()[name].of - {question.tab}]
    budget = ["budget"] * (question.method == "exact")
    passes = ["passes"] * (question.method != "rcms")
    model = ["spells", "separator", "weight", "bonus", "unknown"] * (question.lm == NO_MODEL)
    return [*other, *budget, *passes, *model]


@SHELF.keeps
def _payload(question):
    return computed(question)


UPLOADS.forgets.append(SHELF.clear)
MODELS.forgets.append(SHELF.clear)
