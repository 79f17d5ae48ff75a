"""The inputs of a question about a word: its settings, with the methods that can be shown."""

from collections.abc import Iterator
from dataclasses import dataclass

from pages.word import runs
from pages.word.edits import only
from pages.word.question import WordQuestion
from rcmviz.views.mass_flow.word import MOST_ARCS


@dataclass(frozen=True, eq=False)
class WordInputs:
    """The ``settings`` with the methods that have an output, and ``warnings`` about the methods."""

    settings: WordQuestion
    warnings: tuple[str, ...]


def load(question: WordQuestion) -> WordInputs:
    """Run the methods that were not run yet; ValueError says why there is no answer and what to do."""
    finished = runs.all_finished(question.subject, question.methods, question.options, question.edits)
    numbers = runs.runs_with_outputs(finished)
    shown = [finished[number - 1] for number in numbers]
    lost = [run for number, run in enumerate(finished, 1) if number not in numbers]
    return WordInputs(
        only(question, numbers), (*_lost_warnings(lost), *_unused_edits_warnings(shown), *_large_warnings(shown))
    )


def _lost_warnings(lost: list[runs.FinishedRun]) -> Iterator[str]:
    for run in lost:
        yield f"{run.name} lost every output: no context that it kept can be completed. Raise its budget."


def _unused_edits_warnings(shown: list[runs.FinishedRun]) -> Iterator[str]:
    why = "exact keeps every context, beams keep only full histories, draws follow labels"
    for unused in dict.fromkeys(run.unused for run in shown if run.unused):
        names = " and ".join(run.name for run in shown if run.unused == unused)
        yield f"{names} cannot follow: {', '.join(map(str, unused))} ({why})."


def _large_warnings(shown: list[runs.FinishedRun]) -> Iterator[str]:
    for run in shown:
        if run.is_large:
            yield (
                f"{run.name} has more than {MOST_ARCS:,} arcs, too many for the picture: only the details are shown. "
                "Choose a shorter text, a smaller budget or another method."
            )
