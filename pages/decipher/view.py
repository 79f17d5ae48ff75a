"""The part of Decipher below its settings: controls, the message, and the saved file."""

import math
from functools import partial

import streamlit as st

from pages.decipher import state
from pages.decipher.open_line import open_cipher_line
from pages.decipher.question import PACES
from pages.decipher.run import session_of, warm_up
from pages.decipher.shown import payload_of, recorded_run, shown_run
from pages.shell import registry
from pages.shell.fragment import fragment
from pages.shell.rerun import rerun
from pages.shell.text import duration, sentence
from pages.shell.training_controls import WATCHING, press_button, run_notice
from pages.shell.view import draw_view
from pages.shell.visitors import is_mine
from rcmviz.jobs.host import this_host
from rcmviz.views.shared.component import clock

PAGE = state.PAGE
TICK = 1.0  # seconds
HELP = "swap_horiz"


def draw(puzzle, view_state):
    """Draw controls and view in one fragment, which ticks only while passes remain."""
    this_host().warm_up(warm_up)
    opening = view_state.get("at") or None  # 0 is an unreadable number
    session = state.current_session(puzzle)
    if session is None and opening and not (puzzle.is_recorded and opening <= recorded_run(puzzle.kind).last):
        session = _catch_up(puzzle, opening)
    ticking = session is not None and session.is_running
    _draw_live(puzzle, opening, ticking)


def _catch_up(puzzle, passes):
    """Compute the passes of a link's run again, if it is not in memory."""
    try:
        session = state.start(puzzle)
    except ValueError as error:
        _refuse(error)
        return None
    session.request_passes(passes, through=True)
    session.hand_out_passes(PACES[-1])
    rerun()


@fragment
def _draw_live(puzzle, opening, ticking):
    session = state.current_session(puzzle)
    if session is not None and is_mine(session.run):
        session.run.keep_awake()
        session.hand_out_passes(puzzle.pace)
    with st.container():  # in one container: notices do not move the view, which keeps its state
        _controls(puzzle, session)
        refused = st.session_state.pop(PAGE.key("refused"), None)
        if refused:
            st.error(sentence(refused), icon=":material/error:")
    page = registry.page_named(PAGE.name)
    payload = payload_of(puzzle, session, opening)
    draw_view(
        page,
        puzzle,
        payload,
        key=PAGE.key("view"),
        file=page.name,
        over={},
        on_event=partial(_open_line, puzzle, session),
    )
    if ticking:
        clock(TICK, key=PAGE.key("clock"))
    if st.session_state.pop(PAGE.key("pinned"), False) or (session is not None and ticking and not session.is_running):
        rerun()  # the whole page sets the link and the clock of the fragment


def _open_line(puzzle, session, sent):
    """Open the requested line in Your own example, or say why it cannot be opened."""
    if sent.open:
        try:
            open_cipher_line(puzzle, shown_run(puzzle, session), **sent.open)
        except ValueError as error:
            st.error(sentence(error), icon=":material/error:")


def _controls(puzzle, session):
    """Draw the buttons, each with a key: start, pause, one pass, swaps and cancel."""
    if session is not None and not is_mine(session.run):
        with st.container(horizontal=True, vertical_alignment="center"):
            press_button(PAGE, "Start my own", "play_arrow", "S", _start, puzzle)
            st.markdown(WATCHING)
        return
    changed = state.has_changed(puzzle, session)
    over = session is None or session.is_finished
    going = session is not None and session.is_running and not changed
    begun = session is not None and session.latest_pass > 0
    plays = session is None and puzzle.is_recorded and puzzle.kind == "letters"
    with st.container(horizontal=True, vertical_alignment="center"):
        if changed or over:
            press_button(PAGE, "Start" if session is None else "Restart", "play_arrow", "S", _start, puzzle)
        elif going:
            press_button(PAGE, "Pause", "pause", "S", session.pause)
        elif session.awaits_swaps:
            press_button(PAGE, _help_label(puzzle), HELP, "S", _run_passes, session, puzzle.passes, puzzle.pace)
        else:
            label = "Resume" if begun else "Start"
            press_button(PAGE, label, "play_arrow", "S", _run_passes, session, puzzle.passes, puzzle.pace)
        if plays:
            press_button(PAGE, _help_label(puzzle), HELP, "W", _continue_recorded, puzzle)
        press_button(PAGE, "One pass", "skip_next", "E", _one_pass, puzzle, disabled=going or (over and not changed))
        if begun and not changed and not over:
            press_button(PAGE, "Restart", "replay", "A", _start, puzzle)
        press_button(PAGE, "Cancel", "close", "X", session.cancel if session else None, disabled=over)
        st.markdown(_status_text(puzzle, session, changed))


def _help_label(puzzle):
    """Return the label of the button for swaps of two letters, the second stage of a cryptogram."""
    return "Help both with swaps" if len(puzzle.methods) == 2 else "Help it with swaps"


def _status_text(puzzle, session, changed):
    if session is None:
        if puzzle.run and session_of(puzzle.run) is None:
            return "The run of this link is not in memory: *Start* runs it again."
        return "A recorded run; *Start* makes a new one." if puzzle.is_recorded else ""
    if session.is_running and (waits := run_notice(session.run)):
        return waits
    if session.is_catching_up and not changed:
        return f"Computing the passes up to {session.origin.at} again …"
    if changed:
        return "The settings have changed: *Restart* uses them."
    if not session.is_running:
        return ""
    return f"To pass {session.goal}: {duration(math.ceil(session.seconds_left(puzzle.pace)))} left"


def _refuse(error):
    st.session_state[PAGE.key("refused")] = str(error)


def _open_session(puzzle):
    """Return the session of a new run, or None if it is refused."""
    try:
        with st.spinner("Learning the language …"):
            return state.start(puzzle)
    except ValueError as error:
        _refuse(error)
        return None


def _start(puzzle):
    session = _open_session(puzzle)
    if session is not None:
        _run_passes(session, puzzle.passes, puzzle.pace)


def _run_passes(session, passes, pace):
    """Continue for ``passes``."""
    _follow_run()
    session.request_passes(passes)
    session.hand_out_passes(pace)


def _follow_run():
    """Make the view show the next passes as they come."""
    st.session_state[PAGE.key("goes")] = st.session_state.get(PAGE.key("goes"), 0) + 1


def _one_pass(puzzle):
    """Run one pass, of a new run if there is none."""
    session = state.current_session(puzzle)
    session = _open_session(puzzle) if state.has_changed(puzzle, session) else session
    if session is not None:
        _run_passes(session, 1, 1)


def _continue_recorded(puzzle):
    """Continue the recorded run, with swaps."""
    try:
        shown = recorded_run(puzzle.kind)
        session = state.resume_recorded(puzzle, shown)
    except ValueError as error:
        _refuse(error)
        return
    session.request_up_to(shown.last + puzzle.passes)
    _follow_run()
    session.hand_out_passes(puzzle.pace)


def take_pin(page, values):
    """Pin or free a symbol, from the next pass on or, if an earlier pass is shown, from there on in a new run."""
    puzzle, request = page.view, values.get("pin")
    if not request:
        return
    session = state.current_session(puzzle)
    if session is not None and not is_mine(session.run):
        _refuse("another browser started this run: start your own run to pin symbols")
        return
    shown, at = shown_run(puzzle, session), request.get("at")
    try:
        pins = state.change_pin(puzzle, request["symbol"], request["label"] or None)
        if shown is None or not shown.last or (session is not None and not at):
            state.pin(puzzle, session, pins)
        elif not at:
            state.resume_recorded(puzzle.changed(pins=pins, since=shown.last), shown)
            PAGE.put(pins=pins, since=shown.last)
        else:
            state.branch(puzzle, pins, shown, min(at, shown.last)).hand_out_passes(puzzle.pace)
            _follow_run()
        st.session_state[PAGE.key("pinned")] = True
    except ValueError as error:
        _refuse(error)
