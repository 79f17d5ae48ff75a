"""Trainings beside a page: start, pause, step and cancel, with a key each, what they show, and models to take home."""

import tempfile
from pathlib import Path

import streamlit as st

from pages.shell.fragment import fragment
from pages.shell.rerun import rerun
from pages.shell.text import sentence
from pages.shell.visitors import is_mine
from rcmviz.jobs.host import this_host
from rcmviz.views.shared.component import clock

TICK = 1.0  # seconds between two looks at trainings that run
WATCHING = "You watch a run that another person has started: only there it can be paused or cancelled."
CANCEL = "Cancel", "close", "X"
EPOCH = "epoch"
ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def show_trainings(page_run, settings, show_beginning, show_run, unit="example", idle=""):
    """Controls, and below them ``show_run(run)``, or ``show_beginning(settings)`` where nothing has been trained.

    ``page_run`` is the ``PageRun`` · ``settings`` the question · ``unit`` what is learnt at a time; only of examples
    there is an epoch · ``idle`` said beside the controls where nothing has been trained. All stands in one fragment; it
    ticks only while something runs.
    """
    begun = st.session_state.pop(page_run.page.key("begun"), None)
    if begun is not None:
        _begin(page_run, settings, unit, *begun)
    run = page_run.current_run()
    ticking = run is not None and run.is_active
    _live(page_run, settings, show_beginning, show_run, unit, idle, ticking)


@fragment
def _live(page_run, settings, show_beginning, show_run, unit, idle, ticking):
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
        rerun()  # the link, and the clock of the fragment, are set where the whole page runs


def _begin(page_run, settings, unit, *stretch):
    """Open a run and let it go a stretch; its data may take long.

    It is outside of the fragment, whose buttons Streamlit would hear once it is done. Whatever is pressed here ends it.
    """
    page = page_run.page
    with st.container(horizontal=True, vertical_alignment="center"):
        for label, icon, shortcut in _beginnings(page_run.current_run(), unit):
            _pressed(page, label, icon, shortcut, f"begun.{label}", disabled=True)
        _pressed(page, *CANCEL, "begun.Cancel")
        try:
            with st.spinner("Preparing the data …"):
                _go_on(page_run.start(settings), *stretch)
        except ValueError as error:
            st.session_state[page.key("start.refused")] = str(error)
    rerun()


def _beginnings(run, unit):
    """The buttons that a run begins with: label, icon and key of the keyboard."""
    epoch = [("One epoch", "skip_next", "O")] if unit == "example" else []
    start = "Start" if run is None else "Start anew"
    return [(start, "play_arrow", "S"), (f"One {unit}", "exposure_plus_1", "E"), *epoch]


def _show_watching(page, run):
    """Of a run that another person has started: what goes on, and a button for one's own."""
    with st.container(horizontal=True, vertical_alignment="center"):
        press_button(page, "Start my own", "play_arrow", "S", _ask_to_begin, page)
        st.markdown(f"{WATCHING} {waiting_for(run)}")


def _ask_to_begin(page, *stretch):
    st.session_state[page.key("begun")] = stretch


def _show_controls(page, run, changed, unit, idle):
    """The buttons of a ``run``, or of none yet; ``changed`` whether the settings are other ones than its own."""
    active, over = run is not None and run.is_active, run is None or run.finished
    waits = active or (over and not changed)
    start, one, *epoch = _beginnings(run, unit)
    with st.container(horizontal=True, vertical_alignment="center"):
        if changed or over:
            press_button(page, *start, _ask_to_begin, page)
        elif active:
            press_button(page, "Pause", "pause", "S", run.pause)
        else:
            press_button(page, "Resume", "play_arrow", "S", run.run)
        go_on = (_ask_to_begin, page) if changed else (_go_on, run)
        press_button(page, *one, *go_on, 1, disabled=waits)
        for button in epoch:
            press_button(page, *button, *go_on, EPOCH, disabled=waits)
        press_button(page, *CANCEL, run.cancel if run else None, disabled=over)
        st.markdown(_status_text(run, changed) if run is not None else idle)


def press_button(page, label, icon, shortcut, act, *args, disabled=False):
    """A button, and a key of the keyboard, for ``act(*args)``; the page is run again after it."""
    if _pressed(page, label, icon, shortcut, f"press.{label}", disabled):
        act(*args)
        rerun()


def _pressed(page, label, icon, shortcut, name, disabled=False):
    return st.button(label, icon=f":material/{icon}:", shortcut=shortcut, key=page.key(name), disabled=disabled)


def _go_on(run, stretch=None):
    """``stretch`` examples, an ``EPOCH``, or to the end."""
    if stretch == EPOCH:
        run.run_epoch()
    else:
        run.run(stretch)


def _status_text(run, changed):
    if changed and not run.cancelled:
        return "The settings have changed: *Start anew* trains with them."
    return waiting_for(run)


def waiting_for(run):
    """What a run waits for, or what had to be mended, in a sentence; empty where it goes on as usual."""
    if not run.is_active:
        return ""
    if this_host().warming:
        return "Preparing the training kernels (once, about half a minute) …"
    if place := run.ahead:
        said = "Next in line" if place == 1 else f"{place}{ENDINGS.get(place % 10, 'th')} in line"
        said = f"{place}th in line" if place % 100 in (11, 12, 13) else said
        return f"{said}: as many trainings as this computer bears take their turns."
    notes = [snapshot.note for snapshot in run.snapshots() if snapshot.status == "running" and snapshot.note]
    return sentence(notes[0]) if notes else ""


def show_models(page, kept, help_text):
    """A button for the model of each checkpoint ``kept``, by name (None: there is none); ``help_text`` beside it."""
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
