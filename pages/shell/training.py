"""Trainings that the visitor of a page starts, pauses, steps and downloads.

A page, or a tab, declares what is trained and what its view draws of it. The shell derives the controls with their
keys, the run in the link, the line on other pages while it trains, the saved file, the downloads of models and code.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import streamlit as st

from pages.shell.link import Link
from pages.shell.state import PageState
from pages.shell.visitors import VISITORS, visitor
from rcmviz.jobs.host import this_host

SLOW = 20.0  # a page shows the expected duration of a training from here on
Q = TypeVar("Q", bound=Link)
Payload = dict[str, Any]


class TrainingData(NamedTuple):
    """The data of trainings: ``train`` and ``held_out`` as the kind of job takes them; a run keeps ``info``."""

    train: Any
    held_out: Any = None
    info: dict[str, Any] | None = None


class ShownRun(NamedTuple):
    """A run to draw: the ``run``, the question that it was ``started`` with, and the current ``question``.

    Before a run is started the ``run`` is None and both questions are the current one.
    """

    run: Any
    started: Any
    question: Any


class RecordedFile(NamedTuple):
    """A file that comes with a page, and its ``content``, plain JSON."""

    file: Path
    content: Any


@dataclass(frozen=True, eq=False, kw_only=True)
class Training(Generic[Q]):
    """The trainings of a page, or of a tab; its ``load`` refuses if there is no data.

    Parameters
    ----------
    source : callable
        A name of the data of a question; name and settings identify the run of a question.
    data : callable
        The ``TrainingData`` of a question; ValueError says why there is none. It may take long.
    settings : callable
        The settings of each training of a question, as its kind of job takes them.
    payload : callable
        The payload of a ``ShownRun``, computed once a second during training.
    before : callable, optional
        Draws the expected course above the view before a run is started.
    recorded : callable, optional
        The payload of a recorded run of a question, None without one; it is shown until a run starts.
    record : callable, optional
        Records the runs again and yields each ``RecordedFile``, for ``scripts/record_openings.py``.
    message : callable, optional
        A line above the view of a ``ShownRun``, for a view that does not show the progress.
    progress : callable
        The text of a snapshot for the line on other pages: "RCMS 10: epoch 3 of 20".
    kind : optional
        The kind of job of ``rcmviz.jobs``, by default trainings on sequences; its kernels are compiled by ``warm_up``.
    unit : {"example", "step"}
        The unit of one step of a training; only examples have epochs.
    begins_with : callable, optional
        The question that the page shows when a run starts.
    on_event : callable, optional
        ``on_event(shown, events)`` is called when the view of a ``ShownRun`` has sent an event: to open a checkpoint.
    models : callable, optional
        The checkpoints of a ``ShownRun`` to download, by name; None for a missing one. ``models_help`` describes the
        files.
    code : callable, optional
        Python source of the same training.
    """

    source: Callable[[Q], str]
    data: Callable[[Q], TrainingData]
    settings: Callable[[Q], Sequence[Any]]
    payload: Callable[[ShownRun], Payload]
    progress: Callable[[Any], str]
    before: Callable[[Q], None] = lambda question: None
    recorded: Callable[[Q], Payload | None] = lambda question: None
    record: Callable[[], Iterable[RecordedFile]] | None = None
    message: Callable[[ShownRun], str] | None = None
    kind: Any = None
    warm_up: Callable[[], None] | None = None
    unit: Literal["example", "step"] = "example"
    begins_with: Callable[[Q], Q] = lambda question: question
    on_event: Callable[[ShownRun, Any], None] | None = None
    models: Callable[[ShownRun], Mapping[str, Any]] | None = None
    models_help: str = ""
    code: Callable[[Q], str] | None = None


def epoch_progress(name_of: Callable[[Any], str]) -> Callable[[Any], str]:
    """Return the ``progress`` of a training with epochs that is called ``name_of(settings)``."""

    def progress(snapshot: Any) -> str:
        epochs = snapshot.settings.epochs
        epoch = min(epochs, snapshot.step * epochs // snapshot.steps + 1)
        return f"{name_of(snapshot.settings)}: epoch {epoch} of {epochs}"

    return progress


def run_of(state: PageState[Any]) -> Any:
    """Return the run of a page in this session, or None; the host may have forgotten it."""
    return this_host().find(st.session_state.get(state.key("run")))


def start_question(state: PageState[Any]) -> Any:
    """Return the question that the run of a page was started with, or None."""
    return st.session_state.get(state.key("run.view"))


class PageRun(Generic[Q]):
    """The run of one page in this session, held by the process's training host.

    Session and link have its name, so that the page finds it after a reload. Another browser with that link only
    watches; the browser that started the run controls it (``visitors.py``).
    """

    def __init__(self, state: PageState[Q], training: Training[Q]):
        self.page, self.training = state, training

    def current_run(self) -> Any:
        """Return the run, or None."""
        return run_of(self.page)

    def has_changed(self, question: Q) -> bool:
        """Whether a question needs another run than the one that was started."""
        started = start_question(self.page)
        return started is None or self._identity(started) != self._identity(question)

    def start(self, question: Q) -> Any:
        """Open a run, paused, in place of the previous one; ValueError gives the reason for a refusal."""
        training, host = self.training, this_host()
        if training.warm_up is not None:
            host.warm_up(training.warm_up)
        data = training.data(question)
        options = {} if training.kind is None else {"job_kind": training.kind}
        source, settings = self._identity(question)
        run = host.open(
            source,
            data.train,
            settings,
            data.held_out,
            replaces=st.session_state.get(self.page.key("run")),
            owner=visitor(),
            info=data.info,
            **options,
        )
        beginning = training.begins_with(question)
        self._keep(run.name, beginning)
        self.page.keep(beginning)
        st.query_params["run"] = run.name
        return run

    def notices(self, question: Q, named: str | None) -> list[str]:
        """Adopt the run ``named`` by a link if it belongs to the question, and write the page's run to the link.

        Returns notices about the named run.
        """
        found = this_host().find(named)
        if found not in (None, self.current_run()) and self._identity(question) == _identity_of(found):
            self._keep(found.name, question)
        if self.current_run() is not None and not self.has_changed(question):
            st.query_params["run"] = st.session_state[self.page.key("run")]
        elif named and found is None:
            st.query_params.pop("run", None)
            return ["the training of this link has ended or belongs to another server; `Start` trains again"]
        return []

    def shown(self, run: Any, question: Q) -> ShownRun:
        """Return the state to draw of a run; without one that of the question."""
        if run is None:
            return ShownRun(None, question, question)
        return ShownRun(run, start_question(self.page), self.page.view or question)

    def _identity(self, question: Q) -> tuple[str, list[Any]]:
        """Return what identifies a run: the name of its data, and the settings of its trainings."""
        return self.training.source(question), list(self.training.settings(question))

    def _keep(self, name: str, question: Q) -> None:
        st.session_state[self.page.key("run")], st.session_state[self.page.key("run.view")] = name, question


def _identity_of(run: Any) -> tuple[str, list[Any]]:
    return run.source, [job.settings for job in run.jobs]


VISITORS.on_gone.append(lambda visitor: this_host().close_all(visitor))
