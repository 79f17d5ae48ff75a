"""What the Decipher page reads, as one frozen value that a link can carry: the cipher, the methods, what is known."""

import re
from dataclasses import dataclass, fields
from urllib.parse import unquote

from pages.word.settings import Method, Reader, parse_methods
from rcmviz.tasks.decipher.symbols import READINGS
from rcmviz.tasks.decipher.texts import TEXTS

KINDS = ("letters", "words")
OWN = "own"
SENTENCES = ("grammar", "tatoeba", OWN)
METHODS = ("rcms", "beam", "exact")
NONE = "none"  # the second method, when there is one
MAX_BUDGET, MAX_SEED, MAX_ORDER = 1_000, 2**31 - 1, 3
MOST_PASSES = 200
LONGEST = 2_000  # characters of a cryptogram that a link carries
PACES = (1, 4, 10, 1_000)  # passes per second; the last is as many as there is time for
MOST_PINS = 100
_ESCAPED = {ord(sign): f"%{ord(sign):02X}" for sign in "%,-"}  # in the names of pins, which these separate
UPLOADED = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True)
class Puzzle:
    """``kind`` of the cipher · of letters the ``text``, a prepared one or ``own``, which is enciphered first where it
    is ``plain`` · of words where the ``sentences`` are from, ``upload`` the digest of one's own · ``seed`` of the key ·
    ``first`` and ``second`` method with their budgets · ``letters`` and ``words`` of history that the language model
    sees · ``passes`` at a time, ``pace`` per second · ``reading`` of a word cipher · ``pins`` (symbol, label) pairs by
    name · ``run`` that was started with all this.
    """

    kind: str = "letters"
    text: str = "bakery"
    own: str = ""
    plain: bool = False
    sentences: str = "grammar"
    upload: str = ""
    seed: int = 0
    first: str = "rcms"
    budget: int = 60
    second: str = "beam"
    second_budget: int = 60
    letters: int = 3
    words: int = 2
    passes: int = 125
    pace: int = 10
    reading: str = "emission"
    pins: tuple = ()
    run: str = ""

    @property
    def methods(self):
        """One or two Methods."""
        chosen = [_method(self.first, self.budget)]
        if self.second != NONE:
            chosen.append(_method(self.second, self.second_budget))
        return tuple(dict.fromkeys(chosen))

    @property
    def order(self):
        """How many labels of history the language model sees."""
        return self.letters if self.kind == "letters" else self.words


def _method(kind, budget):
    return Method(kind) if kind == "exact" else Method(kind, budget)


PARAMETERS = ("kind", "text", "own", "plain", "sentences", "upload", "seed", "runs", "order", "passes", "pace",
              "reading", "pins", "run")  # fmt: skip
PLACE = ("at",)  # what the browser writes: the pass that is looked at
OF_KIND = {"letters": {"text", "own", "plain", "letters"}, "words": {"sentences", "upload", "words", "reading"}}
METHOD_FIELDS = {"first", "budget", "second", "second_budget"}
NAMES = {"letters": "order", "words": "order"}


def read_puzzle(query):
    """(Puzzle, opening, notices) of a link; ``opening`` the pass to show, None where the link does not say."""
    reader, usual = Reader(query), Puzzle()
    kind = reader.choice("kind", KINDS, usual.kind)
    order = reader.number("order", 1, MAX_ORDER, usual.letters if kind == "letters" else usual.words)
    puzzle = Puzzle(
        kind,
        reader.choice("text", (*TEXTS, OWN), usual.text),
        reader.parsed("own", _short, ""),
        reader.choice("plain", ("0", "1"), "0") == "1",
        reader.choice("sentences", SENTENCES, usual.sentences),
        reader.parsed("upload", _digest, ""),
        reader.number("seed", 0, MAX_SEED, usual.seed),
        **_methods(reader.parsed("runs", _parse_methods, usual.methods)),
        **{kind: order},
        passes=reader.number("passes", 1, MOST_PASSES, usual.passes),
        pace=int(reader.choice("pace", tuple(map(str, PACES)), str(usual.pace))),
        reading=reader.choice("reading", READINGS, usual.reading),
        pins=reader.parsed("pins", read_pins, ()),
        run=query.get("run", "")[:20],
    )
    opening = (reader.number("at", 1, 1_000_000, 0) or None) if "at" in query else None
    unknown = sorted(set(query) - set(PARAMETERS) - set(PLACE))
    if unknown:
        named = ", ".join(repr(name[:40]) for name in unknown[:5])
        reader.notices.append(f"The link has {named}, which means nothing here.")
    return puzzle, opening, reader.notices


def _short(text):
    if len(text) > LONGEST:
        raise ValueError(f"{len(text):,} characters are too many, {LONGEST:,} can be read")
    return text


def _digest(text):
    if not UPLOADED.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is no text that was given here")
    return text


def _parse_methods(text):
    methods = parse_methods(text)
    if len(methods) > 2 or any(method.kind not in METHODS for method in methods):
        raise ValueError("choose one or two of rcms, beam and exact, such as rcms:60,beam:60")
    if any(method.kind != "exact" and method.budget > MAX_BUDGET for method in methods):
        raise ValueError(f"a budget is at most {MAX_BUDGET:,} here")
    return methods


def _methods(methods):
    first, *more = methods
    second = more[0] if more else Method(NONE)
    return {"first": first.kind, "budget": _budget(first), "second": second.kind, "second_budget": _budget(second)}


def _budget(method):
    return method.budget if method.kind in ("rcms", "beam") else Puzzle.budget


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


def write_puzzle(puzzle):
    """The puzzle as query parameters, what is as always left out; the browser adds the pass that is looked at.

    >>> write_puzzle(Puzzle(text="train", second="none", pins=(("Q", "t"),)))
    {'kind': 'letters', 'text': 'train', 'runs': 'rcms:60', 'pins': 'Q-t'}
    """
    usual, query = Puzzle(kind=puzzle.kind), {"kind": puzzle.kind}
    query["text" if puzzle.kind == "letters" else "sentences"] = (
        puzzle.text if puzzle.kind == "letters" else puzzle.sentences
    )
    if puzzle.methods != usual.methods:
        query["runs"] = ",".join(map(str, puzzle.methods))
    other = OF_KIND["words" if puzzle.kind == "letters" else "letters"]
    for field in fields(Puzzle):
        value = getattr(puzzle, field.name)
        told = value != getattr(usual, field.name) and not (field.name == "own" and len(value) > LONGEST)
        if told and field.name not in METHOD_FIELDS | other:
            query[NAMES.get(field.name, field.name)] = _written(value)
    return query


def _written(value):
    if isinstance(value, tuple):
        return ",".join("-".join(name.translate(_ESCAPED) for name in pin) for pin in value)
    return str(int(value)) if isinstance(value, bool) else str(value)
