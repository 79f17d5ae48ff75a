"""Open a line of the cipher in the player, with the emissions that a method has learnt at a pass of EM.

Passes hold no emissions, which would be too large; they are computed again, with the pins that each pass had.
"""

from dataclasses import replace
from functools import lru_cache, partial

import numpy as np
import streamlit as st

from pages.decipher.pins import pins_by_name
from pages.decipher.run import DecipherTrainer, EmSettings
from pages.decipher.texts import subject_of
from pages.shell.computing import compute
from pages.word.open_line import EXACT, open_line, write_line
from rcmviz.lm.text import BLANK
from rcmviz.tasks.chain import problem_of_line
from rcmviz.tasks.decipher.letter_model import LETTERS
from rcmviz.tasks.decipher.letters import BLANK_NUMBER, SYMBOLS

SECONDS_PER_PASS = 0.05  # roughly
LONGEST = 60  # letters and blanks of a cryptogram; more would take seconds to open
SPINNER = "Computing the emissions of this pass again …"


def open_cipher_line(puzzle, shown, at, method, line):
    """Leave the page for Your own example; ValueError says why the line cannot be opened.

    ``shown`` is the ShownRun, ``at`` the pass from 1, ``method`` and ``line`` are numbers from 0.
    """
    with st.spinner(SPINNER):
        problem, has_exact = line_problem(puzzle, shown, at, method, line)
    methods = [one for one in puzzle.methods if one != EXACT]
    open_line(problem, [*methods, *([EXACT] if has_exact else [])])


def line_problem(puzzle, shown, at, method, line):
    """Return ``(problem, has_exact)`` of a line; the title says which pass it is and what was left out."""
    at = min(at, len(shown.pins[method])) if shown is not None and method < len(shown.pins) else 0
    if at < 1:
        raise ValueError("this method has made no pass yet: start it first")
    pins = tuple(tuple(sorted(each.items())) for each in shown.pins[method][:at])
    settled = puzzle.changed(pins=(), since=0, run="")
    model, emission, counts = _state_after(settled, subject_of(puzzle), puzzle.methods[method], pins)
    symbols, gold, tokens, is_whole = _line_of(puzzle, line)
    write = partial(_write, model, emission, counts, symbols, is_whole, gold=gold, tokens=tokens)
    problem, most, has_exact = write_line(write)
    title = f"{_name_of(puzzle, line, symbols, is_whole)}, {puzzle.methods[method].name} after pass {at}"
    title += f": the {most} likeliest {subject_of(puzzle).layout.term}s of each symbol" if most else ""
    return replace(problem, title=title), has_exact


@lru_cache(maxsize=4)
def _state_after(puzzle, subject, method, pins):
    settings = EmSettings(method.kind, method.budget)
    return compute(SECONDS_PER_PASS * len(pins), em_state, puzzle, subject, settings, pins)


def em_state(puzzle, subject, settings, pins):
    """Return ``(model, emission, counts)`` after as many passes as there are ``pins``, pairs by number."""
    trainer = DecipherTrainer((puzzle, subject), settings)
    for each in pins:
        trainer.advance(pins=pins_by_name(subject.layout, dict(each)))
    return trainer.model, trainer.found.emission, trainer.found.counts


def _write(model, emission, counts, symbols, is_whole, **options):
    """Return the problem of a line, with the end of the text if it ``is_whole``."""
    log_emit, rank = (np.full((len(symbols) + is_whole, len(model.labels)), -np.inf) for _ in range(2))
    with np.errstate(divide="ignore"):
        log_emit[: len(symbols), :-1] = np.log(emission[symbols])
    rank[: len(symbols), :-1] = counts[symbols]
    if is_whole:
        log_emit[-1, -1] = rank[-1, -1] = 0.0
    return problem_of_line(model, log_emit, rank, **options)


def _line_of(puzzle, line):
    """Return ``(symbols, gold, tokens, is_whole)``: numbers, right labels if known, names, whether the line is whole.

    Of a cryptogram, which is one line, the first words.
    """
    cipher = subject_of(puzzle).cipher
    if puzzle.kind == "words":
        symbols = cipher.lines[line]
        gold = () if cipher.key is None else cipher.words(symbols)
        return symbols, gold, [cipher.symbols[x] for x in symbols], True
    symbols = cipher.numbers
    is_whole = len(symbols) <= LONGEST
    if not is_whole:
        blanks = np.flatnonzero(symbols[: LONGEST + 1] == BLANK_NUMBER)
        symbols = symbols[: blanks[-1] if len(blanks) else LONGEST]
    names = [*SYMBOLS, BLANK]
    gold = () if cipher.key is None else [[*(LETTERS[y] for y in cipher.key), BLANK][x] for x in symbols]
    return symbols, gold, [names[x] for x in symbols], is_whole


def _name_of(puzzle, line, symbols, is_whole):
    if puzzle.kind == "words":
        return f"Line {line + 1} of the cipher"
    return "The cryptogram" if is_whole else f"The first {len(symbols)} letters and blanks of the cryptogram"
