"""The question of Learn: the data, up to three methods, their settings, and the example shown."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import streamlit as st

from pages.learn.checkpoint import (
    BOUNDS,
    FIELDS,
    MAX_EPOCHS,
    MAX_NOISE,
    MAX_ORDER,
    MAX_PASSES,
    MOST_WORDS,
    DataSource,
    read_step,
    training_of,
)
from pages.learn.upload import choose_file
from pages.shell import fields, link
from pages.shell.methods import MAX_BUDGET, MOST_RUNS, NONE, heading, parse_methods, write_methods
from pages.shell.question import Question
from rcmviz.core.methods import TRAINABLE, MethodChoice
from rcmviz.core.models.model import MODES
from rcmviz.learn.settings import LOST_GOLD, Training
from rcmviz.tasks.handwriting.pen import NOISE, WRITERS

ORIGIN_NAMES = {"pen": "Generated handwriting", "kassel": "Real handwriting", "upload": "Your own file"}
MODE_NAMES = {"single": "longest window", "additive": "all its suffixes"}
LOST_NAMES = {
    "numerator": "use it in the numerator only (as in the paper)",
    "both": "add it to the beam for this update",
    "skip": "skip the example",
    "early": "update up to the position where it was dropped",
}
MAX_SEED = WRITERS - 1
USUAL = Training()


def _read_data(reader: link.Reader, question: "LearnQuestion", field: str) -> "LearnQuestion":
    if "data" not in reader.query:
        return question
    source = reader.take("data", DataSource.parse, question.source)
    return replace(
        question,
        origin=source.kind,
        words=source.words,
        pen=source.seed,
        noise=source.noise,
        upload=source.upload,
    )


def _write_data(question: "LearnQuestion", field: str) -> dict[str, str]:
    return {"data": str(question.source)}


def _is_written(question: "LearnQuestion") -> bool:
    return question.origin == "pen"


def _is_uploaded(question: "LearnQuestion") -> bool:
    return question.origin == "upload"


def _choose_methods(state: Any, question: "LearnQuestion", field: str) -> None:
    """Draw up to three methods, each with its budget."""
    for number in range(MOST_RUNS):
        kind, budget = st.columns([3, 2], vertical_alignment="bottom")
        among = list(TRAINABLE) if number == 0 else [*TRAINABLE, NONE]
        chosen = kind.selectbox(f"Method {number + 1}", among, format_func=heading, key=state.key(f"kind.{number}"))
        if chosen != NONE and TRAINABLE[chosen].has_budget:
            budget.number_input("Budget", 1, MAX_BUDGET, step=1, key=state.key(f"budget.{number}"))


@dataclass(frozen=True)
class LearnQuestion(Question):
    """The data, up to three ``methods``, their shared settings, and the held-out ``word`` shown at a ``step``.

    The data have an ``origin``: ``words`` by the ``pen`` with that seed and ``noise``, Kassel's words, or an
    ``upload``, named by the digest of its bytes. The default step is the latest.
    """

    origin: str = fields.with_controls(
        link.multi_param(("data",), "pen", _read_data, _write_data, limits={"options": tuple(ORIGIN_NAMES)}),
        (fields.Control("selectbox", {"label": "Data", "format_func": ORIGIN_NAMES.get}, slot="header"),),
    )
    upload: str = fields.with_controls(
        link.part("", _is_uploaded, widget=False), (fields.Control(choose_file, slot="above"),)
    )
    methods: tuple[MethodChoice, ...] = fields.coded(
        "runs",
        (MethodChoice(), MethodChoice("beam")),
        partial(parse_methods, among=TRAINABLE),
        write_methods,
        controls=(fields.Control(_choose_methods, slot="more"),),
        always=True,
    )
    words: int = fields.part(
        1_000,
        "number_input",
        when=_is_written,
        label="Words",
        min_value=10,
        max_value=MOST_WORDS,
        step=100,
        help="Each has its own writer.",
        slot="more",
        line="pen",
    )
    pen: int = fields.part(
        0,
        "number_input",
        when=_is_written,
        label="Pen",
        min_value=0,
        max_value=MAX_SEED,
        step=1,
        help="Random seed of words and writers.",
        slot="more",
        line="pen",
    )
    eta: float = fields.decimal(
        "eta",
        USUAL.eta,
        1e-6,
        BOUNDS["eta"],
        label="Learning rate η",
        step=0.1,
        help="0.2 in the paper.",
        slot="more",
        line="model",
    )
    order: int = fields.integer(
        "order",
        USUAL.order,
        1,
        MAX_ORDER,
        label="Order n",
        help="Past labels per feature.",
        slot="more",
        line="model",
    )
    epochs: int = fields.integer("epochs", USUAL.epochs, 1, MAX_EPOCHS, label="Epochs", slot="more", line="length")
    seed: int = fields.integer(
        "seed",
        USUAL.seed,
        0,
        MAX_SEED,
        label="Seed",
        help="Random seed of the order of examples.",
        slot="more",
        line="length",
    )
    mode: str = fields.choice(
        "mode",
        USUAL.mode,
        MODES,
        widget="segmented_control",
        label="Features",
        format_func=MODE_NAMES.get,
        required=True,
        slot="rare",
    )
    passes: int = fields.integer(
        "passes",
        USUAL.passes,
        1,
        MAX_PASSES,
        label="Passes (RCMS)",
        help="A later pass ranks contexts by the previous one.",
        slot="rare",
    )
    average: bool = fields.flag("average", USUAL.average, label="Average the weights over all steps", slot="rare")
    deduplicate: bool = fields.flag("dedup", USUAL.deduplicate, label="De-duplicate contexts", slot="rare")
    shuffle: bool = fields.flag(
        "shuffle",
        USUAL.shuffle,
        label="Shuffle",
        help="Off: the order of the data. With Kassel’s words, which repeat, and a larger η the contexts then "
        "overshoot, as in figure 6 of the paper.",
        slot="rare",
    )
    lost_gold: str = fields.choice(
        "lost",
        USUAL.lost_gold,
        LOST_GOLD,
        label="When a beam drops the right answer",
        format_func=LOST_NAMES.get,
        slot="rare",
    )
    l2: float = fields.decimal("l2", USUAL.l2, 0.0, BOUNDS["l2"], label="L2 penalty", step=0.001, slot="rare")
    noise: float = fields.part(
        NOISE,
        "slider",
        when=_is_written,
        label="Noise: share of wrong pixels",
        min_value=0.0,
        max_value=MAX_NOISE,
        step=0.005,
        format="%.3f",
        slot="rare",
    )
    word: int = fields.integer("word", 0, 0, 1_000_000)
    step: int | None = fields.coded("at", None, read_step)

    browser_params = (*Question.browser_params, "run")  # the name of a training, which the session writes
    place_fields = "word", "step"

    @property
    def source(self) -> DataSource:
        """The source of the sequences."""
        if self.origin == "pen":
            return DataSource("pen", self.words, self.pen, self.noise)
        return DataSource(self.origin, upload=self.upload if self.origin == "upload" else "")

    @property
    def shared(self) -> Training:
        """The shared settings of the trainings."""
        return Training(**{field: getattr(self, field) for field in FIELDS.values()})

    @property
    def trainings(self) -> tuple[Training, ...]:
        """The settings of each method."""
        return tuple(training_of(method, self.shared) for method in self.methods)

    def widgets(self) -> dict[str, Any]:
        """Return the values of the widgets: the fields, each method and its budget."""
        shown = super().widgets()
        for number, method in enumerate([*self.methods, *[None] * MOST_RUNS][:MOST_RUNS]):
            shown[f"kind.{number}"] = method.kind if method else NONE
            shown[f"budget.{number}"] = method.budget if method else 10
        return shown

    def with_widgets(self, shown: Mapping[str, Any]) -> Self:
        """Return the question of its widgets; another source begins with its first word."""
        shown = self.widgets() | dict(shown)
        kinds = {number: shown[f"kind.{number}"] for number in range(MOST_RUNS)}
        methods = [MethodChoice(kind, int(shown[f"budget.{number}"])) for number, kind in kinds.items() if kind != NONE]
        names = [name for name, parameter in self.parameters().items() if parameter.widget]
        found = self.changed(**{name: shown[name] for name in names}, methods=tuple(dict.fromkeys(methods)))
        return found if found.source == self.source else found.changed(word=0)


def summary(question: LearnQuestion) -> str:
    """Return the settings in a line.

    >>> summary(LearnQuestion())
    '1,000 words · RCMS 10, Beam 10 · 20 epochs'
    """
    data = {"pen": f"{question.words:,} words", "kassel": "Kassel’s words"}.get(question.origin, "your file")
    return f"{data} · {', '.join(method.name for method in question.methods)} · {question.epochs} epochs"
