"""One session's Decipher page: its puzzle, in the widgets and in the link, and the session of EM that it started."""

from pages.decipher import run as decipher_run
from pages.decipher.pins import numbered
from pages.decipher.question import DecipherQuestion
from pages.decipher.texts import subject_of
from pages.shell.state import PageState

PAGE: PageState[DecipherQuestion] = PageState("decipher", DecipherQuestion())


def current_session(puzzle):
    """The session of the run that the puzzle names, if it is remembered and reads the same cipher; else None."""
    session = decipher_run.session_of(puzzle.run)
    return session if session is not None and session.puzzle.cipher == puzzle.cipher else None


def has_changed(puzzle, session):
    """Whether the settings are other ones than those of the run."""
    return session is None or _settings_of(puzzle) != _settings_of(session.puzzle)


def _settings_of(puzzle):
    """What a run is started with, but for what is pinned."""
    return puzzle.changed(pins=(), since=0, run="", passes=DecipherQuestion.passes, pace=DecipherQuestion.pace)


def start(puzzle, origin=None):
    """The session of a new run in place of the one before; ValueError says why not."""
    run, session = decipher_run.start(puzzle, replaces=puzzle.run or None, origin=origin)
    PAGE.put(run=run.name)
    return session


def pinned(puzzle, symbol, label):
    """What is known as pairs (symbol, label), once a symbol stands for a label, for that one alone, or is free again
    (None); ValueError names what cannot be.
    """
    pins = {s: y for s, y in puzzle.pins if s != symbol and y != label}
    if label is not None:
        pins[symbol] = label
    numbered(subject_of(puzzle).layout, pins)
    return tuple(pins.items())


def pin(puzzle, session, pins):
    """Other things are known from the next pass on."""
    if session is not None:
        session.pin(dict(pins))
    began = puzzle.since if puzzle.pins else session.latest_pass if session is not None else 0
    PAGE.put(pins=pins, since=began if pins else 0)


def branch(puzzle, pins, shown, at):
    """A run that goes on from the pass ``at`` of what is ``shown``, with what is known now, up to where that has come;
    ValueError says why not.
    """
    since = at if pins else 0
    origin = decipher_run.Origin(at, shown, branches=True)
    session = start(puzzle.changed(pins=pins, since=since), origin)
    PAGE.put(pins=pins, since=since)
    session.request_up_to(max(shown.last, at + 1))
    return session


def go_on(puzzle, shown):
    """A run that goes on from the end of what is ``shown``, a recorded one; ValueError says why not."""
    session = start(puzzle, decipher_run.Origin(shown.last, shown, branches=False))
    session.request_up_to(shown.last)
    return session
