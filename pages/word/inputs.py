"""The inputs of a question about a word: its settings, with the methods that can be shown."""

from dataclasses import dataclass

from pages.word import runs
from pages.word.edits import only
from pages.word.question import WordQuestion


@dataclass(frozen=True, eq=False)
class WordInputs:
    """The ``settings`` with the methods that have an output, and the names of those that have ``lost`` every output."""

    settings: WordQuestion
    lost: tuple[str, ...]


def load(question: WordQuestion) -> WordInputs:
    """Run the methods that were not run yet; ValueError says why there is no answer and what to do."""
    finished = runs.all_finished(question.subject, question.methods, question.options, question.edits)
    numbers = runs.with_outputs(finished)
    lost = (run.name for number, run in enumerate(finished, 1) if number not in numbers)
    return WordInputs(only(question, numbers), tuple(lost))
