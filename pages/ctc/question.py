"""The question of CTC: the frames, the contexts, the language model."""

import re
from dataclasses import dataclass

from pages.ctc.sample import NOISE, SEED, TEXT
from pages.ctc.upload import choose_file
from pages.shell import fields, link
from pages.shell.language_model import language_model, title_of
from pages.shell.question import Question
from rcmviz.core.methods import BASIC, BUILDERS, MethodChoice
from rcmviz.views.shared.words import sentence_of

TAB_NAMES = {"text": "Generated from a text", "upload": "Your own frames", "flow": "Where the mass goes"}
SPELLING_NAMES = {"auto": "detected", "labels": "labels", "words": "words spelled by labels"}
NO_MODEL = "none"
LETTERS_MODEL = "lm-english-characters"


def _digest(text: str) -> str:
    if text and not re.fullmatch(r"[0-9a-f]{16}", text):
        raise ValueError(f"{text[:20]!r} is not the name of an upload")
    return text


def _is_generated(question: "CtcQuestion") -> bool:
    return question.tab != "upload"


def _is_uploaded(question: "CtcQuestion") -> bool:
    return question.tab == "upload"


def _has_budget(question: "CtcQuestion") -> bool:
    return question.method != "exact" or question.tab == "flow"


def _has_passes(question: "CtcQuestion") -> bool:
    return question.method == "rcms" and question.tab != "flow"


def _phase(text: str) -> str:
    if not re.fullmatch(r"(grow|sort|cut|settle)(\.\d\d)?", text):
        raise ValueError(f"{text[:20]!r} is not a phase")
    return text


def _has_model(question: "CtcQuestion") -> bool:
    return question.lm != NO_MODEL


@dataclass(frozen=True)
class CtcViewState(link.Link):
    """The position of the view: the frame, and the phase of the mass-flow picture."""

    pos: int | None = fields.integer("pos", None, 1, 100_000, fallback=1)
    phase: str | None = fields.coded("phase", None, _phase)


@dataclass(frozen=True)
class CtcQuestion(Question):
    """Frames of a ``text`` or an upload, the method that reads them, and the language model."""

    tab: str = fields.choice(
        "frames", "text", tuple(TAB_NAMES), label="Which frames", format_func=TAB_NAMES.get, slot="header", always=True
    )
    text: str = fields.text(
        "text",
        TEXT,
        max_chars=60,
        label="Text",
        width=5,
        when=_is_generated,
        always=True,
        help="Letters a to z, and blanks.",
    )
    noise: float = fields.decimal(
        "noise", NOISE, 0.0, 6.0, label="Noise", step=0.2, when=_is_generated, help="Standard deviation; peaks are 4."
    )
    seed: int = fields.integer("seed", SEED, 0, 2**31 - 1, label="Seed", when=_is_generated, help="Of the noise.")
    upload: str = fields.coded(
        "own", "", _digest, controls=(fields.Control(choose_file, slot="above"),), when=_is_uploaded
    )
    gold: str = fields.text(
        "gold",
        "",
        max_chars=1_000,
        label="Right output",
        width=9,
        when=_is_uploaded,
        placeholder="if known",
        help="Marked where it is read, dropped or lost. Separate labels of several characters by blanks.",
    )
    method: str = fields.choice(
        "method",
        "rcms",
        tuple(BASIC),
        label="Method",
        width=3,
        format_func=lambda kind: BUILDERS[kind].heading,
        when=lambda question: question.tab != "flow",
        help="RCMS merges the contexts over the budget, a beam drops them. Exact keeps all, up to a limit.",
    )
    budget: int = fields.integer(
        "budget",
        5,
        1,
        1_000,
        label="Budget",
        help=sentence_of("budget"),
        disable=True,
        when=_has_budget,
    )
    passes: int = fields.integer(
        "passes",
        1,
        1,
        4,
        label="Passes of RCMS",
        help=sentence_of("pass"),
        slot="more",
        disable=True,
        when=_has_passes,
    )
    lm: str = language_model(
        "lm",
        LETTERS_MODEL,
        none=NO_MODEL,
        help="A model of labels, such as letters, or of words. Upload your own under More.",
    )
    weight: float = fields.decimal(
        "weight",
        1.0,
        0.01,
        10.0,
        label="Weight of the language model",
        step=0.1,
        slot="more",
        when=_has_model,
        help="Multiplies its log scores.",
    )
    bonus: float = fields.decimal(
        "bonus",
        0.0,
        -20.0,
        20.0,
        label="Bonus",
        step=0.5,
        slot="more",
        when=_has_model,
        help="Added per word of the language model (nats); higher values favour longer outputs.",
    )
    spells: str = fields.choice(
        "spells",
        "auto",
        tuple(SPELLING_NAMES),
        label="Units of the model",
        format_func=SPELLING_NAMES.get,
        slot="more",
        when=_has_model,
    )
    separator: str = fields.text(
        "between",
        "",
        max_chars=20,
        label="Label between words",
        placeholder="a blank, _ or |",
        slot="more",
        help="For models of words.",
        when=_has_model,
    )
    unknown: float = fields.decimal(
        "unknown",
        -10.0,
        -100.0,
        0.0,
        label="Score of an unknown word",
        step=1.0,
        slot="more",
        when=_has_model,
        help="Word models: log-score penalty for an out-of-vocabulary word (nats).",
    )

    def place(self) -> CtcViewState:
        """Return the position of the view."""
        return CtcViewState()


def summary(question: CtcQuestion) -> str:
    """Return the settings in a line.

    >>> summary(CtcQuestion(tab="upload", method="exact", lm="none"))
    'your own frames · Exact · no language model'
    """
    what = "your own frames" if question.tab == "upload" else f"{question.text}, noise {question.noise:g}"
    model = title_of(question.lm) if _has_model(question) else "no language model"
    methods = MethodChoice("rcms" if question.tab == "flow" else question.method, question.budget).name
    if question.tab == "flow":
        methods = f"{MethodChoice('beam', question.budget).name} and {methods}"
    return f"{what} · {methods} · {model}"
