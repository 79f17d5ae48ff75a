"""One session's Decipher page: its puzzle, in the widgets and in the link, and the desk of the run that it started."""

from dataclasses import fields, replace

from pages.decipher import run as decipher_run
from pages.decipher.settings import PARAMETERS, PLACE, Puzzle, read_puzzle, write_puzzle
from pages.shared.linked import Linked

PAGE = "decipher"
NO_WIDGET = ("pins", "run", "upload")
WIDGETS = tuple(field.name for field in fields(Puzzle) if field.name not in NO_WIDGET)


def cipher_of(puzzle):
    """The puzzle of which nothing but the cipher is told."""
    names = ("kind", "text", "own", "plain", "sentences", "upload", "seed")
    return replace(Puzzle(), **{name: getattr(puzzle, name) for name in names})


def _without_old_pins(before, puzzle):
    """What was pinned in another cipher means nothing in this one."""
    return puzzle if cipher_of(puzzle) == cipher_of(before) else replace(puzzle, pins=())


_PUZZLE = Linked(PAGE, Puzzle(), WIDGETS, read_puzzle, write_puzzle, PARAMETERS, PLACE, _without_old_pins)


def open_puzzle():
    """(Puzzle, opening, notices) of this run."""
    return _PUZZLE.open()


def open_upload():
    """The digest of the texts of one's own."""
    return _PUZZLE.known.upload


def change(**changes):
    """A callback's change of the puzzle."""
    _PUZZLE.change(**changes)


def my_desk(puzzle):
    """The desk of the run that the puzzle names, if it is remembered and reads the same cipher; else None."""
    desk = decipher_run.desk_of(puzzle.run)
    return desk if desk is not None and cipher_of(desk.puzzle) == cipher_of(puzzle) else None


def has_changed(puzzle, desk):
    """Whether the settings are other ones than those of the run."""
    usual = {"pins": (), "run": "", "passes": Puzzle.passes, "pace": Puzzle.pace}
    return desk is None or replace(puzzle, **usual) != replace(desk.puzzle, **usual)


def start(puzzle):
    """The desk of a new run in place of the one before; ValueError says why not."""
    run, desk = decipher_run.start(puzzle, replaces=puzzle.run or None)
    _PUZZLE.put(run=run.name)
    return desk


def pin(puzzle, symbol, label):
    """A symbol stands for a label, for that one alone, or is free again (None); ValueError names what cannot be."""
    pins = {s: y for s, y in puzzle.pins if s != symbol and y != label}
    if label is not None:
        pins[symbol] = label
    desk = my_desk(puzzle)
    decipher_run.numbered(decipher_run.subject_of(puzzle).board, pins)
    if desk is not None:
        desk.pin(pins)
    _PUZZLE.put(pins=tuple(pins.items()))
