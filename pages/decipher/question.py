"""What Decipher is asked: the cipher, the methods that read it, what is known."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from pages.decipher.pins import read_pins, write_pins
from pages.decipher.texts import MAX_CHARS, OWN
from pages.decipher.upload import choose_sentences, give_text, offer_to_free
from pages.shell import fields, link
from pages.shell.methods import NONE, heading, parse_methods, write_methods
from pages.shell.question import Question
from rcmviz.core.methods import OF_EM, MethodChoice
from rcmviz.tasks.decipher.symbols import READINGS
from rcmviz.tasks.decipher.texts import TEXTS

KIND_NAMES = {"letters": "Letters", "words": "Words"}
TEXT_NAMES = {name: name.capitalize() for name in TEXTS} | {OWN: "Your own text …"}
SENTENCE_NAMES = {"grammar": "A small world of ours", "tatoeba": "Tatoeba, as in the paper", OWN: "Your own sentences"}
READING_NAMES = {"emission": "likeliest to write it", "posterior": "oftenest there", "assignment": "one to one"}
PACE_NAMES = {1: "1 a second", 4: "4 a second", 10: "10 a second", 1_000: "as fast as it goes"}
PACES = tuple(PACE_NAMES)  # passes per second; the last is as many as there is time for
MAX_BUDGET, MAX_SEED, MAX_ORDER = 1_000, 2**31 - 1, 3
MOST_PASSES = 200
UPLOADED = re.compile(r"[0-9a-f]{16}")
BUDGET_HELP = "Contexts per position, the root not counted."
READING_HELP = (
    "The word most likely to be written so (as in the paper), the word most often expected there, or the best way to "
    "give every symbol a word of its own."
)


def _read_runs(reader: link.Reader, asked: "DecipherQuestion", field: str) -> "DecipherQuestion":
    first, second = [*reader.take("runs", _methods, asked.methods), None][:2]
    asked = replace(asked, first=first.kind, budget=_budget(first))
    return replace(asked, second=second.kind if second else NONE, second_budget=_budget(second))


def _methods(text: str) -> tuple[MethodChoice, ...]:
    methods: tuple[MethodChoice, ...] = parse_methods(text)
    if len(methods) > 2 or any(method.kind not in OF_EM for method in methods):
        *kinds, last = OF_EM
        raise ValueError(f"choose one or two of {', '.join(kinds)} and {last}, such as rcms:60,beam:60")
    if any(method.budget > MAX_BUDGET for method in methods):
        raise ValueError(f"a budget is at most {MAX_BUDGET:,} here")
    return methods


def _budget(method: MethodChoice | None) -> int:
    return method.budget if method and method.has_budget else DecipherQuestion.budget


def _write_runs(asked: "DecipherQuestion", field: str) -> dict[str, str]:
    return {} if asked.methods == DecipherQuestion().methods else {"runs": write_methods(asked.methods)}


def _digest(text: str) -> str:
    if not UPLOADED.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is no text that was given here")
    return text


def _carried(text: str) -> str | None:
    return text if len(text) <= MAX_CHARS else None


def _letters(asked: "DecipherQuestion") -> bool:
    return asked.kind == "letters"


def _words(asked: "DecipherQuestion") -> bool:
    return asked.kind == "words"


def _has_budget(kind: str) -> bool:
    return kind in OF_EM and bool(OF_EM[kind].has_budget)


@dataclass(frozen=True)
class DecipherViewState(link.Link):
    """The pass that is looked at."""

    at: int | None = fields.integer("at", None, 1, 1_000_000, fallback=0)


@dataclass(frozen=True)
class DecipherQuestion(Question):
    """``kind`` of the cipher · of letters the ``text``, a prepared one or ``own``, which is enciphered first where it
    is ``plain`` · of words where the ``sentences`` are from, ``upload`` the digest of one's own · ``seed`` of the key ·
    ``first`` and ``second`` method with their budgets · ``letters`` and ``words`` of history that the language model
    sees · ``passes`` at a time, ``pace`` per second · ``reading`` of a word cipher · ``pins`` (symbol, label) pairs by
    name, ``since`` which pass they are known · ``run`` that was started with all this.
    """

    place_fields = "run", "passes", "pace"

    kind: str = fields.choice(
        "kind", "letters", tuple(KIND_NAMES), label="Cipher", format_func=KIND_NAMES.get, slot="header", always=True
    )
    text: str = fields.choice(
        "text",
        "bakery",
        tuple(TEXT_NAMES),
        label="Text",
        format_func=TEXT_NAMES.get,
        slot="more",
        line="text",
        width=3,
        when=_letters,
        always=True,
    )
    sentences: str = fields.choice(
        "sentences",
        "grammar",
        tuple(SENTENCE_NAMES),
        label="Sentences",
        format_func=SENTENCE_NAMES.get,
        slot="more",
        line="text",
        width=3,
        when=_words,
        always=True,
    )
    seed: int = fields.integer(
        "seed", 0, 0, MAX_SEED, label="Key", slot="more", line="text", help="A seed: every key is another cipher."
    )
    first: str = fields.with_controls(
        link.multi_param(("runs",), "rcms", _read_runs, _write_runs, limits={"options": tuple(OF_EM)}),
        (fields.Control("selectbox", {"label": "Method", "format_func": heading}, slot="more", line="first", width=3),),
    )
    budget: int = fields.part(
        60,
        "number_input",
        when=lambda asked: _has_budget(asked.first),
        disable=True,
        label="Budget",
        min_value=1,
        max_value=MAX_BUDGET,
        step=10,
        slot="more",
        line="first",
        help=BUDGET_HELP,
    )
    second: str = fields.part(
        "beam",
        "selectbox",
        label="Beside it",
        options=(*OF_EM, NONE),
        format_func=heading,
        slot="more",
        line="second",
        width=3,
    )
    second_budget: int = fields.part(
        60,
        "number_input",
        when=lambda asked: _has_budget(asked.second),
        disable=True,
        label="Its budget",
        min_value=1,
        max_value=MAX_BUDGET,
        step=10,
        slot="more",
        line="second",
    )
    own: str = fields.coded(
        "own",
        "",
        link.at_most(MAX_CHARS),
        _carried,
        controls=(fields.Control(give_text, slot="above"),),
        widget=True,
        when=_letters,
    )
    plain: bool = link.flag("plain", False, when=_letters)
    upload: str = fields.coded(
        "upload", "", _digest, controls=(fields.Control(choose_sentences, slot="above"),), when=_words
    )
    letters: int = fields.integer(
        "order",
        3,
        1,
        MAX_ORDER,
        label="Order of the language model",
        slot="more",
        line="order",
        when=_letters,
        help="How many letters of history it sees.",
    )
    words: int = fields.integer(
        "order",
        2,
        1,
        MAX_ORDER,
        label="Order of the language model",
        slot="more",
        line="order",
        when=_words,
        help="How many words of history it sees.",
    )
    passes: int = fields.integer(
        "passes",
        125,
        1,
        MOST_PASSES,
        label="Passes at a time",
        step=10,
        slot="more",
        line="order",
        help="*Resume* makes as many more.",
    )
    pace: int = fields.choice(
        "pace", 10, PACES, widget="select_slider", label="Passes", format_func=PACE_NAMES.get, slot="more"
    )
    reading: str = fields.choice(
        "reading",
        "emission",
        READINGS,
        label="A symbol is read as the word",
        format_func=READING_NAMES.get,
        slot="more",
        when=_words,
        help=READING_HELP,
    )
    pins: tuple = fields.coded(
        "pins", (), read_pins, write_pins, controls=(fields.Control(offer_to_free, slot="above"),)
    )
    since: int = link.whole("since", 0, 0, MOST_PASSES, widget=False)
    run: str = link.coded("run", "", lambda name: name[:20], widget=False)

    @property
    def methods(self) -> tuple[MethodChoice, ...]:
        """One or two methods."""
        chosen = [MethodChoice(self.first, self.budget)]
        if self.second != NONE:
            chosen.append(MethodChoice(self.second, self.second_budget))
        return tuple(dict.fromkeys(chosen))

    @property
    def order(self) -> int:
        """How many labels of history the language model sees."""
        return self.letters if self.kind == "letters" else self.words

    @property
    def cipher(self) -> Self:
        """The question that says nothing but the cipher."""
        return self.only("kind", "text", "own", "plain", "sentences", "upload", "seed")

    @property
    def is_recorded(self) -> bool:
        """Whether a run of this question comes with the page."""
        return self.changed(run="").write() == OPENINGS[self.kind].write()

    def place(self) -> DecipherViewState:
        """What the link says of the view."""
        return DecipherViewState()

    def with_widgets(self, shown: Mapping[str, Any]) -> Self:
        """The question as its widgets show it.

        Whoever leaves the usual cipher of one kind comes to that of the other, with its methods. What was pinned in
        another cipher means nothing in this one.
        """
        found: Self = super().with_widgets(shown)
        if found.kind != self.kind and self.is_recorded:
            opens = OPENINGS[found.kind]
            found = found.changed(budget=opens.budget, second_budget=opens.second_budget)
        return found if found.cipher == self.cipher else found.changed(pins=(), since=0)

    def changed_widgets(self, before: "DecipherQuestion") -> tuple[str, ...]:
        """The widgets to set again: the budgets, if the other kind of cipher has brought its own."""
        return ("budget", "second_budget") if self.kind != before.kind else ()


# What the page opens with, of either kind: RCMS reads it, beam search with as many contexts does not.
OPENINGS = {"letters": DecipherQuestion(), "words": DecipherQuestion(kind="words", budget=2, second_budget=2)}


def summary(asked: DecipherQuestion) -> str:
    """The settings in a line."""
    chosen = TEXT_NAMES[asked.text] if asked.kind == "letters" else SENTENCE_NAMES[asked.sentences]
    return f"{chosen.rstrip(' …')}, key {asked.seed} · {' beside '.join(method.name for method in asked.methods)}"
