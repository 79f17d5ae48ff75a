"""The question of Precision: the words, and the methods that read them."""

from dataclasses import dataclass

from pages.learn import state as learn
from pages.precision.methods import OFFERED, USUAL, ComparedMethod, models_in_training, parse_arms
from pages.shell import fields, link
from pages.shell.methods import write_methods
from pages.shell.question import Question
from pages.word.widgets import SOURCE_NAMES
from rcmviz.core.shared.wording import counted
from rcmviz.tasks.handwriting.pen import NOISE
from rcmviz.views.precision.payload import MOST_METHODS

SOURCES = ("pen", "kassel")
FEWEST_WORDS, MOST_WORDS = 50, 2_000


def _is_written(question: "Comparison") -> bool:
    return question.source == "pen"


def _offered_methods(chosen: tuple[ComparedMethod, ...]) -> list[ComparedMethod]:
    mine = models_in_training(learn.current_run(), learn.current_plan())
    return list(dict.fromkeys((*OFFERED, *mine, *chosen)))


PILLS = fields.Control(
    "pills",
    {
        "label": f"Methods, up to {MOST_METHODS}",
        "options": _offered_methods,
        "selection_mode": "multi",
        "format_func": lambda arm: arm.name,
        "wrap": True,
        "help": "Each method uses weights trained for it unless its name says otherwise; exact inference uses those of "
        "RCMS. Trainings of Learn are offered too, and a link can set any budget: runs=rcms:30.",
    },
    slot="more",
)


@dataclass(frozen=True)
class PrecisionViewState(link.Link):
    """The position of the view; one of the ``methods`` is selected."""

    methods: int = len(USUAL)
    by: str = fields.choice("by", "precision", ("precision", "confidence", "share"))
    at: float = fields.decimal("at", 0.99, 0.0, 1.0)
    focus: int = fields.integer("focus", 0, 0, lambda place: place.methods - 1)
    curve: str = fields.choice("curve", "precision", ("precision", "risk"))
    band: bool = fields.flag("band", False)
    bins: str = fields.choice("bins", "mass", ("mass", "width"))
    sort: str = fields.choice("sort", "surest", ("surest", "least", "longest", "order"))


@dataclass(frozen=True)
class Comparison(Question):
    """The words, and the methods that read them; the pen's words are those of ``pen_words(words, seed, noise=…)``."""

    source: str = fields.choice(
        "src", "pen", SOURCES, label="Handwriting", format_func=SOURCE_NAMES.get, slot="header", always=True
    )
    words: int = fields.integer(
        "words", 500, FEWEST_WORDS, MOST_WORDS, label="Words", step=50, when=_is_written, always=True
    )
    seed: int = fields.integer(
        "seed",
        1,
        1,
        2**31 - 1,
        label="Pens",
        when=_is_written,
        always=True,
        help="Random seed of writers and words. The models were trained on seed 0.",
    )
    noise: float = fields.decimal(
        "noise",
        NOISE,
        0.0,
        0.5,
        label="Noise",
        step=0.01,
        format="%.3f",
        when=_is_written,
        help="Share of wrong pixels. The models were trained at 0.005; more noise should make them less sure.",
    )
    arms: tuple[ComparedMethod, ...] = fields.coded(
        "runs", USUAL, parse_arms, write_methods, controls=(PILLS,), always=True
    )

    def place(self) -> PrecisionViewState:
        """Return the position of the view."""
        return PrecisionViewState(methods=len(self.arms))


def summary(question: Comparison) -> str:
    """Return the settings in a line."""
    written = f"{question.words:,} words, pens {question.seed}"
    return f"{written if _is_written(question) else 'Kassel’s words'} · {counted(len(question.arms), 'method')}"


# For most seeds RCMS answers several times as many words as beam search at 99 % precision; for seed 1, the default
# of links, neither answers many.
OPENS_WITH = Comparison(seed=8)
