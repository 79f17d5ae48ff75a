"""A view of a page: a plausible link is opened without a browser, and widgets are moved within what they offer."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch
from urllib.parse import urlencode

from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Widget
from streamlit.util import calc_hash

from fuzz.page_links import TEXTS, Query, plausible_link
from rcmviz.jobs.host import this_host

ROOT = Path(__file__).parents[1]
MAIN = ROOT / "pages" / "_main.py"
SECONDS = 7.0  # of CPU time for one run of a page: adaptive rejection may take five
ASLEEP = 120.0  # seconds without CPU time
MOST_MOVES = 4

# A session asks every installed distribution whether it has components: a quarter of a second. Once is enough.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


@dataclass
class Outcome:
    """The outcome of a view: its ``link``, the ``moves`` of widgets, the ``faults`` (place and message), and the CPU
    time of its longest run in ``seconds``.
    """

    page: str
    seed: int
    link: str
    moves: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0


class TooLong(ValueError):
    """Raised for an answer that a worker process would compute: it is left out."""


class _NoProcess:
    """Replaces the worker processes of long computations."""

    def compute(self, function: Any, *given: Any, **options: Any) -> Any:
        raise TooLong("an answer that takes so long is not fuzzed")


@contextmanager
def only_short_answers(seconds: float) -> Any:
    """Make pages compute answers of at most this estimated time in this process, and refuse longer ones."""
    with (
        patch("pages.shell.computing.SMALL_SECONDS", seconds),
        patch("pages.shell.computing.shared_calls", _NoProcess),
    ):
        yield


def open_with_link(page: str, query: Query, timeout: float = ASLEEP) -> AppTest:
    """A session whose first request is this page with this link."""
    session = AppTest.from_file(MAIN, default_timeout=timeout)
    session.session_state["details.shown"] = True  # unless the link has details=0
    session._page_hash = calc_hash(page)  # a page is a function, not a file: AppTest knows it by its hash
    for name, value in query.items():
        session.query_params[name] = value
    return session.run()


def view(page: str, seed: int, printed: Callable[[], str] = str) -> Outcome:
    """Open the view of a seed; ``printed()`` returns the errors printed since its last call."""
    random = Random(f"{page} {seed}")
    query = plausible_link(page, random)
    outcome = Outcome(page, seed, f"/{page}?{urlencode(query, doseq=True, errors='replace')}")
    session = _run(outcome, lambda: open_with_link(page, query))
    owner = session.session_state["visitor"] if session and "visitor" in session.session_state else None
    for _ in range(random.randrange(MOST_MOVES + 1)):
        widgets = [] if session is None else [widget for widget in _elements(session) if _can_move(widget)]
        if outcome.faults or not widgets:
            break
        widget = random.choice(widgets)
        value = plausible_setting(widget, random)
        outcome.moves.append(f"{widget.key or widget.proto.label} = {str(value)[:40]!r}")
        widget.set_value(value)
        session = _run(outcome, session.run)
    this_host().close_all(owner)
    if "Traceback (most recent call last)" in (errors := printed()) and not outcome.faults:
        outcome.faults.append(_place(errors.splitlines()))
    return outcome


def _run(outcome: Outcome, run: Callable[[], AppTest]) -> Any:
    """Run a page and record its faults."""
    begin = time.process_time()
    try:
        session = run()
    except ValueError:  # Streamlit's tests cannot move anything next to a select box that shows no option
        return None
    except Exception as error:
        outcome.faults.append(f"{type(error).__name__}: {str(error)[:200]}")
        return None
    seconds = time.process_time() - begin
    outcome.seconds = max(outcome.seconds, seconds)
    for error in session.exception:
        if error.proto.type.endswith(TooLong.__name__):
            return None
        outcome.faults.append(f"{_place(error.stack_trace)}: {error.proto.type}: {error.message[:200]}")
    if seconds > SECONDS:
        outcome.faults.append(f"more than {SECONDS:g} s of CPU time")
    return session


def _elements(session: Any) -> list[Any]:
    return [*session.main, *session.sidebar]


def _place(trace: list[str]) -> str:
    """The last line of ours in a traceback."""
    lines = [line for line in trace if f'File "{ROOT}/pages/' in line or f'File "{ROOT}/rcmviz/' in line]
    found = lines[-1].split("\n")[0].strip().removeprefix(f'File "{ROOT}/') if lines else "outside"
    return found.replace('"', "")


def _can_move(element: Any) -> bool:
    return isinstance(element, Widget) and element.type in SETTINGS and not getattr(element.proto, "disabled", False)


def plausible_setting(widget: Any, random: Random) -> Any:
    """A value that a widget offers."""
    return SETTINGS[widget.type](widget, random)


class _Label(str):
    """The label of an option that cannot be looked up: functions that format options fail on it."""

    __hash__ = None  # type: ignore[assignment]


def _option_named(widget: Any, label: str) -> Any:
    """The option that a widget shows so; AppTest asks for options themselves, and knows their labels only."""
    names = getattr(widget.format_func, "__self__", None)  # dict.get
    for option in (label, *(names if isinstance(names, dict) else ()), int(label) if label.isdecimal() else label):
        with suppress(Exception):
            if widget.format_func(option) == label:
                return option
    return _Label(label)


def _option(widget: Any, random: Random) -> Any:
    return _option_named(widget, random.choice(widget.options)) if widget.options else None


def _options(widget: Any, random: Random) -> Any:
    if widget._is_single_select:
        return _option(widget, random)
    chosen = random.sample(widget.options, random.randint(0, len(widget.options)))
    return [_option_named(widget, label) for label in chosen]


def _number(widget: Any, random: Random) -> Any:
    low, high, value = widget.min or 0, widget.max or 10**9, widget.value
    kind = type(low) if value is None else type(value)
    step = widget.step or 1
    chosen = random.choice(
        (low, high, low + step, (value or low) + step, (value or low) - step, random.uniform(low, high))
    )
    return kind(min(max(chosen, low), high))


def _text(widget: Any, random: Random) -> str:
    longest = widget.proto.max_chars or 10_000
    return random.choice((*TEXTS, "a" * longest, "a b " * (longest // 4)))[:longest]


SETTINGS: dict[str, Callable[[Any, Random], Any]] = {
    "button": lambda widget, random: True,
    "download_button": lambda widget, random: True,
    "checkbox": lambda widget, random: not widget.value,
    "toggle": lambda widget, random: not widget.value,
    "selectbox": _option,
    "radio": _option,
    "select_slider": _option,
    "button_group": _options,
    "number_input": _number,
    "slider": _number,
    "text_input": _text,
    "text_area": _text,
}
