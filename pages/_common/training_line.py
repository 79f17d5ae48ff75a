"""While a training runs and a person is on another page: one line that says so, and keeps it awake."""

import streamlit as st

from .learn_settings import method_of
from .learn_state import my_run

TICK = 2.0  # seconds


def show():
    """The line, only where this session has a training that runs."""
    run = my_run()
    if run is not None and run.moving:
        st.fragment(_tick, run_every=TICK)(run)


def _tick(run):
    run.seen()
    if not run.moving:
        st.toast("The training is over: its curves are on Learn.", icon=":material/model_training:")
        st.rerun()
    said = [_progress(snapshot) for snapshot in run.snapshots() if snapshot.status == "running"]
    text, link = st.columns([9, 2], vertical_alignment="center")
    text.caption(f":material/model_training: training {' · '.join(said)}")
    link.page_link(st.session_state["pages"]["learn"], label="Open Learn", icon=":material/arrow_forward:")


def _progress(snapshot):
    epochs = snapshot.settings.epochs
    epoch = min(epochs, snapshot.step * epochs // snapshot.steps + 1)
    return f"{method_of(snapshot.settings).name}: epoch {epoch} of {epochs}"
