"""While a training runs and a person is on another page: one line that says so, and keeps it awake."""

import streamlit as st

from pages.align import state
from pages.align.link import STRATEGY_NAMES
from pages.learn import state as learn_state
from pages.learn.link import method_of

TICK = 2.0  # seconds
# The pages that train: how to find the session's run, and what one of its trainings is called.
TRAINING = {
    "learn": ("Learn", learn_state.current_run, lambda settings: method_of(settings).name),
    "align": ("Align", state.current_run, lambda settings: STRATEGY_NAMES[settings.strategy]),
}


def show(here):
    """The line, only where this session has a training that runs and that is of another page than ``here``."""
    for page, (_, current_run, _) in TRAINING.items():
        run = current_run()
        if page != here and run is not None and run.is_active:
            st.fragment(_tick, run_every=TICK)(page, run)


def _tick(page, run):
    title, _, name_of = TRAINING[page]
    run.keep_awake()
    if not run.is_active:
        st.toast(f"The training is over: its curves are on {title}.", icon=":material/model_training:")
        st.rerun()
    said = [_progress(snapshot, name_of) for snapshot in run.snapshots() if snapshot.status == "running"]
    text, link = st.columns([9, 2], vertical_alignment="center")
    text.caption(f":material/model_training: training {' · '.join(said)}")
    link.page_link(st.session_state["pages"][page], label=f"Open {title}", icon=":material/arrow_forward:")


def _progress(snapshot, name_of):
    epochs = snapshot.settings.epochs
    epoch = min(epochs, snapshot.step * epochs // snapshot.steps + 1)
    return f"{name_of(snapshot.settings)}: epoch {epoch} of {epochs}"
