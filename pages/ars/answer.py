"""The answer of the tabs Keypad and Tagging: the rounds of one run."""

from dataclasses import replace
from functools import cache
from typing import Any

import rcmviz as rv
from pages.ars.inputs import ArsInputs
from pages.ars.question import ArsQuestion
from pages.shell.capability import Payload
from rcmviz.ars import decode
from rcmviz.views.ars.payload import MOST_ROUNDS, build_ars


def answer(inputs: ArsInputs) -> Payload:
    """Decode or sample; returns the payload of the view."""
    subject, question = inputs.subject, inputs.question
    result, trace = run(inputs)
    term = "tag" if question.tags else "word"
    return build_ars(trace, result, title=subject.title, inputs=subject.inputs, gold=subject.gold, term=term)


def run(inputs: ArsInputs) -> tuple[Any, Any]:
    """Return (Best or Draws, ArsTrace) of a question."""
    warm_up()
    question = inputs.question
    hmm = replace(inputs.subject.hmm, temperature=question.temperature)
    options = {"look_ahead": question.look_ahead, "strategy": question.strategy, "seconds": question.seconds}
    if question.asks == "decode":
        return rv.ars_decode(hmm, max_iterations=MOST_ROUNDS, **options)
    options |= {"batch": question.batch, "max_trials": MOST_ROUNDS}
    return rv.ars_sample(hmm, question.draws, question.seed, **options)


def seconds(inputs: ArsInputs) -> float:
    """Return the estimated seconds; runs with the default limit or less use no process."""
    asked = inputs.question.seconds
    return float(asked) if asked > ArsQuestion.seconds else 0.0


@cache
def warm_up():
    """Compile or load the kernels once, so that this does not count towards the time limit of a run."""
    decode.warm_up()
