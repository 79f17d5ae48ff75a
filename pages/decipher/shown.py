"""The payload of the view: the passes of a run, of the recorded one, or of none yet."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import streamlit as st

from pages.decipher import state
from pages.decipher.code import reproducing_code
from pages.decipher.pins import pins_by_number
from pages.decipher.question import OPENINGS
from pages.decipher.run import ROUND
from pages.decipher.texts import subject_of
from rcmviz.views.decipher.payload import build_decipher
from rcmviz.views.word.payload import digest

# For the default puzzle of either kind: EM to its end; for letters before any swaps.
RECORDED = {kind: Path(__file__).with_name(f"example_{kind}.json") for kind in OPENINGS}
PASSES = {"letters": ROUND, "words": 12}  # that are recorded
PAGE = state.PAGE


@dataclass(frozen=True, eq=False)
class ShownRun:
    """A run to draw: its ``name``, its ``methods`` for ``build_decipher``, and the ``pins`` per method and pass.

    Pins are {symbol: label} by number.
    """

    name: str
    methods: list
    pins: tuple

    @property
    def last(self):
        """The pass that the furthest method has reached."""
        return max(map(len, self.pins))


@cache
def recorded_run(kind):
    """Return the recorded run of the default puzzle of this kind, written by scripts/record_openings.py."""
    methods = json.loads(RECORDED[kind].read_text(encoding="utf-8"))
    return ShownRun(f"recorded {kind}", methods, (({},) * PASSES[kind],) * len(methods))


def shown_run(puzzle, session):
    """Return the ``ShownRun`` of a puzzle: of its session, or the recorded one, or None."""
    if session is None or state.has_changed(puzzle, session):
        return recorded_run(puzzle.kind) if session is None and puzzle.is_recorded else None
    if session.is_catching_up:
        return session.origin.shown
    made = zip(puzzle.methods, session.run.snapshots(), session.passes, strict=True)
    methods, pins = [], []
    for method, snapshot, passes in made:
        status = "solved" if session.solved(snapshot) else snapshot.status
        readings = [(one.reading, one.packed) for one in passes]
        methods.append(_empty_method(method) | {"message": snapshot.message, "status": status, "readings": readings})
        pins.append(tuple(one.reading.pins for one in passes))
    return ShownRun(puzzle.run, methods, tuple(pins))


def _empty_method(method):
    return {"name": method.name, "kind": method.kind, "message": "", "status": "ready", "readings": []}


def payload_of(puzzle, session, opening=None):
    """Return the payload of a puzzle, with or without a run."""
    layout, shown = subject_of(puzzle).layout, shown_run(puzzle, session)
    own = session is not None and not state.has_changed(puzzle, session)
    methods = [_empty_method(method) for method in puzzle.methods] if shown is None else shown.methods
    return build_decipher(
        layout,
        methods,
        name=digest(repr(puzzle.cipher)) if shown is None else shown.name,
        pins=pins_by_number(layout, dict(puzzle.pins)),
        step=opening,
        going=own and session.is_running,
        goes=st.session_state.get(PAGE.key("goes"), 0),
        code=reproducing_code(puzzle),
        ends=ROUND if puzzle.kind == "letters" else None,
        recorded=shown is not None and not own,
        before=_origin_of(session) if own else None,
    )


def offline_payload(puzzle):
    """Return the payload of an exported lesson: the recorded run, or None for others."""
    return payload_of(puzzle, None) if puzzle.is_recorded else None


def _origin_of(session):
    """Return the run that this one continues; a branch shows it next to its own passes once it has some."""
    if session.origin is None:
        return None
    origin, holds = session.origin, session.is_catching_up
    is_side_by_side = origin.branches and not holds
    return {"at": origin.at, "methods": origin.shown.methods if is_side_by_side else [], "holds": holds}
