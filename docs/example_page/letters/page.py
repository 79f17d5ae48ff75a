"""Letters: RCMS reads a handwritten word; the most probable letters of each position."""

from dataclasses import dataclass
from pathlib import Path

import rcmviz as rv
from pages.shell import fields
from pages.shell.capability import Capability, Payload
from pages.shell.question import Question
from rcmviz.tasks.handwriting.pen import write_word
from rcmviz.tasks.handwriting.problems import word_emissions
from rcmviz.views.shared.view import View


@dataclass(frozen=True)
class LettersQuestion(Question):
    """A word, and how many contexts are kept."""

    word: str = fields.text("word", "letters", max_chars=20, label="Word", width=5, always=True, help="Letters a to z.")
    budget: int = fields.integer("budget", 10, 1, 500, label="Budget", help="Contexts kept at each position.")


def answer(question: LettersQuestion) -> Payload:
    """The three most probable letters of each position."""
    model, word = rv.load_model("handwriting-pen"), write_word(question.word.strip().lower(), seed=0)
    lattice, _ = rv.rcms(model, word_emissions(model, word), budget=question.budget)
    columns = [
        [[model.labels[y], round(float(p[y]), 3)] for y in (-p).argsort()[:3]] for p in rv.posterior(lattice).label
    ]
    return {"id": f"{question.word} {question.budget}", "title": question.word, "columns": columns}


def code(question: LettersQuestion, _: LettersQuestion) -> str:
    """Python source that computes the same."""
    return (
        "import rcmviz as rv\n"
        "from rcmviz.tasks.handwriting.pen import write_word\n"
        "from rcmviz.tasks.handwriting.problems import word_emissions\n\n"
        f'model = rv.load_model("handwriting-pen")\nword = write_word({question.word!r}, seed=0)\n'
        f"lattice, _ = rv.rcms(model, word_emissions(model, word), budget={question.budget})\n"
        "print(rv.posterior(lattice).label)\n"
    )


PAGE: Capability[LettersQuestion, LettersQuestion] = Capability(
    name="letters",
    title="Letters: how sure is each?",
    intro="RCMS reads a handwritten word. Each position shows its three most probable letters.",
    question=LettersQuestion,
    answer=answer,
    code=code,
    view=View("letters", Path(__file__).with_name("view.js")),
)
