"""The state of Field in a session: its question, whose mapped words occur in its text."""

from typing import Any

from pages.mrf.question import MrfQuestion
from pages.mrf.texts import text_of
from pages.word.what_if import EditedPage


class MrfState(EditedPage):
    """The state of Field; a notice names words of a link that the training text does not have."""

    def open(self, first: MrfQuestion | None = None) -> tuple[MrfQuestion, Any, list[str]]:
        """Return (question, opening, notices) of this run."""
        question, opening, notices = super().open(first)
        unknown = _unknown_words(question)
        if unknown:
            question = question.changed(words=tuple(word for word in question.words if word not in unknown))
            self.show(question, ("words",))
            self.keep(question)
            names = ", ".join(f"`{word[:40]}`" for word in unknown)
            notices = [*notices, f"the map leaves out {names}: not in the training text"]
        return question, opening, notices


def _unknown_words(question: MrfQuestion) -> list[str]:
    """Return the mapped words that the text of a question does not have."""
    if question.tab != "learning" or not question.words:
        return []
    try:
        vocabulary = text_of(question).vocabulary
    except ValueError:  # the page reports it
        return []
    return [word for word in question.words if word not in vocabulary.words]


PAGE = MrfState("field", MrfQuestion())
