"""The answer to a question about a word: what each method keeps, merges and drops, position by position."""

from pages.word import blame, runs
from pages.word.inputs import WordInputs, load
from pages.word.question import WordQuestion
from pages.word.trust import trust_of
from rcmviz.views.shared.packed import Packed, pack


def answer(inputs: WordInputs) -> Packed:
    """What the view draws, but for the place where it opens and the strips of budgets."""
    settings = inputs.settings
    return pack(
        runs.word_payload(
            settings.subject, settings.methods, settings.options, settings.edits, trust=trust_of(settings)
        )
    )


def strips_of(question: WordQuestion) -> dict:
    """The strips of budgets that are found by now."""
    return {"strips": blame.strips_of(load(question).settings)}


def found_strips(question: WordQuestion) -> dict:
    """All strips of budgets; waits for them."""
    return {"strips": blame.found_strips(load(question).settings)}


def watch_strips(question: WordQuestion, parts: dict) -> None:
    """Run the page again when more strips are found than those that are shown."""
    blame.look_again(load(question).settings, parts["strips"])
