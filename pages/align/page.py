"""Align: the alignment of sounds and letters without labelled alignments, and five strategies that learn it."""

from typing import Any

import streamlit as st

from pages.align import facts
from pages.align.answer import answer, takes_long
from pages.align.code import picture_code
from pages.align.examples import EXAMPLES
from pages.align.inputs import UTTERANCES_NOTE, AlignInputs, data_role, load, load_training
from pages.align.question import (
    OPENS_WITH,
    SOURCE_NAMES,
    STRATEGY_NAMES,
    AlignQuestion,
    AlignViewState,
    learning_summary,
    summary,
)
from pages.align.training import TRAININGS, caption, take_choice
from pages.shell.capability import Capability, Payload, Tab
from pages.shell.formula import Formula
from pages.shell.state import PageState
from rcmviz.views.align import LEARNING_VIEW, VIEW


def model_caption(question: AlignQuestion, payload: Payload) -> str:
    """Return a line about the picture's model and whether it has seen the word."""
    number, noun = (question.step, "example") if question.step else (question.epochs, "epoch")
    when = f"after {number:,} {noun}{'s' * (number > 1)}"
    examples = "" if question.source == "lexicon" else f", {question.words} of them"
    return (
        f"Model: order {question.order}, trained by {STRATEGY_NAMES[question.learned]} {question.budget} on "
        f"{SOURCE_NAMES[question.source][0].lower()}{SOURCE_NAMES[question.source][1:]}{examples}, {when}"
        f"{''.join(_changed_settings(question))}. {_role_caption(question)}"
    )


def _changed_settings(question: AlignQuestion) -> Any:
    """Yield the settings of the model that differ from the defaults."""
    for name, letter in (("eta", "η"), ("delta", "δ")):
        if getattr(question, name) != getattr(AlignQuestion(), name):
            yield f", {letter} = {getattr(question, name):g}"
    if question.mode == "single":
        yield ", of the longest features only"
    if not question.joined:
        yield ", contexts as they are"
    if question.average:
        yield ", weights averaged"


def _role_caption(question: AlignQuestion) -> str:
    """Return whether the word was in the training data: a memorized spelling proves little."""
    if not question.word.strip():
        return ""
    origins = {"learned from": "is one of its training examples", "held out": "was held out", None: "is new to it"}
    return f"“{question.word.strip()}” {origins[data_role(question)]}."


def draw_training_button(state: PageState[AlignQuestion], question: AlignQuestion) -> None:
    """Draw a button to the learning tab if the model takes long to train."""
    try:
        if not takes_long(question):
            return
    except ValueError:  # the data are missing, which the view reports
        return
    st.button(
        f"Train {STRATEGY_NAMES[question.learned]} on the other tab",
        key=state.key("there"),
        icon=":material/school:",
        on_click=state.change,
        kwargs={"tab": "learning", "strategies": (question.learned,)},
    )


PAGE: Capability[AlignQuestion, AlignInputs] = Capability(
    name="align",
    title="Align sounds with letters",
    title_widths=(5, 8),
    question=AlignQuestion,
    opens_with=OPENS_WITH,
    examples=EXAMPLES,
    examples_hint="Words to begin with.",
    examples_widths=(6, 6),
    more_label="Model",
    view=VIEW,
    view_state=lambda place: {name: place[name] for name in AlignViewState.parameters() if name in place},
    heading=lambda payload: "Sounds and letters",
    tabs={
        "picture": Tab(
            intro="Which letters of a word belong to which of its sounds? The model was trained on words and their "
            "sounds, without alignments. RCMS merges the contexts over the budget; a beam drops them.",
            summary=summary,
            load=load,
            answer=answer,
            code=lambda question, inputs: picture_code(question),
            spinner="Training the model (the very first time its kernels are compiled: a minute)",
            above=draw_training_button,
            caption=model_caption,
            formula=Formula(
                r"P(e) = \frac{\text{forward}(e) \cdot \exp s(e) \cdot \text{backward}(e)}{Z}",
                "*e*: an edge from a phone to a letter. *P*: its probability. *s*: its score. *forward*, *backward*: "
                "the mass of all paths that lead to it and on from it. *Z*: the mass of all alignments.",
            ),
        ),
        "learning": Tab(
            intro="The data do not say which letter belongs to which sound. A method learns from a word only if it "
            "keeps an alignment with the right letters: RCMS always has one, a beam by the model hardly ever.",
            layout="popover",
            summary=learning_summary,
            load=load_training,
            notes=lambda question: [UTTERANCES_NOTE] if question.source == "utterances" else [],
            training=TRAININGS,
            on_change=take_choice,
            view=LEARNING_VIEW,
            caption=caption,
            formula=Formula(
                r"\nabla \log P(y \mid x) = \sum_e \big( P(e \mid x, y) - P(e \mid x) \big) \, \varphi(e)",
                "*x*: the sounds. *y*: the letters. *e*: an edge between them, *φ* its features. *P*: its "
                "probability, given these letters and given any. If no alignment with *y* is kept, there is no step.",
            ),
        ),
    },
    facts=facts,
)
