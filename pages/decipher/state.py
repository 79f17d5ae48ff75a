"""One session's Decipher page: its puzzle, in the widgets and in the link, and the session of EM that it started."""

from dataclasses import replace

from pages.decipher import run as decipher_run
from pages.decipher.link import Puzzle
from pages.shared.linked_page import Page

PAGE = Page("decipher", Puzzle())


def open_puzzle():
    """(Puzzle, number of the pass to show or None, notices) of this run."""
    puzzle, opening, notices = PAGE.open()
    return puzzle, (opening or {}).get("at") or None, notices


def current_session(puzzle):
    """The session of the run that the puzzle names, if it is remembered and reads the same cipher; else None."""
    session = decipher_run.session_of(puzzle.run)
    return session if session is not None and session.puzzle.cipher == puzzle.cipher else None


def has_changed(puzzle, session):
    """Whether the settings are other ones than those of the run."""
    usual = {"pins": (), "run": "", "passes": Puzzle.passes, "pace": Puzzle.pace}
    return session is None or replace(puzzle, **usual) != replace(session.puzzle, **usual)


def start(puzzle):
    """The session of a new run in place of the one before; ValueError says why not."""
    run, session = decipher_run.start(puzzle, replaces=puzzle.run or None)
    PAGE.put(run=run.name)
    return session


def pin(puzzle, symbol, label):
    """A symbol stands for a label, for that one alone, or is free again (None); ValueError names what cannot be."""
    pins = {s: y for s, y in puzzle.pins if s != symbol and y != label}
    if label is not None:
        pins[symbol] = label
    session = current_session(puzzle)
    decipher_run.numbered(decipher_run.subject_of(puzzle).layout, pins)
    if session is not None:
        session.pin(pins)
    PAGE.put(pins=tuple(pins.items()))
