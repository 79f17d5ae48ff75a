"""While a training runs and a person is on another page: one line that says so, and keeps it awake."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import streamlit as st

from pages.shell import registry
from pages.shell.fragment import fragment
from pages.shell.rerun import rerun
from pages.shell.training import PageRun
from pages.shell.visitors import is_mine
from rcmviz.views.shared.component import clock

TICK = 2.0  # seconds


class TrainingPage(NamedTuple):
    """A page that trains: its ``name`` and ``title``, the session's ``run``, ``progress`` of a snapshot."""

    name: str
    title: str
    run: Any
    progress: Callable[[Any], str]


def show(here: str) -> None:
    """The line, only where this session has a training that runs and that is of another page than ``here``."""
    for page in _training_pages():
        if page.name != here:
            _show(page)


def show_of(name: str) -> None:
    """The line of the training of one page, where it has one that runs: for its tabs that do not show it."""
    for page in _training_pages():
        if page.name == name:
            _show(page)


def _training_pages() -> Iterator[TrainingPage]:
    """The pages that train; whoever has a training has opened its page, so that this process has imported it."""
    for name, page in registry.pages_in_use().items():
        for training in (page.training, *(tab.training for tab in page.tabs.values())):
            if training is not None:
                run = PageRun(page.state, training).current_run()
                yield TrainingPage(name, registry.entry_named(name).title, run, training.progress)


def _show(page: TrainingPage) -> None:
    if page.run is not None and page.run.is_active and is_mine(page.run):
        _tick(page)


@fragment
def _tick(page):
    clock(TICK, key=f"training.{page.name}")
    page.run.keep_awake()
    if not page.run.is_active:
        st.toast(f"The training is over: its curves are on {page.title}.", icon=":material/model_training:")
        rerun()
    said = [page.progress(snapshot) for snapshot in page.run.snapshots() if snapshot.status == "running"]
    text, link = st.columns([9, 2], vertical_alignment="center")
    text.caption(f":material/model_training: training {' · '.join(said)}")
    if st.session_state["page"] != page.name:
        there = st.session_state["pages"][page.name]
        link.page_link(there, label=f"Open {page.title}", icon=":material/arrow_forward:")
