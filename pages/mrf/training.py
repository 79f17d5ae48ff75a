"""The learning tab: a short recorded run, and the run that a visitor starts."""

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

RECORDED, EVERY = 60, 3  # steps of the recorded run; every third one is stored
SMALL = 250  # largest vocabulary whose exact value is recorded at every stored step


class RunHistory(NamedTuple):
    """The ``points`` of the curves of a run, and its ``checkpoints``."""

    points: Any
    checkpoints: Any


def load(question: MrfQuestion) -> MrfQuestion:
    """Return the question if its text can be trained on."""
    text_of(question)
    return question


def settings_of(question: MrfQuestion) -> MrfQuestion:
    """Return the part of a question that decides its training."""
    return question.relevant().changed(words=())


def plan_of(question: MrfQuestion) -> MrfPlan:
    """Return the ``MrfPlan`` of a question."""
    rank = question.rank or None
    return MrfPlan(question.neighbours, rank, l2=question.l2, max_steps=question.steps, seed=question.seed)


def data_of(question: MrfQuestion) -> TrainingData:
    """Return the training text and the held-out sentences."""
    text = text_of(question)
    return TrainingData(text.data, text.held_out)


def recorded_payload(question: MrfQuestion) -> Payload:
    """Return the payload of a short run with the settings of a question, trained while the page waits."""
    return _payload(question, f"recorded {settings_of(question)}", _record(settings_of(question)), "recorded")


@lru_cache(maxsize=4)
def _record(question: MrfQuestion) -> RunHistory:
    text, plan = text_of(question), plan_of(question)
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
    return RunHistory(points, kept)


def payload(shown: ShownRun) -> Payload:
    """Return the payload of a run, with the present words of the map."""
    vocabulary = text_of(shown.started).vocabulary
    words = tuple(word for word in shown.question.words if word in vocabulary.words)
    started, (snapshot,) = shown.started.changed(words=words), shown.run.snapshots()
    if not snapshot.points:  # not trained yet
        return recorded_payload(started)
    return _payload(started, shown.run.name, RunHistory(snapshot.points, snapshot.checkpoints), snapshot.status)


def message(shown: ShownRun) -> str:
    """Return the progress of a run, or the reason of its end."""
    (snapshot,) = shown.run.snapshots()
    return snapshot.message or f"step {snapshot.step} of {snapshot.steps}, {snapshot.status}"


def caption(question: MrfQuestion, payload: Payload) -> str:
    """Return the title of the text and the unit of the curves."""
    return f"{payload['title']}. Nats per token, with separators; n-grams also predict the end."


def _payload(question: MrfQuestion, name: str, course: RunHistory, status: str) -> Payload:
    text = text_of(question)
    numbers = text.vocabulary.ids(question.words).tolist() if question.words else most_frequent(text.data.moments)
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
        code=learning_code(question, MOST_WORDS if text.is_cut else None),
    )


TRAINING: Training[MrfQuestion] = Training(
    source=lambda question: f"field:{settings_of(question)}",
    data=data_of,
    settings=lambda question: [plan_of(question)],
    payload=payload,
    message=message,
    progress=lambda snapshot: f"a field: step {snapshot.step} of {snapshot.steps}",
    recorded=recorded_payload,
    kind=MRF_JOBS,
    unit="step",
)
