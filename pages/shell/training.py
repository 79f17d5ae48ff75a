"""Trainings that the visitor of a page starts, pauses, steps and takes home.

A page, or a tab, declares what is trained and what its view draws of it. The shell derives the controls with their
keys, the run in the link, the line on other pages while it trains, the saved file, the downloads of models and code.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import streamlit as st

from pages.shell.link import Link
from pages.shell.linked_run import LinkedRun
from pages.shell.state import PageState
from pages.shell.visitors import visitor
from rcmviz.jobs.host import this_host

SLOW = 20.0  # seconds from which a page says beforehand how long a training takes
Q = TypeVar("Q", bound=Link)
Payload = dict[str, Any]


class TrainingData(NamedTuple):
    """What trainings learn from: ``train`` and ``held_out`` as the kind of job takes them; a run keeps ``info``."""

    train: Any
    held_out: Any = None
    info: dict[str, Any] | None = None


class ShownRun(NamedTuple):
    """A run to draw: the ``run``, the question that it was ``started`` with, and the ``question`` of now.

    Before a run is started the ``run`` is None and both questions are that of now.
    """

    run: Any
    started: Any
    question: Any


class RecordedFile(NamedTuple):
    """A file that comes with a page, and its ``content``, plain JSON."""

    file: Path
    content: Any


def unchanged(question: Any) -> Any:
    """The question itself."""
    return question


def draw_nothing(question: Any) -> None:
    """What stands before a run of a page that has nothing to say."""


def not_recorded(question: Any) -> None:
    """The recorded run of a page that has none."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Training(Generic[Q]):
    """What a page trains; ``load`` of the page says whether there is anything to train on.

    Parameters
    ----------
    source : callable
        A name of the data of a question; name and settings decide whether a run is the one that a question asks for.
    data : callable
        The ``TrainingData`` of a question; ValueError says why there is none. It may take long.
    settings : callable
        The settings of each training of a question, as its kind of job takes them.
    payload : callable
        What the view of the page draws of a ``ShownRun``; it is asked once a second while something trains.
    before : callable, optional
        Draws what stands above the view before a run is started: what to expect.
    recorded : callable, optional
        The payload of a recorded run of a question, None if there is none; it is shown until a run starts.
    record : callable, optional
        Makes the ``RecordedFile`` of recorded runs again, for ``scripts/record_openings.py``.
    message : callable, optional
        What stands above the view of a ``ShownRun``, for a view that does not say how far it is.
    progress : callable
        What the line on other pages says of a snapshot: "RCMS 10: epoch 3 of 20".
    kind : optional
        The kind of job of ``rcmviz.jobs``, by default trainings on sequences; its kernels are compiled by ``warm_up``.
    unit : {"example", "step"}
        What one step of a training learns from; only of examples there is an epoch.
    begins_with : callable, optional
        The question that the page shows when a run starts.
    on_event : callable, optional
        ``on_event(shown, events)`` is called when the view of a ``ShownRun`` has sent an event: to open a checkpoint.
    models : callable, optional
        The checkpoints of a ``ShownRun`` to take home, by name; None where there is none yet. ``models_help`` says what
        the files are for.
    code : callable, optional
        Python source that trains the same.
    """

    source: Callable[[Q], str]
    data: Callable[[Q], TrainingData]
    settings: Callable[[Q], Sequence[Any]]
    payload: Callable[[ShownRun], Payload]
    progress: Callable[[Any], str]
    before: Callable[[Q], None] = draw_nothing
    recorded: Callable[[Q], Payload | None] = not_recorded
    record: Callable[[], Iterable[RecordedFile]] | None = None
    message: Callable[[ShownRun], str] | None = None
    kind: Any = None
    warm_up: Callable[[], None] | None = None
    unit: Literal["example", "step"] = "example"
    begins_with: Callable[[Q], Q] = unchanged
    on_event: Callable[[ShownRun, Any], None] | None = None
    models: Callable[[ShownRun], Mapping[str, Any]] | None = None
    models_help: str = ""
    code: Callable[[Q], str] | None = None


def epoch_progress(name_of: Callable[[Any], str]) -> Callable[[Any], str]:
    """The ``progress`` of a training that runs through epochs and is called ``name_of(settings)``."""

    def progress(snapshot: Any) -> str:
        epochs = snapshot.settings.epochs
        epoch = min(epochs, snapshot.step * epochs // snapshot.steps + 1)
        return f"{name_of(snapshot.settings)}: epoch {epoch} of {epochs}"

    return progress


class PageRun(Generic[Q]):
    """The run of one page in this session; the attributes are those that ``show_trainings`` asks for."""

    def __init__(self, state: PageState[Q], training: Training[Q]):
        self.PAGE, self.training = state, training
        self.linked = LinkedRun(state, lambda question: (training.source(question), training.settings(question)))
        self.current_run, self.has_changed = self.linked.current, self.linked.has_changed

    def start(self, question: Q) -> Any:
        """Open a run, paused, in place of the one before; ValueError says why not."""
        training, host = self.training, this_host()
        if training.warm_up is not None:
            host.warm_up(training.warm_up)
        data = training.data(question)
        options = {} if training.kind is None else {"job_kind": training.kind}
        run = host.open(
            training.source(question),
            data.train,
            training.settings(question),
            data.held_out,
            replaces=self.linked.name,
            owner=visitor(),
            info=data.info,
            **options,
        )
        beginning = training.begins_with(question)
        self.linked.keep(run.name, beginning)
        self.PAGE.keep(beginning)
        st.query_params["run"] = run.name
        return run

    def notices(self, question: Q, named: str | None) -> list[str]:
        """Take the run that a link has ``named``, and write it to the link; what is to be said of it."""
        self.linked.find(named, question)
        return self.linked.show_in_link(named, question)

    def shown(self, run: Any, question: Q) -> ShownRun:
        """What there is to draw of a run, None before one is started."""
        if run is None:
            return ShownRun(None, question, question)
        return ShownRun(run, self.linked.view(), self.PAGE.view or question)
