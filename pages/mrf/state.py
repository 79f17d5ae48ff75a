"""The state of Field in a session: its question, with words of the map that its text has."""

from typing import Any

from pages.mrf.question import MrfQuestion
from pages.mrf.texts import text_of
from pages.word.what_if import EditedPage


class MrfState(EditedPage):
    """The state of Field; a notice names the words of a link that the text to learn from does not have."""

    def open(self, first: MrfQuestion | None = None) -> tuple[MrfQuestion, Any, list[str]]:
        """(Question, opening, notices) of this run."""
        asked, opening, notices = super().open(first)
        unknown = _unknown_words(asked)
        if unknown:
            asked = asked.changed(words=tuple(word for word in asked.words if word not in unknown))
            self.show(asked, ("words",))
            self.keep(asked)
            said = ", ".join(f"`{word[:40]}`" for word in unknown)
            notices = [*notices, f"the map leaves out {said}: no such word in the text that is learnt from"]
        return asked, opening, notices


def _unknown_words(asked: MrfQuestion) -> list[str]:
    """The words of the map that the text of a question does not have."""
    if asked.tab != "learning" or not asked.words:
        return []
    try:
        vocabulary = text_of(asked).vocabulary
    except ValueError:  # the page says so
        return []
    return [word for word in asked.words if word not in vocabulary.words]


PAGE = MrfState("field", MrfQuestion())
