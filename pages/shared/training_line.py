"""While a training runs and a person is on another page: one line that says so, and keeps it awake."""

import streamlit as st

from pages.align import state as align_state
from pages.align.link import STRATEGY_NAMES
from pages.field import state as field_state
from pages.learn import state as learn_state
from pages.learn.link import method_of
from pages.shared.fragment import fragment
from pages.shared.rerun import rerun
from pages.shared.visitors import is_mine
from rcmviz.views.shared.component import clock


def _epochs(name_of):
    """What is said of a training that runs through epochs and is called ``name_of(settings)``."""

    def said(snapshot):
        epochs = snapshot.settings.epochs
        epoch = min(epochs, snapshot.step * epochs // snapshot.steps + 1)
        return f"{name_of(snapshot.settings)}: epoch {epoch} of {epochs}"

    return said


TICK = 2.0  # seconds
# The pages that train: how to find the session's run, and how far one of its trainings is.
TRAINING = {
    "learn": ("Learn", learn_state.current_run, _epochs(lambda settings: method_of(settings).name)),
    "align": ("Align", align_state.current_run, _epochs(lambda settings: STRATEGY_NAMES[settings.strategy])),
    "field": ("Field", field_state.current_run, lambda found: f"a field: step {found.step} of {found.steps}"),
}


def show(here):
    """The line, only where this session has a training that runs and that is of another page than ``here``."""
    for page in TRAINING:
        if page != here:
            show_of(page)


def show_of(page):
    """The line of the training of one page, where it has one that runs: for its tabs that do not show it."""
    run = TRAINING[page][1]()
    if run is not None and run.is_active and is_mine(run):
        _tick(page, run)


@fragment
def _tick(page, run):
    clock(TICK, key=f"training.{page}")
    title, _, progress = TRAINING[page]
    run.keep_awake()
    if not run.is_active:
        st.toast(f"The training is over: its curves are on {title}.", icon=":material/model_training:")
        rerun()
    said = [progress(snapshot) for snapshot in run.snapshots() if snapshot.status == "running"]
    text, link = st.columns([9, 2], vertical_alignment="center")
    text.caption(f":material/model_training: training {' · '.join(said)}")
    if st.session_state["page"] != page:
        link.page_link(st.session_state["pages"][page], label=f"Open {title}", icon=":material/arrow_forward:")
