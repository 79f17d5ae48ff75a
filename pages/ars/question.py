"""The question of ARS: a message or a sentence, decoding or sampling, and options."""

from dataclasses import dataclass
from typing import Any, Self

from pages.shell import fields, link
from pages.shell.fields import Control
from pages.shell.language_model import language_model, title_of
from pages.shell.question import Question
from rcmviz.tasks.sms.keypad import SLOPE

TAB_NAMES = {"keypad": "Keypad", "tagging": "Tagging", "compare": "Compare", "doctor": "ARPA doctor"}
TABS = tuple(TAB_NAMES)
INPUT_NAMES = {"keypad": "Message", "tagging": "Sentence"}
MODE_NAMES = {"decode": "Decode", "sample": "Sample"}
MODES = tuple(MODE_NAMES)
STRATEGY_NAMES = {
    "sweep": "sweep: one order higher everywhere",
    "worst": "worst: where q exceeds p most",
    "jump": "jump: to the highest order at once",
}
STRATEGIES = tuple(STRATEGY_NAMES)
SECONDS = (1, 5, 20)
WORDS_MODEL, TAGGER = "lm-english-words", "tagger-ewt"
MAX_SEED = 2**31 - 1
MOST_DRAWS = 1_000
MOST_CANDIDATES = 5_000
MAX_BUDGET = 2_000
MAX_ORDER = 9
LONGEST = 2_000  # characters of a message
MODE: dict[str, Any] = {
    "label": "Mode",
    "format_func": MODE_NAMES.get,
    "widget": "segmented_control",
    "required": True,
}
DRAWS = {"label": "Draws", "step": 100, "help": "Independent exact samples from the model."}


def _is_keypad(question: "ArsQuestion") -> bool:
    return question.tab == "keypad"


def _is_tagging(question: "ArsQuestion") -> bool:
    return question.tab == "tagging"


def _is_comparison(question: "ArsQuestion") -> bool:
    return question.tab == "compare"


def _has_message(question: "ArsQuestion") -> bool:
    return question.tab != "doctor" and not question.tags


def _has_sentence(question: "ArsQuestion") -> bool:
    return question.tags


def _runs(question: "ArsQuestion") -> bool:
    return question.tab != "doctor"


def _samples(question: "ArsQuestion") -> bool:
    return question.has_rounds and question.asks == "sample"


@dataclass(frozen=True)
class ArsViewState(link.Link):
    """The position of the view: the round, the drawn paths, the selected state."""

    round: int | None = fields.integer("round", None, 1, 1_000_000, fallback=1)
    view: str | None = fields.choice("view", None, ("path", "all"), fallback="path")
    held: int | None = fields.integer("state", None, 0, 1_000_000, fallback=0)


@dataclass(frozen=True)
class ArsQuestion(Question):
    """A ``message`` in keys or letters, or a ``sentence`` to tag, and a run of ``rv.ars_decode`` or ``rv.ars_sample``.

    In a comparison ``of`` chooses between the two.
    """

    tab: str = fields.choice(
        "tab", "keypad", TABS, label="What to do", format_func=TAB_NAMES.get, slot="header", always=True
    )
    of: str = fields.choice(
        "of",
        "keypad",
        tuple(INPUT_NAMES),
        label="Input",
        format_func=INPUT_NAMES.get,
        widget="segmented_control",
        required=True,
        width=3,
        when=_is_comparison,
    )
    message: str = fields.text(
        "message",
        "3637 843 66639 39478 *",
        max_chars=LONGEST,
        label="Message, as digits or as text",
        width=6,
        always=True,
        when=_has_message,
        shown=_is_comparison,  # the keypad has a field of its own
    )
    sentence: str = fields.text(
        "sentence",
        "The horse raced past the barn fell .",
        max_chars=LONGEST,
        label="English sentence",
        width=7,
        always=True,
        when=_has_sentence,
        help="Tagged with the Penn Treebank tag set.",
    )
    model: str = language_model("lm", WORDS_MODEL, when=_has_message)
    order: int = fields.integer(
        "order",
        5,
        1,
        MAX_ORDER,
        label="Order",
        when=_has_sentence,
        help="Order N: each tag depends on the N − 1 tags before it.",
    )
    mode: str = fields.choice(
        "mode", "decode", MODES, **MODE, label_visibility="collapsed", slot="header", when=_is_keypad
    )
    tag_mode: str = fields.choice("mode", "sample", MODES, **MODE, width=3, when=_is_tagging)  # for the marginals
    draws: int = fields.with_controls(
        link.whole("n", 300, 1, MOST_DRAWS, when=_samples),
        (
            Control("number_input", DRAWS, shown=_is_tagging, disable=True),
            Control("number_input", DRAWS, shown=_is_keypad, disable=True, slot="more"),
        ),
    )
    slip: int = fields.integer(
        "slip",
        0,
        0,
        MAX_SEED,
        label="Typing errors",
        slot="more",
        when=_has_message,
        help="Random seed of typing errors in a text; 0 for none. Digits are not changed.",
    )
    slope: float = fields.decimal(
        "k",
        SLOPE,
        0.0,
        1e6,
        label="Noise k",
        step=8.0,
        digits=None,
        slot="more",
        when=_has_message,
        help="A key at distance d is pressed with weight 1 / (k·d + 1): the larger k, the fewer typing errors.",
    )
    most: int = fields.integer(
        "most",
        0,
        0,
        MOST_CANDIDATES,
        label="Candidates per word, 0 for all",
        step=10,
        slot="more",
        when=_has_message,
        help="By default all words of the same length, since any key may be wrong.",
    )
    look_ahead: bool = fields.flag(
        "ahead",
        True,
        label="Look ahead",
        slot="more",
        when=_runs,
        help="Bound each word over the previous candidates instead of all words: fewer rounds, slower to set up.",
    )
    strategy: str = fields.choice(
        "strategy",
        "sweep",
        STRATEGIES,
        label="Refine by",
        format_func=STRATEGY_NAMES.get,
        slot="more",
        when=_runs,
    )
    batch: int = fields.integer(
        "batch",
        50,
        1,
        1_000,
        label="Batch",
        step=10,
        slot="more",
        when=_samples,
        help="Trials between two refinements.",
    )
    seed: int = fields.integer("seed", 0, 0, MAX_SEED, label="Seed", slot="more", when=_samples)
    temperature: float = fields.decimal(
        "temperature",
        1.0,
        0.05,
        20.0,
        label="Temperature",
        step=0.1,
        digits=None,
        slot="more",
        when=_runs,
        help="Divides the log probabilities of the language model; 2.303 gives log10, as in the paper’s tables.",
    )
    seconds: int = fields.choice(
        "seconds", 5, SECONDS, label="Time limit (s)", widget="select_slider", slot="more", when=_runs
    )
    budget: int = fields.integer(
        "budget",
        20,
        1,
        MAX_BUDGET,
        label="Budget",
        step=5,
        when=_is_comparison,
        help="Contexts kept per position.",
    )

    @property
    def tags(self) -> bool:
        """Whether the input is the sentence, not the message."""
        return self.tab == "tagging" or (self.tab == "compare" and self.of == "tagging")

    @property
    def has_rounds(self) -> bool:
        """Whether the tab shows the rounds of one run."""
        return self.tab in ("keypad", "tagging")

    @property
    def asks(self) -> str:
        """The mode: decode or sample."""
        return self.tag_mode if self.tags else self.mode

    def place(self) -> ArsViewState:
        """Return the position of the view."""
        return ArsViewState()

    def with_widgets(self, shown: dict[str, Any]) -> Self:
        """Return the question of its widgets; an unchanged one becomes the example where the methods differ."""
        question = super().with_widgets(shown)
        usual = (self.message, self.budget) == (ArsQuestion.message, ArsQuestion.budget)
        if usual and _is_comparison(question) and not _is_comparison(self):
            return question.changed(message=COMPARED.message, budget=COMPARED.budget)
        return question


# "the cat sat on the mat.", typed with two slips: beam search and RCMS read "ran" with five contexts, ARS proves "sat".
COMPARED = ArsQuestion(tab="compare", message="843 228 726 #6 848 628 *", budget=5)
COMPARED_STORY = (
    "The message *the cat sat on the mat.* was typed with two wrong keys. With five contexts beam search and RCMS both "
    "read *ran*; ARS proves that *sat* is the best reading."
)


def summary(question: ArsQuestion) -> str:
    """Return the settings in a line.

    >>> summary(ArsQuestion(mode="sample", slip=3))
    'english words · 300 draws · slips 3'
    """
    text = question.sentence if question.tags else question.message
    if question.tab == "tagging":
        return f"{text} · order {question.order}"
    if question.tab == "compare":
        return f"{text} · budget {question.budget}"
    draws = f"{question.draws} draws" if question.asks == "sample" else ""
    slips = f"slips {question.slip}" if question.slip else ""
    return " · ".join(filter(None, (title_of(question.model), draws, slips)))
