"""The declaration of Step, Compare and Your own example: one question, three pages."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from pages.shell.capability import Capability, Deferred, Payload
from pages.shell.formula import Formula
from pages.shell.state import PageState
from pages.word import facts, runs, tabs
from pages.word.answer import answer, found_strips, strips_of, watch_strips
from pages.word.code import reproducing_code
from pages.word.inputs import WordInputs, load
from pages.word.question import WordQuestion
from pages.word.state import WordPage
from pages.word.what_if import show_edits, take_what_if
from rcmviz.views.mass_flow import WITH_DETAILS

Draw = Callable[[PageState[WordQuestion], WordQuestion], None]

COVERAGE = Formula(
    r"\sum_{c\ \text{kept}} m(c) \,+ \sum_{c\ \text{merged}} m(c) \,= 1",
    "*c*: a candidate of the position. *m*: its forward mass, as a share of all. RCMS keeps the whole sum; what a beam "
    "drops is missing from it.",
)


def word_page(
    name: str,
    title: str,
    usual: WordQuestion,
    form: Draw,
    *,
    head: Draw | None = None,
    intro: str = "",
    formula: Formula | None = None,
) -> Capability[WordQuestion, WordInputs]:
    """The declaration of a page that opens with the question ``usual`` and has this ``head`` and ``form``."""
    state = WordPage(name, usual)
    return Capability(
        name=name,
        title=title,
        question=WordQuestion,
        usual=usual,
        state_class=WordPage,
        load=load,
        answer=answer,
        notes=_notes,
        warnings=_warnings,
        code=_code,
        head=head,
        intro=intro,
        form=form,
        above=lambda state, question: show_edits(state, keeps_room=False),
        view=WITH_DETAILS,
        heading=_heading,
        reruns="view",
        on_change=_take_change,
        deferred=Deferred(parts=strips_of, watch=watch_strips, all_parts=found_strips),
        formula=formula,
        below=partial(_show_tabs, state),
        facts=facts,
    )


def _code(question: WordQuestion, inputs: WordInputs) -> str:
    settings = inputs.settings
    return reproducing_code(settings.subject, settings.methods, settings.options, settings.edits)


def _notes(inputs: WordInputs) -> Iterable[str]:
    subject = inputs.settings.subject
    return [runs.origin_of(subject)] if subject.source == "kassel" else []


def _warnings(inputs: WordInputs) -> Iterable[str]:
    return inputs.warnings


def _heading(payload: Payload) -> str:
    names = ", ".join(run["name"] for run in payload["player"]["runs"])
    return f"{payload['title']} · {names}" if payload["title"] else "rcmviz"


def _take_change(state: Any, values: Mapping[str, Any]) -> None:
    """The player asks for an edit, is looked at in another way, or has come to rest somewhere."""
    if asked := values.get("what_if"):
        take_what_if(state, asked)
    elif "looks" in values:
        state.commit_looks(values["looks"] or {})
    elif "what_if" not in values:
        state.commit_place(values.get("position"), values.get("node"))


def _show_tabs(state: WordPage, question: WordQuestion, payload: Any) -> None:
    settings = load(question).settings
    finished = runs.all_finished(settings.subject, settings.methods, settings.options, settings.edits)
    tabs.show(state, settings, finished)
