"""The recorded training that the page opens with, shown until a training starts.

A background training depends on the speed of the machine; a recording does not. ``scripts/record_openings.py`` writes
it, and a test trains again and compares.
"""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from pages.learn.checkpoint import method_of
from pages.learn.data import load_data
from pages.learn.question import LearnQuestion
from rcmviz.core.methods import MethodChoice
from rcmviz.jobs.job import Snapshot, merge_points
from rcmviz.jobs.sequences import Checkpoint, CurvePoint
from rcmviz.learn.held_out import evaluate_held_out
from rcmviz.learn.trainer import Trainer
from rcmviz.tasks.handwriting.letter_data import COLUMNS, ROWS
from rcmviz.views.learn.payload import ShownSequence, build_learning

FILE = Path(__file__).with_name("recorded.json")
POINTS, EVERY = 32, 2  # of the curves; every second one has a checkpoint
# RCMS reads it right, beam search is sure of another word, and exact inference agrees with RCMS.
WORD = 80
OPENS_WITH = LearnQuestion(pen=1, methods=(MethodChoice("rcms", 10), MethodChoice("beam", 10)), word=WORD)


def is_recorded(question: LearnQuestion) -> bool:
    """Whether the recording has these settings."""
    return (question.source, question.trainings) == (OPENS_WITH.source, OPENS_WITH.trainings)


@cache
def read_recording() -> dict[str, Any]:
    """Return the recorded payload."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def story() -> str:
    """Return two sentences about the recording, with its numbers."""
    found = {
        method["kind"]: {name: values[-1] for name, values in method["points"].items()}
        for method in read_recording()["methods"]
    }
    share = {kind: {name: f"{100 * value:.0f} %" for name, value in values.items()} for kind, values in found.items()}
    rcms, beam = share["rcms"], share["beam"]
    return (
        f"RCMS and beam search are trained on the same {OPENS_WITH.words:,} words with a budget of ten, and read "
        f"{rcms['accuracy']} and {beam['accuracy']} of new words right. But RCMS knows when it is right: at 99 % "
        f"precision it can answer **{rcms['recall_99']}** of the words, beam search **{beam['recall_99']}**."
    )


def record(question: LearnQuestion = OPENS_WITH) -> dict[str, Any]:
    """Train with these settings and return the recording."""
    data, word = load_data(question.source), question.word
    snapshots = [train_snapshot(training, data) for training in question.trainings]
    run = SimpleNamespace(name="recorded", size=len(data.train), snapshots=lambda: snapshots)
    example = ShownSequence(data.sequence(word), data.shown(word), 0, [data.names[word]])
    names = [method_of(training).name for training in question.trainings]
    payload = build_learning(
        run, names, example, pixels=(ROWS // 2, COLUMNS // 2), features=data.train.names, opens=True
    )
    return payload | {"recorded": True}


def train_snapshot(training, data, points=POINTS):
    """Return the ``Snapshot`` of a whole training, at steps spaced evenly in √step."""
    trainer = Trainer(data.train, training, info=data.info)
    steps = training.epochs * len(data.train)
    at = np.unique(np.ceil(steps * (np.arange(1, points + 1) / points) ** 2).astype(int)).tolist()
    curve, kept = [], []
    for number, step in enumerate(at, start=1 - len(at)):
        point, model = _advance_to(trainer, step)
        scores = dict(zip(CurvePoint.HELD_OUT, evaluate_held_out(model, data.held_out, training), strict=True))
        curve.append(replace(point, **scores))
        if number % EVERY == 0:
            kept.append(Checkpoint(step, model, training))
    return Snapshot(training, "done", "", steps, steps, None, tuple(curve), tuple(kept), False)


def _advance_to(trainer, step):
    """Return (the ``CurvePoint`` of the examples up to a step, the model); a trainer stops after each epoch."""
    point = None
    while trainer.step < step:
        before, state = trainer.step, trainer.advance(step - trainer.step)
        values = {name: getattr(state, name) for name in CurvePoint.MEANS + CurvePoint.HELD_OUT}
        latest = CurvePoint(step=state.step, examples=state.step - before, **values)
        point = latest if point is None else merge_points(point, latest)
    return point, state.model
