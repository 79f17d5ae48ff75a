"""Trainings beside a page: start, pause, step and cancel, with a key each, what they show, and models to take home."""

import tempfile
from pathlib import Path

import streamlit as st

from pages.shared.text import sentence
from pages.shared.visitors import is_mine
from rcmviz.jobs.host import this_host
from rcmviz.views.shared.component import clock

TICK = 1.0  # seconds between two looks at trainings that run
WATCHING = "You watch a run that another person has started: only there it can be paused or cancelled."
ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def show_trainings(state, settings, show_beginning, show_run, unit="example", idle=""):
    """Controls, and below them ``show_run(run)``, or ``show_beginning(settings)`` where nothing has been trained.

    ``state`` is the page's module of that name: ``PAGE``, a Page, and ``current_run()``, ``has_changed(settings)``,
    ``start(settings)`` · ``unit`` what is learnt at a time; only of examples there is an epoch · ``idle`` said beside
    the controls where nothing has been trained. All stands in one fragment; it ticks only while something runs.
    """
    run = state.current_run()
    ticking = run is not None and run.is_active
    _live(state, settings, show_beginning, show_run, unit, idle, ticking)


@st.fragment
def _live(state, settings, show_beginning, show_run, unit, idle, ticking):
    run, page = state.current_run(), state.PAGE
    if run is not None and not is_mine(run):
        _show_watching(page, run, lambda: _opened(state, settings))
    else:
        if run is not None:
            run.keep_awake()
        _show_controls(page, run, state.has_changed(settings), lambda: _opened(state, settings), unit, idle)
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
        st.rerun()  # the link, and the clock of the fragment, are set where the whole page runs


def _show_watching(page, run, opened):
    """Of a run that another person has started: what goes on, and a button for one's own."""
    with st.container(horizontal=True, vertical_alignment="center"):
        press_button(page, "Start my own", "play_arrow", "S", lambda: _resume(opened()))
        st.markdown(f"{WATCHING} {waiting_for(run)}")


def _opened(state, settings):
    try:
        with st.spinner("Preparing the data …"):
            return state.start(settings)
    except ValueError as error:
        st.session_state[state.PAGE.key("start.refused")] = str(error)


def _show_controls(page, run, changed, opened, unit, idle):
    """The buttons of a ``run``, or of none yet; ``changed`` whether the settings are other ones than its own ·
    ``opened()`` gives a new run, None where it is refused.
    """
    active, over = run is not None and run.is_active, run is None or run.finished
    anew = changed or over
    with st.container(horizontal=True, vertical_alignment="center"):
        if anew:
            press_button(page, "Start" if run is None else "Start anew", "play_arrow", "S", lambda: _resume(opened()))
        elif active:
            press_button(page, "Pause", "pause", "S", run.pause)
        else:
            press_button(page, "Resume", "play_arrow", "S", run.run)
        waits = active or (over and not changed)
        subject = opened if changed else lambda: run
        press_button(page, f"One {unit}", "exposure_plus_1", "E", lambda: _resume(subject(), 1), disabled=waits)
        if unit == "example":
            press_button(page, "One epoch", "skip_next", "O", lambda: _run_epoch(subject()), disabled=waits)
        press_button(page, "Cancel", "close", "X", run.cancel if run else None, disabled=over)
        st.markdown(_status_text(run, changed) if run is not None else idle)


def press_button(page, label, icon, shortcut, act, *args, disabled=False):
    """A button, and a key of the keyboard, for ``act(*args)``; the page is run again after it."""
    name = page.key(f"press.{label}")
    if st.button(label, icon=f":material/{icon}:", shortcut=shortcut, key=name, disabled=disabled):
        act(*args)
        st.rerun()


def _resume(run, examples=None):
    if run:
        run.run(examples)


def _run_epoch(run):
    if run:
        run.run_epoch()


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
                f"{name} after {checkpoint.step:,} examples (npz)", lambda one=checkpoint: _model_bytes(one),
                f"{name.lower().replace(' ', '-')}-{checkpoint.step}.npz", key=page.key(f"model.{name}"),
                on_click="ignore", icon=":material/download:", width="stretch", help=help_text,
            )  # fmt: skip


def _model_bytes(checkpoint):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.npz"
        checkpoint.model.save(file)
        return file.read_bytes()
