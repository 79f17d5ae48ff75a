"""What stands below the settings on Decipher: controls, the message being read, what can be taken home."""

import math

import streamlit as st

from pages.decipher import state
from pages.decipher.code import reproducing_code
from pages.decipher.link import PACES
from pages.decipher.run import desk_of, numbered, subject_of
from pages.learn.widgets import duration
from pages.shared.text import plain, sentence
from rcmviz.jobs.host import this_host
from rcmviz.views.decipher.payload import build_decipher, decipher_html
from rcmviz.views.shared.component import decipher
from rcmviz.views.word.payload import digest

PAGE = state.PAGE
TICK = 1.0  # seconds


def show_view(puzzle, opening):
    """Controls and view in one fragment; it ticks only while passes are to come."""
    desk = state.my_desk(puzzle)
    if desk is None and opening:
        desk = _catch_up(puzzle, opening)
    ticking = desk is not None and desk.going
    st.fragment(_live, run_every=TICK if ticking else None)(puzzle, opening, ticking)


def _catch_up(puzzle, passes):
    """A link to a pass of a run that is not remembered: it is made again, as far as that."""
    try:
        desk = state.start(puzzle)
    except ValueError as error:
        _refuse(error)
        return None
    desk.go(passes)
    desk.tick(PACES[-1])
    st.rerun()


def _live(puzzle, opening, ticking):
    desk = state.my_desk(puzzle)
    if desk is not None:
        desk.run.seen()
        desk.tick(puzzle.pace)
    with st.container():  # whatever is said in here, the view below keeps its place on the page, and so its state
        _controls(puzzle, desk)
        refused = st.session_state.pop(PAGE.key("refused"), None)
        if refused:
            st.error(sentence(refused), icon=":material/error:")
    payload = payload_of(puzzle, desk, opening)
    decipher(payload, key=PAGE.key("view"), on_pin=lambda: _take_pin(puzzle))
    _footer(puzzle, payload)
    if st.session_state.pop(PAGE.key("pinned"), False) or (desk is not None and ticking and not desk.going):
        st.rerun()  # the link, and the clock of the fragment, are set where the whole page runs


def _controls(puzzle, desk):
    """Start, pause, one pass and cancel, with a key each; what can be done now can be pressed."""
    changed = state.has_changed(puzzle, desk)
    over = desk is None or desk.over
    going = desk is not None and desk.going and not changed
    begun = desk is not None and desk.at > 0
    with st.container(horizontal=True, vertical_alignment="center"):
        if changed or over:
            _button("Start" if desk is None else "Start anew", "play_arrow", "S", _start, puzzle)
        elif going:
            _button("Pause", "pause", "S", desk.hold)
        else:
            _button("Resume" if begun else "Start", "play_arrow", "S", _go, desk, puzzle.passes, puzzle.pace)
        _button("One pass", "skip_next", "E", _one_pass, puzzle, disabled=going or (over and not changed))
        if begun and not changed and not over:
            _button("Start anew", "replay", "A", _start, puzzle)
        _button("Cancel", "close", "X", desk.cancel if desk else None, disabled=over)
        st.markdown(_told(puzzle, desk, changed))


def _button(label, icon, shortcut, act, *args, disabled=False):
    name = PAGE.key(f"press.{label}")
    if st.button(label, icon=f":material/{icon}:", shortcut=shortcut, key=name, disabled=disabled):
        act(*args)
        st.rerun()


def _told(puzzle, desk, changed):
    if desk is None:
        forgotten = puzzle.run and desk_of(puzzle.run) is None
        return "The run of this link is not remembered here: *Start* makes it again." if forgotten else ""
    if desk.going and this_host().warming:
        return "Preparing the kernels (once, about half a minute) …"
    if changed:
        return "The settings have changed: *Start anew* reads with them."
    return f"To pass {desk.goal}: {duration(math.ceil(desk.left(puzzle.pace)))} left" if desk.going else ""


def _refuse(error):
    st.session_state[PAGE.key("refused")] = str(error)


def _opened(puzzle):
    """The desk of a new run, or None where it is refused."""
    try:
        with st.spinner("Learning the language …"):
            return state.start(puzzle)
    except ValueError as error:
        _refuse(error)
        return None


def _start(puzzle):
    desk = _opened(puzzle)
    if desk is not None:
        _go(desk, puzzle.passes, puzzle.pace)


def _go(desk, passes, pace):
    """Go on; whoever presses that wants to see the passes that come."""
    st.session_state[PAGE.key("goes")] = st.session_state.get(PAGE.key("goes"), 0) + 1
    desk.go(passes)
    desk.tick(pace)


def _one_pass(puzzle):
    """One pass, of a new run where there is none yet."""
    desk = state.my_desk(puzzle)
    desk = _opened(puzzle) if state.has_changed(puzzle, desk) else desk
    if desk is not None:
        _go(desk, 1, 1)


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


def payload_of(puzzle, desk, opening=None):
    """What the view draws of a puzzle, with or without a run."""
    board = subject_of(puzzle).board
    shown = desk if desk is not None and not state.has_changed(puzzle, desk) else None
    if shown is None:
        methods = [_unread(method) for method in puzzle.methods]
    else:
        each = zip(puzzle.methods, shown.run.snapshots(), shown.made, strict=True)
        methods = [_method(*one, shown) for one in each]
    name = puzzle.run if shown is not None else digest(repr(puzzle.cipher))
    return build_decipher(
        board, methods, name=name, pins=numbered(board, dict(puzzle.pins)), step=opening,
        going=shown is not None and shown.going, goes=st.session_state.get(PAGE.key("goes"), 0),
        code=reproducing_code(puzzle),
    )  # fmt: skip


def _unread(method):
    return {"name": method.name, "kind": method.kind, "message": "", "status": "ready", "readings": []}


def _method(method, snapshot, made, desk):
    status = "solved" if desk.solved(snapshot) else snapshot.status
    readings = [(one.reading, one.packed) for one in made]
    return _unread(method) | {"message": snapshot.message, "status": status, "readings": readings}


def _footer(puzzle, payload):
    """Where the text is from, and the view as a file."""
    told, place = st.columns([9, 3], vertical_alignment="center")
    told.caption(plain(subject_of(puzzle).told))
    with place.container(horizontal_alignment="right"):
        st.download_button(
            "Save as HTML", lambda: decipher_html(payload, "A cipher being read"), "decipher.html", "text/html",
            on_click="ignore", icon=":material/download:", key=PAGE.key("html"),
            help="One file with this view; its passes can be played in it, offline.",
        )  # fmt: skip
