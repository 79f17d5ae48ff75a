"""The line about a running training on all other pages, which also keeps the training awake."""

from collections.abc import Callable

import streamlit as st

from pages.shell import registry
from pages.shell.fragment import fragment
from pages.shell.rerun import rerun
from pages.shell.training import run_of
from pages.shell.visitors import is_mine
from rcmviz.views.shared.component import clock

TICK = 2.0  # seconds


def show(here: str) -> None:
    """Show the lines of running trainings of other pages than ``here``."""
    _show(lambda name: name != here)


def show_of(page: str) -> None:
    """Show the line of one page's training, if it runs, on tabs that do not show it."""
    _show(lambda name: name == page)


def _show(is_wanted: Callable[[str], bool]) -> None:
    """Show lines for the pages in use; a page with a training has been imported."""
    for name, page in registry.pages_in_use().items():
        run = run_of(page.state) if is_wanted(name) else None
        if run is None or not run.is_active or not is_mine(run):
            continue
        for training in (page.training, *(tab.training for tab in page.tabs.values())):
            if training is not None:
                _tick(name, run, training.progress)


@fragment
def _tick(name, run, progress):
    title = registry.entry_named(name).title
    clock(TICK, key=f"training.{name}")
    run.keep_awake()
    if not run.is_active:
        st.toast(f"The training has ended; see its curves on {title}.", icon=":material/model_training:")
        rerun()
    message = " · ".join(progress(snapshot) for snapshot in run.snapshots() if snapshot.status == "running")
    text, link = st.columns([9, 2], vertical_alignment="center")
    text.caption(f":material/model_training: training {message}")
    if st.session_state["page"] != name:
        there = st.session_state["pages"][name]
        link.page_link(there, label=f"Open {title}", icon=":material/arrow_forward:")
