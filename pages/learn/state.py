"""The Learn page in one session, and the run that it has started."""

from typing import Any

from pages.learn.question import LearnQuestion
from pages.shell.state import PageState
from pages.shell.training import run_of, start_question


class LearnState(PageState[LearnQuestion]):
    """The state of Learn; its address without parameters opens the recorded run again."""

    resets_without_params = True


def current_run() -> Any:
    """Return the run of this session, or None."""
    return run_of(STATE)


def current_plan() -> Any:
    """Return the question that the run was started with, or None."""
    return start_question(STATE)


STATE = LearnState("learn", LearnQuestion())
