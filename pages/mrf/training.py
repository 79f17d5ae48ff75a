"""The tab that learns: a short run that the page records, and the run that a person starts."""

from functools import lru_cache
from typing import Any, NamedTuple

from pages.mrf.code import learning_code
from pages.mrf.question import MrfQuestion
from pages.mrf.texts import MOST_WORDS, text_of
from pages.shell.capability import Payload
from pages.shell.training import ShownRun, Training, TrainingData
from rcmviz.jobs.mrf import (
    MRF_JOBS,
    HeldOutSentences,
    MrfCheckpoint,
    MrfJobTrainer,
    MrfPlan,
    MrfPoint,
)
from rcmviz.views.mrf.learning import build_learning, most_frequent

RECORDED, EVERY = 60, 3  # steps of the recorded run, of which every third is kept
SMALL = 250  # words up to which the exact value is recorded at every step that is kept


class Course(NamedTuple):
    """The ``points`` of the curves of a run, and the ``checkpoints`` that are kept."""

    points: Any
    checkpoints: Any


def load(asked: MrfQuestion) -> MrfQuestion:
    """The question, if its text can be learnt from."""
    text_of(asked)
    return asked


def settings_of(asked: MrfQuestion) -> MrfQuestion:
    """What decides the training of a question: all but whose pairs are mapped."""
    return asked.relevant().changed(words=())


def plan_of(asked: MrfQuestion) -> MrfPlan:
    """The ``MrfPlan`` of a question."""
    rank = asked.rank or None
    return MrfPlan(asked.neighbours, rank, l2=asked.l2, max_steps=asked.steps, seed=asked.seed)


def data_of(asked: MrfQuestion) -> TrainingData:
    """The text that is learnt from, and the sentences held out."""
    text = text_of(asked)
    return TrainingData(text.data, text.held_out)


def recorded_payload(asked: MrfQuestion) -> Payload:
    """What the view draws of a short run with the settings of a question, made while the page waits."""
    return _payload(asked, f"recorded {settings_of(asked)}", _record(settings_of(asked)), "recorded")


@lru_cache(maxsize=4)
def _record(asked: MrfQuestion) -> Course:
    text, plan = text_of(asked), plan_of(asked)
    trainer, points, kept = MrfJobTrainer(text.data, plan), [], []
    last = min(RECORDED, plan.max_steps)
    while trainer.step < last:
        reached = trainer.advance(1 if trainer.step < EVERY else min(EVERY, last - trainer.step))
        evaluation = HeldOutSentences(reached.model, text.held_out, plan)
        if len(text.vocabulary) <= SMALL or reached.step in (1, last):
            evaluation.evaluate_next(len(text.held_out))
            exact = evaluation.scores["exact"]
        else:
            exact = float("nan")
        points.append(MrfPoint(reached.step, reached.bound, reached.held_bound, exact, 1))
        kept.append(MrfCheckpoint(reached.step, reached.model, plan))
    return Course(points, kept)


def payload(shown: ShownRun) -> Payload:
    """What the view draws of a run, with the words of the map of now."""
    vocabulary = text_of(shown.started).vocabulary
    words = tuple(word for word in shown.question.words if word in vocabulary.words)
    started, (snapshot,) = shown.started.changed(words=words), shown.run.snapshots()
    if not snapshot.points:  # nothing has been learnt yet
        return recorded_payload(started)
    return _payload(started, shown.run.name, Course(snapshot.points, snapshot.checkpoints), snapshot.status)


def message(shown: ShownRun) -> str:
    """How far a run is, or why it ended."""
    (snapshot,) = shown.run.snapshots()
    return snapshot.message or f"step {snapshot.step} of {snapshot.steps}, {snapshot.status}"


def caption(asked: MrfQuestion, payload: Payload) -> str:
    """The text, and what is measured."""
    return f"{payload['title']}. Nats per token, separators counted; n-grams predict the end too."


def _payload(asked: MrfQuestion, name: str, course: Course, status: str) -> Payload:
    text = text_of(asked)
    numbers = text.vocabulary.ids(asked.words).tolist() if asked.words else most_frequent(text.data.moments)
    return build_learning(
        name,
        course.points,
        course.checkpoints,
        text.data.moments,
        text.vocabulary.words,
        numbers,
        text.lines,
        status=status,
        title=text.title,
        code=learning_code(asked, MOST_WORDS if text.is_cut else None),
    )


TRAINING: Training[MrfQuestion] = Training(
    source=lambda asked: f"field:{settings_of(asked)}",
    data=data_of,
    settings=lambda asked: [plan_of(asked)],
    payload=payload,
    message=message,
    progress=lambda snapshot: f"a field: step {snapshot.step} of {snapshot.steps}",
    recorded=recorded_payload,
    kind=MRF_JOBS,
    unit="step",
)
