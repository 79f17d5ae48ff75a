"""Trainings that the visitor of a page starts, pauses, steps and takes home.

A page, or a tab, declares what is trained and how it is drawn. The shell derives the controls with their keys, the run
in the link, the line on other pages while it trains, and the downloads of models and code.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import streamlit as st

from pages.shared.linked_run import LinkedRun
from pages.shared.training_controls import show_models, show_trainings
from pages.shared.visitors import visitor
from pages.shell.link import Link
from pages.shell.state import PageState
from rcmviz.jobs.host import this_host

Q = TypeVar("Q", bound=Link)


class TrainingData(NamedTuple):
    """What trainings learn from: ``train`` and ``held_out`` as the kind of job takes them; a run keeps ``info``."""

    train: Any
    held_out: Any = None
    info: dict[str, Any] | None = None


class ShownRun(NamedTuple):
    """A run to draw: the ``run``, the question that it was ``started`` with, and the ``question`` of now."""

    run: Any
    started: Any
    question: Any


def unchanged(question: Any) -> Any:
    """The question itself."""
    return question


@dataclass(frozen=True, eq=False, kw_only=True)
class Training(Generic[Q]):
    """What a page trains.

    Parameters
    ----------
    source : callable
        A name of the data of a question; name and settings decide whether a run is the one that a question asks for.
    data : callable
        The ``TrainingData`` of a question; ValueError says why there is none. It may take long.
    settings : callable
        The settings of each training of a question, as its kind of job takes them.
    draw : callable
        Draws a ``ShownRun``; it runs in a fragment, once a second while something trains.
    recorded : callable
        Draws what a question shows before a run is started: a recorded run, or what to expect.
    kind : optional
        The kind of job of ``rcmviz.jobs``, by default trainings on sequences; its kernels are compiled by ``warm_up``.
    unit : {"example", "step"}
        What one step of a training learns from; only of examples there is an epoch.
    idle : callable, optional
        A sentence next to the controls while there is no run.
    begins_with : callable, optional
        The question that the page shows when a run starts.
    progress : callable
        What the line on other pages says of a snapshot: "RCMS 10: epoch 3 of 20".
    models : callable, optional
        The checkpoints of a ``ShownRun`` to take home, by name; None where there is none yet. ``models_help`` says what
        the files are for.
    code : callable, optional
        Python source that trains the same.
    """

    source: Callable[[Q], str]
    data: Callable[[Q], TrainingData]
    settings: Callable[[Q], Sequence[Any]]
    draw: Callable[[ShownRun], None]
    recorded: Callable[[Q], None]
    progress: Callable[[Any], str]
    kind: Any = None
    warm_up: Callable[[], None] | None = None
    unit: Literal["example", "step"] = "example"
    idle: Callable[[Q], str] = lambda question: ""
    begins_with: Callable[[Q], Q] = unchanged
    models: Callable[[ShownRun], Mapping[str, Any]] | None = None
    models_help: str = ""
    code: Callable[[Q], str] | None = None


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
        self.linked.keep(run.name, training.begins_with(question))
        st.query_params["run"] = run.name
        return run

    def notices(self, question: Q, named: str | None) -> list[str]:
        """Take the run that a link has ``named``, and write it to the link; what is to be said of it."""
        self.linked.find(named, question)
        return self.linked.show_in_link(named, question)


def draw_training(state: PageState[Q], training: Training[Q], question: Q) -> None:
    """Controls, and the run or what is shown before there is one."""
    page_run = PageRun(state, training)
    show_run = partial(_draw_run, page_run)
    show_trainings(page_run, question, training.recorded, show_run, unit=training.unit, idle=training.idle(question))


def _draw_run(page_run: PageRun[Any], run: Any) -> None:
    training = page_run.training
    shown = ShownRun(run, page_run.linked.view(), page_run.PAGE.view)
    training.draw(shown)
    if training.models is None and training.code is None:
        return
    with st.expander("Take it home: models, code", icon=":material/download:"):
        if training.models is not None:
            show_models(page_run.PAGE, training.models(shown), training.models_help)
        if training.code is not None:
            st.caption("The same in a notebook")
            st.code(training.code(shown.started), language=None, wrap_lines=True)
