"""The Decipher page in one session: its puzzle in widgets and link, and its session of EM."""

from pages.decipher import run as decipher_run
from pages.decipher.pins import pins_by_number
from pages.decipher.question import DecipherQuestion
from pages.decipher.texts import subject_of
from pages.shell.state import PageState

PAGE: PageState[DecipherQuestion] = PageState("decipher", DecipherQuestion())


def current_session(puzzle):
    """Return the session of the run that the puzzle names, if it is in memory and reads the same cipher; else None."""
    session = decipher_run.session_of(puzzle.run)
    return session if session is not None and session.puzzle.cipher == puzzle.cipher else None


def has_changed(puzzle, session):
    """Whether the settings differ from those of the run."""
    return session is None or _settings_of(puzzle) != _settings_of(session.puzzle)


def _settings_of(puzzle):
    """Return the settings of a run without its pins."""
    return puzzle.changed(pins=(), since=0, run="", passes=DecipherQuestion.passes, pace=DecipherQuestion.pace)


def start(puzzle, origin=None):
    """Start a run in place of the previous one and return its session; ValueError says why it is refused."""
    run, session = decipher_run.start(puzzle, replaces=puzzle.run or None, origin=origin)
    PAGE.put(run=run.name)
    return session


def change_pin(puzzle, symbol, label):
    """Return the pins once a symbol is pinned to a label, no other symbol is, or the symbol is freed (None).

    ValueError names an invalid pin.
    """
    pins = {s: y for s, y in puzzle.pins if s != symbol and y != label}
    if label is not None:
        pins[symbol] = label
    pins_by_number(subject_of(puzzle).layout, pins)
    return tuple(pins.items())


def pin(puzzle, session, pins):
    """Set the pins from the next pass on."""
    if session is not None:
        session.pin(dict(pins))
    began = puzzle.since if puzzle.pins else session.latest_pass if session is not None else 0
    PAGE.put(pins=pins, since=began if pins else 0)


def branch(puzzle, pins, shown, at):
    """Start a run that branches off ``shown`` after the pass ``at`` with the current pins, up to the end of ``shown``.

    ValueError says why it is refused.
    """
    since = at if pins else 0
    origin = decipher_run.Origin(at, shown, branches=True)
    session = start(puzzle.changed(pins=pins, since=since), origin)
    PAGE.put(pins=pins, since=since)
    session.request_up_to(max(shown.last, at + 1))
    return session


def resume_recorded(puzzle, shown):
    """Start a run that continues the recorded run ``shown``; ValueError says why it is refused."""
    session = start(puzzle, decipher_run.Origin(shown.last, shown, branches=False))
    session.request_up_to(shown.last)
    return session
