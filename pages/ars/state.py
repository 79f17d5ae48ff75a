"""The ARS page in one session."""

from typing import Any

from pages.ars.question import ArsQuestion
from pages.shell.state import PageState
from rcmviz.tasks.sms.keypad import KEYS, LETTERS, PUNCTUATION_KEY

KEYPAD = [[key, LETTERS.get(key, ".,?!" if key == PUNCTUATION_KEY else "")] for key in KEYS]


class ArsState(PageState[ArsQuestion]):
    """The view begins at the first round of a proof; its keypad stays if a message cannot be read."""

    def view_state(self, question: ArsQuestion, opening: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the position of the view, and the typed message."""
        state = super().view_state(question, opening)
        if question.has_rounds and question.asks == "decode":
            state = {"round": 1} | state
        if question.tab == "keypad":
            state = state | {"keypad": {"message": question.message, "keys": KEYPAD}}
        return state


STATE = ArsState("ars", ArsQuestion())
