"""The question of Align: the word, the model, the contexts kept, the strategies that learn."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import streamlit as st

from pages.shell import fields, link
from pages.shell.question import Question
from rcmviz.align.settings import AlignTraining
from rcmviz.align.workspace import STRATEGIES
from rcmviz.data import registry
from rcmviz.tasks.speech import examples
from rcmviz.tasks.speech.pronunciations import LEXICON

TAB_NAMES = {"picture": "One word", "learning": "Five strategies"}
TABS = tuple(TAB_NAMES)
SOURCE_NAMES = {"lexicon": "Shipped lexicon", "words": "Words of CMUdict", "utterances": "Utterances (semi-synthetic)"}
SOURCES = tuple(SOURCE_NAMES)
COMPARED = ("model", "target", "hybrid", "none")
STRATEGY_NAMES = {
    "rcms": "RCMS",
    "model": "Beam by model",
    "target": "Beam by target",
    "hybrid": "Hybrid beam",
    "forced": "Forced",
}
MODE_NAMES = {"additive": "all orders, summed", "single": "longest only"}
DECODER_NAMES = {"viterbi": "best alignment", "marginal": "sum over alignments"}
MAX_BUDGET, MAX_ORDER, MAX_EPOCHS, MAX_SEED, MOST_WORDS = 200, 6, 100, 2**31 - 1, 746
LONGEST = 300  # characters of a word or of its phones
PAPER = {"order": 5, "eta": 0.2, "delta": 1e-4, "joined": False}
# Fields that decide the training data, and the training.
DATA = ("source", "words", "seed")
TRAINING = ("seed", "budget", "order", "mode", "eta", "delta", "joined", "average", "epochs", "decoder")


def _cell(text: str) -> list[int]:
    parts = text.split(".")
    if len(parts) != 2 or not all(part.isdecimal() and len(part) < 5 for part in parts):
        raise ValueError(f"{text[:20]!r} is not a cell such as 3.4 (phone and letter)")
    return [int(part) for part in parts]


def _is_picture(question: "AlignQuestion") -> bool:
    return question.tab == "picture"


def _is_learning(question: "AlignQuestion") -> bool:
    return question.tab == "learning"


def _read_word(reader: link.Reader, question: "AlignQuestion", field: str) -> "AlignQuestion":
    usual = "" if "phones" in reader.query else question.word  # typed phones replace the word
    return replace(question, word=reader.take("word", link.at_most(LONGEST), usual))


def _strategies(text: str) -> tuple[str, ...]:
    chosen = tuple(strategy for strategy in STRATEGIES if strategy in text.split(","))
    if not chosen or set(text.split(",")) - set(STRATEGIES):
        raise ValueError(f"{text[:60]!r} are not strategies; choose from {', '.join(STRATEGIES)}")
    return chosen


def _help_of_word(question: "AlignQuestion") -> str:
    more = " in CMUdict too." if registry.find("cmudict") else "; more are known with “rcmviz data get cmudict”."
    return f"Choose a word of the lexicon, or type another one; its phones are looked up{more}"


def _phones_of_word(question: "AlignQuestion") -> str:
    try:
        return " ".join(examples.pronunciation(question.word))
    except ValueError:
        return "such as F OW N"


def _show_step(state: Any, question: "AlignQuestion", field: str) -> None:
    """Show after how many examples an early model was taken, and a button to the end of its training."""
    if question.step:
        st.caption(f"The model after {question.step:,} examples.")
        st.button("To the end of its training", on_click=state.change, kwargs={field: 0}, key=state.key("to_end"))


def _draw_paper_button(state: Any, question: "AlignQuestion", field: str) -> None:
    help_text = f"n = {PAPER['order']}, η = {PAPER['eta']}, δ = {PAPER['delta']:.0e}, contexts not joined."
    st.button("The paper's setting", on_click=state.change, kwargs=PAPER, key=state.key("paper"), help=help_text)


@dataclass(frozen=True)
class AlignViewState(link.Link):
    """The position of the picture: the selected cell, the drawn route and spelling."""

    cell: list | None = link.coded("cell", None, _cell)
    route: str | None = link.choice("route", None, ("path", "all"), fallback="path")
    asked: str | None = link.choice("asked", None, ("model", "gold"), fallback="model")


@dataclass(frozen=True)
class AlignQuestion(Question):
    """The question of Align.

    ``word`` that is meant, its ``phones`` if they are not looked up · ``keep`` contexts per cell, ``compare`` the beam
    next to RCMS · the model: the strategy ``learned``, after ``step`` examples (0: all), from ``source`` and number of
    ``words`` · ``budget`` … ``decoder`` as in ``AlignTraining`` · on the learning tab the ``strategies``, the number
    ``look`` of the held-out example, and the ``checkpoint`` (None: the latest).
    """

    tab: str = fields.choice(
        "tab", "picture", TABS, label="What to do", format_func=TAB_NAMES.get, slot="header", always=True
    )
    word: str = fields.with_controls(
        link.multi_param(
            ("word",), "bright", _read_word, lambda question, _: {"word": question.word}, when=_is_picture
        ),
        (
            fields.Control(
                "selectbox",
                {
                    "label": "Word",
                    "options": lambda word: sorted({*LEXICON, *filter(None, [word])}),
                    "accept_new_options": True,
                    "placeholder": "choose or type",
                    "help": _help_of_word,
                },
                width=4,
            ),
        ),
    )
    phones: str = fields.text(
        "phones",
        "",
        max_chars=LONGEST,
        label="Phones",
        width=4,
        when=_is_picture,
        placeholder=_phones_of_word,
        help="ARPAbet phones separated by blanks, such as F OW N; they replace the word. Empty: the word's phones.",
    )
    keep: int = fields.integer(
        "keep",
        20,
        1,
        MAX_BUDGET,
        label="Contexts kept",
        width=3,
        when=_is_picture,
        help="Per cell, without the roots.",
    )
    compare: str = fields.choice(
        "compare",
        "model",
        COMPARED,
        label="Next to RCMS",
        width=4,
        when=_is_picture,
        format_func={**STRATEGY_NAMES, "none": "–"}.get,
        help="By target: the beam keeps only prefixes of the meant spelling. Hybrid: both.",
    )
    learned: str = fields.choice(
        "by",
        "rcms",
        STRATEGIES,
        label="Trained by",
        when=_is_picture,
        format_func=STRATEGY_NAMES.get,
        slot="more",
    )
    step: int = fields.with_controls(
        link.whole("at", 0, 0, 10**7, when=_is_picture, widget=False), (fields.Control(_show_step, slot="more"),)
    )
    strategies: tuple[str, ...] = fields.coded(
        "strategies",
        STRATEGIES,
        _strategies,
        ",".join,
        when=_is_learning,
        controls=(
            fields.Control(
                "pills",
                {
                    "label": "Strategies",
                    "options": lambda chosen: STRATEGIES,
                    "selection_mode": "multi",
                    "format_func": STRATEGY_NAMES.get,
                },
                slot="more",
            ),
        ),
    )
    source: str = fields.choice(
        "data",
        "lexicon",
        SOURCES,
        label="Learns from",
        format_func=SOURCE_NAMES.get,
        slot="more",
        line="data",
        width=3,
    )
    words: int = fields.integer(
        "words",
        200,
        10,
        MOST_WORDS,
        label="Examples",
        step=50,
        disabled=lambda question: question.source == "lexicon",
        help="Drawn at random; of the lexicon, three words in four are always used.",
        slot="more",
        line="data",
    )
    order: int = fields.integer(
        "order",
        3,
        1,
        MAX_ORDER,
        label="Order n",
        help="Past letters and edges per feature.",
        slot="more",
        line="model",
    )
    epochs: int = fields.integer("epochs", 5, 1, MAX_EPOCHS, label="Epochs", slot="more", line="model")
    budget: int = fields.integer(
        "budget",
        20,
        1,
        MAX_BUDGET,
        label="Budget in training",
        step=5,
        help="Contexts kept per cell.",
        slot="more",
        line="budget",
    )
    seed: int = fields.integer(
        "seed",
        0,
        0,
        MAX_SEED,
        label="Seed",
        help="Random seed of the words and their order.",
        slot="more",
        line="budget",
    )
    mode: str = fields.choice(
        "mode",
        "additive",
        tuple(MODE_NAMES),
        widget="segmented_control",
        label="Features",
        required=True,
        format_func=MODE_NAMES.get,
        slot="more",
    )
    eta: float = fields.decimal("eta", 0.5, 0.001, 10.0, label="Learning rate η", step=0.05, slot="more")
    delta: float = fields.decimal(
        "delta",
        1.0,
        1e-6,
        1e3,
        label="Damping δ of the first steps",
        step=0.1,
        help="AdaGrad's: a step is η times the gradient over √(δ + the sum of past squared gradients).",
        slot="more",
    )
    joined: bool = fields.flag("joined", True, label="Join contexts with equal features", slot="more")
    average: bool = fields.flag("average", False, label="Average the weights over all steps", slot="more")
    decoder: str = fields.with_controls(
        link.choice("decoder", "viterbi", tuple(DECODER_NAMES)),
        (
            fields.Control(
                "selectbox", {"label": "Spelling at test time", "format_func": DECODER_NAMES.get}, slot="more"
            ),
            fields.Control(_draw_paper_button, slot="more"),
        ),
    )
    look: int | None = fields.integer("look", None, 0, MOST_WORDS, when=_is_learning, fallback=0)
    checkpoint: int | None = fields.integer("checkpoint", None, 1, 10**7, when=_is_learning, fallback=1)

    browser_params = (*Question.browser_params, "run")  # the session writes the name of a training
    place_fields = "look", "checkpoint"

    def place(self) -> AlignViewState:
        """Return the position of the picture."""
        return AlignViewState()

    def training(self, strategy: str) -> AlignTraining:
        """Return the settings of a strategy."""
        return AlignTraining(strategy, **self.fields_of(*TRAINING))

    @property
    def trainings(self) -> tuple[AlignTraining, ...]:
        """One training per strategy of the learning tab, in the order of their names."""
        return tuple(self.training(strategy) for strategy in STRATEGIES if strategy in self.strategies)

    @property
    def data(self) -> str:
        """The name of the training examples."""
        return f"{self.source}:{self.seed}" + ("" if self.source == "lexicon" else f":{self.words}")

    def with_widgets(self, shown: Mapping[str, Any]) -> Self:
        """Return the question of its widgets: another word resets the phones, typed phones reset the word."""
        found = super().with_widgets(shown)
        if found.word != self.word:
            found = found.changed(phones="")
        elif found.phones != self.phones and found.phones.strip():
            found = found.changed(word="")
        return found if found.learned == self.learned else found.changed(step=0)

    def changed_widgets(self, before: Any) -> Any:
        """Return the widgets to set again; word and phones change each other."""
        return {*super().changed_widgets(before), "word", "phones"}


# The opening example: with one context per cell, the beam is sure of a wrong spelling.
OPENS_WITH = AlignQuestion(word="keep", keep=1)


def summary(question: AlignQuestion) -> str:
    """Return the word and the methods in a line.

    >>> summary(AlignQuestion(keep=1))
    'bright · RCMS 1 and Beam by model 1'
    """
    rivals = [] if question.compare == "none" else [STRATEGY_NAMES[question.compare]]
    return f"{question.word or question.phones} · {' and '.join(f'{one} {question.keep}' for one in ['RCMS', *rivals])}"


def learning_summary(question: AlignQuestion) -> str:
    """Return the data and settings of the trainings in a line."""
    strategies = ", ".join(STRATEGY_NAMES[one] for one in question.strategies)
    chosen = strategies if len(question.strategies) < 3 else f"{len(question.strategies)} strategies"
    return (
        f"{SOURCE_NAMES[question.source]} · {chosen or 'no strategy'} · order {question.order}, "
        f"budget {question.budget}, epochs {question.epochs}"
    )
