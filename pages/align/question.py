"""What the Align page is asked: the word, the model that aligns it, the contexts, the strategies that learn."""

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
SOURCE_NAMES = {"lexicon": "Our lexicon", "words": "Words of CMUdict", "utterances": "Utterances (semi-synthetic)"}
SOURCES = tuple(SOURCE_NAMES)
COMPARED = ("model", "target", "hybrid", "none")
STRATEGY_NAMES = {
    "rcms": "RCMS",
    "model": "Beam by model",
    "target": "Beam by target",
    "hybrid": "Hybrid beam",
    "forced": "Forced",
}
MODE_NAMES = {"additive": "of all orders, added", "single": "the longest only"}
DECODER_NAMES = {"viterbi": "of the best alignment", "marginal": "of all its alignments together"}
MAX_BUDGET, MAX_ORDER, MAX_EPOCHS, MAX_SEED, MOST_WORDS = 200, 6, 100, 2**31 - 1, 746
LONGEST = 300  # characters of a word or of its phones
PAPER = {"order": 5, "eta": 0.2, "delta": 1e-4, "joined": False}
# Fields that decide what is learned from, and how.
DATA = ("source", "words", "seed")
TRAINING = ("seed", "budget", "order", "mode", "eta", "delta", "joined", "average", "epochs", "decoder")


def _cell(text: str) -> list[int]:
    parts = text.split(".")
    if len(parts) != 2 or not all(part.isdecimal() and len(part) < 5 for part in parts):
        raise ValueError(f"{text[:20]!r} is no cell such as 3.4, a phone and a letter")
    return [int(part) for part in parts]


def _is_picture(question: "AlignQuestion") -> bool:
    return question.tab == "picture"


def _is_learning(question: "AlignQuestion") -> bool:
    return question.tab == "learning"


def _read_word(reader: link.Reader, question: "AlignQuestion", field: str) -> "AlignQuestion":
    usual = "" if "phones" in reader.query else question.word  # whoever writes phones has looked up no word
    return replace(question, word=reader.take("word", link.at_most(LONGEST), usual))


def _strategies(text: str) -> tuple[str, ...]:
    chosen = tuple(strategy for strategy in STRATEGIES if strategy in text.split(","))
    if not chosen or set(text.split(",")) - set(STRATEGIES):
        raise ValueError(f"{text[:60]!r} are no strategies; there are {', '.join(STRATEGIES)}")
    return chosen


def _help_of_word(question: "AlignQuestion") -> str:
    more = " in CMUdict too." if registry.find("cmudict") else "; more are known with “rcmviz data get cmudict”."
    return f"Choose a word of our lexicon, or type another one: its phones are looked up{more}"


def _phones_of_word(question: "AlignQuestion") -> str:
    try:
        return " ".join(examples.pronunciation(question.word))
    except ValueError:
        return "such as F OW N"


def _show_step(state: Any, question: "AlignQuestion", field: str) -> None:
    """Of a model early in its training: after how many examples, and the way to its end."""
    if question.step:
        st.caption(f"As it was after {question.step:,} examples.")
        st.button("To the end of its training", on_click=state.change, kwargs={field: 0}, key=state.key("to_end"))


def _offer_paper(state: Any, question: "AlignQuestion", field: str) -> None:
    help_text = f"n = {PAPER['order']}, η = {PAPER['eta']}, δ = {PAPER['delta']:.0e}, contexts as they are."
    st.button("The paper's setting", on_click=state.change, kwargs=PAPER, key=state.key("paper"), help=help_text)


@dataclass(frozen=True)
class AlignViewState(link.Link):
    """Where the picture stands: the cell that is held, the route and the spelling that are drawn."""

    cell: list | None = link.coded("cell", None, _cell)
    route: str | None = link.choice("route", None, ("path", "all"), fallback="path")
    asked: str | None = link.choice("asked", None, ("model", "gold"), fallback="model")


@dataclass(frozen=True)
class AlignQuestion(Question):
    """What is asked.

    ``word`` that is meant, ``phones`` of it where they are not to be looked up · ``keep`` contexts per cell,
    ``compare`` the beam next to RCMS · the model: ``learned`` by which strategy, after ``step`` examples (0: all), from
    ``source`` and number of ``words`` · ``budget`` … ``decoder`` as in ``AlignTraining`` · of the learning tab the
    ``strategies``; the number of the example held out that is looked at, and the ``checkpoint`` (None: the latest).
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
        help="Write others, in ARPAbet with blanks between, such as F OW N: then no word is meant. Empty: those of "
        "the word.",
    )
    keep: int = fields.integer(
        "keep",
        20,
        1,
        MAX_BUDGET,
        label="Contexts kept",
        width=3,
        when=_is_picture,
        help="Per cell, the roots not counted.",
    )
    compare: str = fields.choice(
        "compare",
        "model",
        COMPARED,
        label="Beside RCMS",
        width=4,
        when=_is_picture,
        format_func={**STRATEGY_NAMES, "none": "–"}.get,
        help="A beam drops what RCMS merges. By target: it keeps prefixes of the meant spelling only. Hybrid: both.",
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
        help="Drawn with the seed; the lexicon is always taken whole, three words in four.",
        slot="more",
        line="data",
    )
    order: int = fields.integer(
        "order",
        3,
        1,
        MAX_ORDER,
        label="Order n",
        help="Letters and edges that a weight sees.",
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
        help="Of the draw of words and their order.",
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
        help="AdaGrad's: a step is η times the slope over √(δ + all squared slopes so far).",
        slot="more",
    )
    joined: bool = fields.flag("joined", True, label="Join contexts that no feature can tell apart", slot="more")
    average: bool = fields.flag("average", False, label="Average the weights over all steps", slot="more")
    decoder: str = fields.with_controls(
        link.choice("decoder", "viterbi", tuple(DECODER_NAMES)),
        (
            fields.Control(
                "selectbox", {"label": "At test, the spelling", "format_func": DECODER_NAMES.get}, slot="more"
            ),
            fields.Control(_offer_paper, slot="more"),
        ),
    )
    look: int | None = fields.integer("look", None, 0, MOST_WORDS, when=_is_learning, fallback=0)
    checkpoint: int | None = fields.integer("checkpoint", None, 1, 10**7, when=_is_learning, fallback=1)

    browser_params = (*Question.browser_params, "run")  # the name of a training, which the session writes
    place_fields = "look", "checkpoint"

    def place(self) -> AlignViewState:
        """Where the picture stands."""
        return AlignViewState()

    def training(self, strategy: str) -> AlignTraining:
        """The settings of a strategy."""
        return AlignTraining(strategy, **self.fields_of(*TRAINING))

    @property
    def trainings(self) -> tuple[AlignTraining, ...]:
        """One training per strategy of the learning tab, in the order of their names."""
        return tuple(self.training(strategy) for strategy in STRATEGIES if strategy in self.strategies)

    @property
    def data(self) -> str:
        """The name of the examples that are learned from."""
        return f"{self.source}:{self.seed}" + ("" if self.source == "lexicon" else f":{self.words}")

    def with_widgets(self, shown: Mapping[str, Any]) -> Self:
        """The question as its widgets show it: another word has other phones, and typed phones mean no word."""
        found = super().with_widgets(shown)
        if found.word != self.word:
            found = found.changed(phones="")
        elif found.phones != self.phones and found.phones.strip():
            found = found.changed(word="")
        return found if found.learned == self.learned else found.changed(step=0)

    def changed_widgets(self, before: Any) -> Any:
        """Word and phones change each other."""
        return {*super().changed_widgets(before), "word", "phones"}


# What the page opens with: one context per cell, and the beam is sure of a spelling that is wrong.
OPENS_WITH = AlignQuestion(word="keep", keep=1)


def summary(question: AlignQuestion) -> str:
    """The word and who aligns it, in a line.

    >>> summary(AlignQuestion(keep=1))
    'bright · RCMS 1 and Beam by model 1'
    """
    rivals = [] if question.compare == "none" else [STRATEGY_NAMES[question.compare]]
    return f"{question.word or question.phones} · {' and '.join(f'{one} {question.keep}' for one in ['RCMS', *rivals])}"


def learning_summary(question: AlignQuestion) -> str:
    """What the strategies learn from, and how, in a line."""
    strategies = ", ".join(STRATEGY_NAMES[one] for one in question.strategies)
    chosen = strategies if len(question.strategies) < 3 else f"{len(question.strategies)} strategies"
    return (
        f"{SOURCE_NAMES[question.source]} · {chosen or 'no strategy'} · order {question.order}, "
        f"budget {question.budget}, epochs {question.epochs}"
    )
