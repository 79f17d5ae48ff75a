"""Controls of trainings: start, pause, step and cancel, with a key each, and downloads of models."""

import tempfile
from pathlib import Path

import streamlit as st

from pages.shell.fragment import fragment
from pages.shell.rerun import rerun
from pages.shell.text import sentence
from pages.shell.visitors import is_mine
from rcmviz.jobs.host import this_host
from rcmviz.views.shared.component import clock

TICK = 1.0  # seconds between two polls of active trainings
WATCHING = "Another browser started this run; only there can it be paused or cancelled."
CANCEL = "Cancel", "close", "X"
EPOCH = "epoch"
ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def show_trainings(page_run, settings, show_beginning, show_run, unit="example", idle=""):
    """Draw the controls, and below them ``show_run(run)``, or ``show_beginning(settings)`` before the first run.

    ``page_run`` is the ``PageRun`` · ``settings`` the question · ``unit`` of a step; only examples have epochs ·
    ``idle`` the text next to the controls before the first run. All are in one fragment, which ticks only during
    training.
    """
    begun = st.session_state.pop(page_run.page.key("begun"), None)
    if begun is not None:
        _begin(page_run, settings, unit, *begun)
    run = page_run.current_run()
    ticking = run is not None and run.is_active
    _draw_live(page_run, settings, show_beginning, show_run, unit, idle, ticking)


@fragment
def _draw_live(page_run, settings, show_beginning, show_run, unit, idle, ticking):
    run, page = page_run.current_run(), page_run.page
    if run is not None and not is_mine(run):
        _show_watching(page, run)
    else:
        if run is not None:
            run.keep_awake()
        _show_controls(page, run, page_run.has_changed(settings), unit, idle)
    refused = st.session_state.pop(page.key("start.refused"), None)
    if refused:
        st.error(sentence(refused), icon=":material/error:")
    if run is None:
        show_beginning(settings)
    else:
        show_run(run)
    if ticking:
        clock(TICK, key=page.key("clock"))
    if st.session_state.pop(page.key("chosen"), False) or (ticking and not run.is_active):
        rerun()  # the whole page sets the link and the clock of the fragment


def _begin(page_run, settings, unit, *stretch):
    """Open a run and start a stretch of it; loading its data may take long.

    This runs outside of the fragment, whose buttons Streamlit would ignore until the end. A click here cancels it.
    """
    page = page_run.page
    with st.container(horizontal=True, vertical_alignment="center"):
        for label, icon, shortcut in _start_buttons(page_run.current_run(), unit):
            _is_pressed(page, label, icon, shortcut, f"begun.{label}", disabled=True)
        _is_pressed(page, *CANCEL, "begun.Cancel")
        try:
            with st.spinner("Preparing the data …"):
                _continue_run(page_run.start(settings), *stretch)
        except ValueError as error:
            st.session_state[page.key("start.refused")] = str(error)
    rerun()


def _start_buttons(run, unit):
    """Return the buttons that start a run: label, icon and key."""
    epoch = [("One epoch", "skip_next", "O")] if unit == "example" else []
    start = "Start" if run is None else "Restart"
    return [(start, "play_arrow", "S"), (f"One {unit}", "exposure_plus_1", "E"), *epoch]


def _show_watching(page, run):
    """Show the progress of another browser's run, and a button that starts an own one."""
    with st.container(horizontal=True, vertical_alignment="center"):
        press_button(page, "Start my own", "play_arrow", "S", _request_start, page)
        st.markdown(f"{WATCHING} {run_notice(run)}")


def _request_start(page, *stretch):
    st.session_state[page.key("begun")] = stretch


def _show_controls(page, run, changed, unit, idle):
    """Draw the buttons for ``run``, which may be None; ``changed`` tells whether the settings differ from its own."""
    active, over = run is not None and run.is_active, run is None or run.finished
    waits = active or (over and not changed)
    start, one, *epoch = _start_buttons(run, unit)
    with st.container(horizontal=True, vertical_alignment="center"):
        if changed or over:
            press_button(page, *start, _request_start, page)
        elif active:
            press_button(page, "Pause", "pause", "S", run.pause)
        else:
            press_button(page, "Resume", "play_arrow", "S", run.run)
        go_on = (_request_start, page) if changed else (_continue_run, run)
        press_button(page, *one, *go_on, 1, disabled=waits)
        for button in epoch:
            press_button(page, *button, *go_on, EPOCH, disabled=waits)
        press_button(page, *CANCEL, run.cancel if run else None, disabled=over)
        st.markdown(_status_text(run, changed) if run is not None else idle)


def press_button(page, label, icon, shortcut, act, *args, disabled=False):
    """Draw a button with a key that calls ``act(*args)`` and reruns the page."""
    if _is_pressed(page, label, icon, shortcut, f"press.{label}", disabled):
        act(*args)
        rerun()


def _is_pressed(page, label, icon, shortcut, name, disabled=False):
    return st.button(label, icon=f":material/{icon}:", shortcut=shortcut, key=page.key(name), disabled=disabled)


def _continue_run(run, stretch=None):
    """Train ``stretch`` examples, an ``EPOCH``, or to the end."""
    if stretch == EPOCH:
        run.run_epoch()
    else:
        run.run(stretch)


def _status_text(run, changed):
    if changed and not run.cancelled:
        return "The settings have changed: *Restart* trains with them."
    return run_notice(run)


def run_notice(run):
    """Return a sentence about the place in the queue or a problem of a run; empty while it trains normally."""
    if not run.is_active:
        return ""
    if this_host().warming:
        return "Preparing the training kernels (once, about half a minute) …"
    if place := run.ahead:
        message = "Next in line" if place == 1 else f"{place}{ENDINGS.get(place % 10, 'th')} in line"
        message = f"{place}th in line" if place % 100 in (11, 12, 13) else message
        return f"{message}: other trainings are running."
    notes = [snapshot.note for snapshot in run.snapshots() if snapshot.status == "running" and snapshot.note]
    return sentence(notes[0]) if notes else ""


def show_models(page, kept, help_text):
    """Draw a download button for each checkpoint in ``kept``, by name (None: not trained yet)."""
    for column, (name, checkpoint) in zip(st.columns(len(kept)), kept.items(), strict=True):
        if checkpoint is not None:
            column.download_button(
                f"{name} after {checkpoint.step:,} examples (npz)",
                lambda one=checkpoint: _model_bytes(one),
                f"{name.lower().replace(' ', '-')}-{checkpoint.step}.npz",
                key=page.key(f"model.{name}"),
                on_click="ignore",
                icon=":material/download:",
                width="stretch",
                help=help_text,
            )


def _model_bytes(checkpoint):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.npz"
        checkpoint.model.save(file)
        return file.read_bytes()
