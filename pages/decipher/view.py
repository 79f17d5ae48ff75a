"""What stands below the settings on Decipher: controls, the message being read, what can be taken home."""

import math

import streamlit as st

from pages.decipher import state
from pages.decipher.code import reproducing_code
from pages.decipher.link import PACES
from pages.decipher.run import numbered, session_of, subject_of
from pages.learn.widgets import duration
from pages.shared.footer import show_footer
from pages.shared.text import plain, sentence
from pages.shared.training_controls import press_button
from rcmviz.jobs.host import this_host
from rcmviz.views.decipher.payload import build_decipher, decipher_html
from rcmviz.views.shared.component import decipher
from rcmviz.views.word.payload import digest

PAGE = state.PAGE
TICK = 1.0  # seconds


def show_view(puzzle, opening):
    """Controls and view in one fragment; it ticks only while passes are to come."""
    session = state.current_session(puzzle)
    if session is None and opening:
        session = _catch_up(puzzle, opening)
    ticking = session is not None and session.is_running
    st.fragment(_live, run_every=TICK if ticking else None)(puzzle, opening, ticking)


def _catch_up(puzzle, passes):
    """A link to a pass of a run that is not remembered: it is made again, as far as that."""
    try:
        session = state.start(puzzle)
    except ValueError as error:
        _refuse(error)
        return None
    session.request_passes(passes)
    session.hand_out_passes(PACES[-1])
    st.rerun()


def _live(puzzle, opening, ticking):
    session = state.current_session(puzzle)
    if session is not None:
        session.run.keep_awake()
        session.hand_out_passes(puzzle.pace)
    with st.container():  # whatever is said in here, the view below keeps its place on the page, and so its state
        _controls(puzzle, session)
        refused = st.session_state.pop(PAGE.key("refused"), None)
        if refused:
            st.error(sentence(refused), icon=":material/error:")
    payload = payload_of(puzzle, session, opening)
    decipher(payload, key=PAGE.key("view"), on_pin=lambda: _take_pin(puzzle))
    _footer(puzzle, payload)
    if st.session_state.pop(PAGE.key("pinned"), False) or (session is not None and ticking and not session.is_running):
        st.rerun()  # the link, and the clock of the fragment, are set where the whole page runs


def _controls(puzzle, session):
    """Start, pause, one pass and cancel, with a key each; what can be done now can be pressed."""
    changed = state.has_changed(puzzle, session)
    over = session is None or session.is_finished
    going = session is not None and session.is_running and not changed
    begun = session is not None and session.latest_pass > 0
    with st.container(horizontal=True, vertical_alignment="center"):
        if changed or over:
            press_button(PAGE, "Start" if session is None else "Start anew", "play_arrow", "S", _start, puzzle)
        elif going:
            press_button(PAGE, "Pause", "pause", "S", session.pause)
        else:
            label = "Resume" if begun else "Start"
            press_button(PAGE, label, "play_arrow", "S", _run_passes, session, puzzle.passes, puzzle.pace)
        press_button(PAGE, "One pass", "skip_next", "E", _one_pass, puzzle, disabled=going or (over and not changed))
        if begun and not changed and not over:
            press_button(PAGE, "Start anew", "replay", "A", _start, puzzle)
        press_button(PAGE, "Cancel", "close", "X", session.cancel if session else None, disabled=over)
        st.markdown(_status_text(puzzle, session, changed))


def _status_text(puzzle, session, changed):
    if session is None:
        forgotten = puzzle.run and session_of(puzzle.run) is None
        return "The run of this link is not remembered here: *Start* makes it again." if forgotten else ""
    if session.is_running and this_host().warming:
        return "Preparing the kernels (once, about half a minute) …"
    if changed:
        return "The settings have changed: *Start anew* reads with them."
    if not session.is_running:
        return ""
    return f"To pass {session.goal}: {duration(math.ceil(session.seconds_left(puzzle.pace)))} left"


def _refuse(error):
    st.session_state[PAGE.key("refused")] = str(error)


def _opened(puzzle):
    """The session of a new run, or None where it is refused."""
    try:
        with st.spinner("Learning the language …"):
            return state.start(puzzle)
    except ValueError as error:
        _refuse(error)
        return None


def _start(puzzle):
    session = _opened(puzzle)
    if session is not None:
        _run_passes(session, puzzle.passes, puzzle.pace)


def _run_passes(session, passes, pace):
    """Go on; whoever presses that wants to see the passes that come."""
    st.session_state[PAGE.key("goes")] = st.session_state.get(PAGE.key("goes"), 0) + 1
    session.request_passes(passes)
    session.hand_out_passes(pace)


def _one_pass(puzzle):
    """One pass, of a new run where there is none yet."""
    session = state.current_session(puzzle)
    session = _opened(puzzle) if state.has_changed(puzzle, session) else session
    if session is not None:
        _run_passes(session, 1, 1)


def _take_pin(puzzle):
    """A symbol was pinned or freed in the view."""
    asked = st.session_state[PAGE.key("view")].get("pin")
    if not asked:
        return
    try:
        state.pin(puzzle, asked["symbol"], asked["label"] or None)
        st.session_state[PAGE.key("pinned")] = True
    except ValueError as error:
        _refuse(error)


def payload_of(puzzle, session, opening=None):
    """What the view draws of a puzzle, with or without a run."""
    layout = subject_of(puzzle).layout
    shown = session if session is not None and not state.has_changed(puzzle, session) else None
    if shown is None:
        methods = [_empty_method(method) for method in puzzle.methods]
    else:
        each = zip(puzzle.methods, shown.run.snapshots(), shown.passes, strict=True)
        methods = [_method(*one, shown) for one in each]
    name = puzzle.run if shown is not None else digest(repr(puzzle.cipher))
    return build_decipher(
        layout, methods, name=name, pins=numbered(layout, dict(puzzle.pins)), step=opening,
        going=shown is not None and shown.is_running, goes=st.session_state.get(PAGE.key("goes"), 0),
        code=reproducing_code(puzzle),
    )  # fmt: skip


def _empty_method(method):
    return {"name": method.name, "kind": method.kind, "message": "", "status": "ready", "readings": []}


def _method(method, snapshot, made, session):
    status = "solved" if session.solved(snapshot) else snapshot.status
    readings = [(one.reading, one.packed) for one in made]
    return _empty_method(method) | {"message": snapshot.message, "status": status, "readings": readings}


def _footer(puzzle, payload):
    """Where the text is from, and the view as a file."""
    show_footer(
        PAGE, lambda: decipher_html(payload, "A cipher being read"), "decipher.html",
        "One file with this view; its passes can be played in it, offline.",
        caption=plain(subject_of(puzzle).description), widths=(9, 3),
    )  # fmt: skip
