"""The link of the Decipher page: the cipher, the methods, what is known."""

import re
from dataclasses import dataclass, replace
from urllib.parse import unquote

from pages.shared.methods import NONE, parse_methods, write_methods
from pages.shell import link
from rcmviz.core.methods import OF_EM, MethodChoice
from rcmviz.tasks.decipher.symbols import READINGS
from rcmviz.tasks.decipher.texts import TEXTS

KINDS = ("letters", "words")
OWN = "own"
SENTENCES = ("grammar", "tatoeba", OWN)
MAX_BUDGET, MAX_SEED, MAX_ORDER = 1_000, 2**31 - 1, 3
MOST_PASSES = 200
LONGEST = 2_000  # characters of a cryptogram that a link carries
PACES = (1, 4, 10, 1_000)  # passes per second; the last is as many as there is time for
MOST_PINS = 100
UPLOADED = re.compile(r"[0-9a-f]{16}")
_ESCAPED = {ord(sign): f"%{ord(sign):02X}" for sign in "%,-"}  # in the names of pins, which these separate


@dataclass(frozen=True)
class DecipherPlace(link.Link):
    """The pass that is looked at."""

    at: int | None = link.whole("at", None, 1, 1_000_000, fallback=0)


def _read_runs(reader, puzzle, _field):
    first, second = [*reader.take("runs", _methods, puzzle.methods), None][:2]
    puzzle = replace(puzzle, first=first.kind, budget=_budget(first))
    return replace(puzzle, second=second.kind if second else NONE, second_budget=_budget(second))


def _methods(text):
    methods = parse_methods(text)
    if len(methods) > 2 or any(method.kind not in OF_EM for method in methods):
        *kinds, last = OF_EM
        raise ValueError(f"choose one or two of {', '.join(kinds)} and {last}, such as rcms:60,beam:60")
    if any(method.budget > MAX_BUDGET for method in methods):
        raise ValueError(f"a budget is at most {MAX_BUDGET:,} here")
    return methods


def _budget(method):
    return method.budget if method and method.has_budget else Puzzle.budget


def _write_runs(puzzle, _field):
    return {} if puzzle.methods == Puzzle().methods else {"runs": write_methods(puzzle.methods)}


def _digest(text):
    if not UPLOADED.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is no text that was given here")
    return text


def _carried(text):
    return text if len(text) <= LONGEST else None


def read_pins(text):
    """Pairs (symbol, label) of a text such as ``Q-t,X-h``; ValueError where it is none.

    >>> read_pins("Q-t,017-house")
    (('Q', 't'), ('017', 'house'))
    """
    pins = [tuple(map(unquote, part.split("-", 1))) for part in text.split(",") if part]
    if len(pins) > MOST_PINS or any(len(pin) != 2 or not all(pin) for pin in pins):
        raise ValueError(f"{text[:40]!r} is not what symbols stand for, such as Q-t,X-h")
    if len(dict(pins)) < len(pins):
        raise ValueError(f"{text[:40]!r} says of a symbol twice what it stands for")
    return tuple(pins)


def write_pins(pins):
    """Pairs (symbol, label) as text.

    >>> write_pins((("Q", "t"), ("017", "house")))
    'Q-t,017-house'
    """
    return ",".join("-".join(name.translate(_ESCAPED) for name in pin) for pin in pins)


@dataclass(frozen=True)
class Puzzle(link.Link):
    """``kind`` of the cipher · of letters the ``text``, a prepared one or ``own``, which is enciphered first where it
    is ``plain`` · of words where the ``sentences`` are from, ``upload`` the digest of one's own · ``seed`` of the key ·
    ``first`` and ``second`` method with their budgets · ``letters`` and ``words`` of history that the language model
    sees · ``passes`` at a time, ``pace`` per second · ``reading`` of a word cipher · ``pins`` (symbol, label) pairs by
    name, ``since`` which pass they are known · ``run`` that was started with all this.
    """

    kind: str = link.choice("kind", "letters", KINDS, always=True)
    text: str = link.choice("text", "bakery", (*TEXTS, OWN), of="letters", always=True)
    sentences: str = link.choice("sentences", "grammar", SENTENCES, of="words", always=True)
    first: str = link.multi_param(("runs",), "rcms", _read_runs, _write_runs, limits={"options": tuple(OF_EM)})
    budget: int = link.part(60, min_value=1, max_value=MAX_BUDGET)
    second: str = link.part("beam", options=(*OF_EM, NONE))
    second_budget: int = link.part(60, min_value=1, max_value=MAX_BUDGET)
    own: str = link.coded("own", "", link.at_most(LONGEST), _carried, of="letters")
    plain: bool = link.flag("plain", False, of="letters")
    upload: str = link.coded("upload", "", _digest, of="words", widget=False)
    seed: int = link.whole("seed", 0, 0, MAX_SEED)
    letters: int = link.whole("order", 3, 1, MAX_ORDER, of="letters")
    words: int = link.whole("order", 2, 1, MAX_ORDER, of="words")
    passes: int = link.whole("passes", 125, 1, MOST_PASSES)
    pace: int = link.choice("pace", 10, PACES)
    reading: str = link.choice("reading", "emission", READINGS, of="words")
    pins: tuple = link.coded("pins", (), read_pins, write_pins, widget=False)
    since: int = link.whole("since", 0, 0, MOST_PASSES, widget=False)
    run: str = link.coded("run", "", lambda name: name[:20], widget=False)

    @property
    def methods(self):
        """One or two MethodChoices."""
        chosen = [MethodChoice(self.first, self.budget)]
        if self.second != NONE:
            chosen.append(MethodChoice(self.second, self.second_budget))
        return tuple(dict.fromkeys(chosen))

    @property
    def order(self):
        """How many labels of history the language model sees."""
        return self.letters if self.kind == "letters" else self.words

    @property
    def cipher(self):
        """The puzzle of which nothing but the cipher is said."""
        return self.only("kind", "text", "own", "plain", "sentences", "upload", "seed")

    def groups(self):
        """What matters to this kind of cipher."""
        return (self.kind,)

    def place(self):
        """Where the view stands."""
        return DecipherPlace()

    def with_widgets(self, shown):
        """What was pinned in another cipher means nothing in this one."""
        puzzle = super().with_widgets(shown)
        return puzzle if puzzle.cipher == self.cipher else replace(puzzle, pins=(), since=0)


# What the page opens with, of either kind: RCMS reads it, beam search with as many contexts does not.
OPENINGS = {"letters": Puzzle(), "words": Puzzle(kind="words", budget=2, second_budget=2)}
