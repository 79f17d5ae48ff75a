"""Conditions and numbers of lessons: a small language over the link of a view and the facts that the engine has of it.

    pos == beam.lost_at and not rcms.right
    rcms.log_z[edits=f3:=a] - rcms.log_z

A **bare name** is a parameter of the link. A name with a **dot** is a fact, ``OWNER.NAME`` or
``OWNER.NAME(arguments)``; ``[name=value&…]`` behind it replaces parameters of the link. An
expression becomes a small JSON tree, which Python and the browser evaluate alike (``views/lesson/condition.js``): a
list is an operation, anything else a constant, null is "none".
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from rcmviz.lessons.links import parse_query

Tree = Any  # a list [operation, …] or a constant: what JSON can hold

LONGEST = 300  # characters: an expression is a line
DEEPEST = 30  # parentheses within each other: each takes eight calls of Python's thousand
NEAR = 1e-9  # numbers that differ by less, relatively, are equal
COMPARISONS = ("==", "!=", "<=", ">=", "<", ">")
CONSTANTS = {"true": True, "false": False, "none": None}
WORDS = ("and", "or", "not", *CONSTANTS)

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>\d+(?:\.\d+)?(?:e-?\d+)?)
      | (?P<text>"[^"]*"|'[^']*')
      | (?P<fact>[A-Za-z][\w:@]*\.[a-z]\w*)(?P<given>\((?:[^()"']|"[^"]*"|'[^']*')*\))?(?P<change>\[[^\]]*\])?
      | (?P<name>[A-Za-z]\w*)
      | (?P<sign>==|!=|<=|>=|[-+*/<>()])
    )""",
    re.VERBOSE,
)
_PART = re.compile(r"""\s*("[^"]*"|'[^']*'|[^,"']+?)\s*(?:,|$)""")
_SECOND_CHANGE = re.compile(r",\s*[A-Za-z]\w*=")  # "budget=20, beam=4": to a link, the budget "20, beam=4"
_PLAIN_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?")
_PRECISE = {"==": lambda one, other: same(one, other), "!=": lambda one, other: not same(one, other)}
_ORDERED = {
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    ">=": lambda one, other: one >= other,
}
_SUMS = {
    "+": lambda one, other: one + other,
    "-": lambda one, other: one - other,
    "*": lambda one, other: one * other,
    "/": lambda one, other: one / other if other else math.nan,
}


@dataclass(frozen=True)
class Fact:
    """A query of the engine on a view: ``beam.lost_at``, ``rcms.fate(*ac, 4)``, ``beam.output[budget=20]``.

    ``owner`` a method as links write it, or ``"view"`` · ``name`` · ``given`` its arguments, numbers or texts ·
    ``change`` the parameters of the link that are others, as (name, value).

    >>> str(Fact("rcms", "fate", ("*ac", 4), (("budget", "20"),)))
    'rcms.fate(*ac, 4)[budget=20]'
    """

    owner: str
    name: str
    given: tuple[str | float, ...] = ()
    change: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        given = f"({', '.join(map(_value_text, self.given))})" if self.given else ""
        change = f"[{'&'.join(f'{name}={value}' for name, value in self.change)}]" if self.change else ""
        return f"{self.owner}.{self.name}{given}{change}"


@dataclass(frozen=True)
class Expression:
    """An expression: its ``text``, its ``tree``, the ``facts`` and the ``names`` of parameters that it needs."""

    text: str
    tree: Tree
    facts: tuple[Fact, ...]
    names: tuple[str, ...]


def parse_expression(text: str) -> Expression:
    """Read an expression; ValueError names the part that cannot be parsed.

    >>> parse_expression("pos == beam.lost_at").tree
    ['==', ['link', 'pos'], ['fact', 'beam.lost_at']]
    """
    if len(text) > LONGEST:
        raise ValueError(f"{text[:30]!r} … is {len(text):,} characters long: write {LONGEST} at most")
    parser = _Parser(text)
    tree = parser.either()
    if parser.token is not None:
        parser.refuse()
    return Expression(text, tree, tuple(dict.fromkeys(parser.facts)), tuple(dict.fromkeys(parser.names)))


class _Parser:
    """Reads from left to right; each method reads what binds as strongly as its name says, and returns its tree."""

    def __init__(self, text):
        self.text, self.facts, self.names, self.depth = text, [], [], 0
        self.tokens = self._split()
        self.token = None
        self.step()

    def _split(self):
        at = 0
        while self.text[at:].strip():
            found = _TOKEN.match(self.text, at)
            if not found:
                raise ValueError(f"{self.text[at:].strip()[:30]!r} is not understood in {self.text!r}")
            at = found.end()
            yield found

    def step(self):
        self.token = next(self.tokens, None)

    def sign(self):
        """The operation or word that is next, None where something else is."""
        if self.token is None:
            return None
        name = self.token["name"]
        return self.token["sign"] or (name if name in WORDS else None)

    def refuse(self):
        found = "nothing" if self.token is None else repr(self.token[0].strip())
        raise ValueError(f"{self.text!r} is no expression: {found} is unexpected")

    def either(self):
        return self._chain(("or",), self._both)

    def _both(self):
        return self._chain(("and",), self._negation)

    def _negation(self):
        if self.sign() != "not":
            return self._comparison()
        self.step()
        return ["not", self._negation()]

    def _comparison(self):
        left = self._sum()
        sign = self.sign()
        if sign not in COMPARISONS:
            return left
        self.step()
        return [sign, left, self._sum()]

    def _sum(self):
        return self._chain(("+", "-"), self._product)

    def _product(self):
        return self._chain(("*", "/"), self._signed)

    def _chain(self, signs, of):
        tree = of()
        while (sign := self.sign()) in signs:
            self.step()
            tree = [sign, tree, of()]
        return tree

    def _signed(self):
        if self.sign() != "-":
            return self._atom()
        self.step()
        return ["-", 0, self._signed()]

    def _atom(self):
        token, sign = self.token, self.sign()
        if token is None or (sign is not None and sign != "(" and sign not in CONSTANTS):
            self.refuse()
        self.step()
        if sign == "(":
            return self._within()
        if sign in CONSTANTS:
            return CONSTANTS[sign]
        if token["number"]:
            return as_value(token["number"])
        if token["text"]:
            return token["text"][1:-1]
        if token["name"]:
            self.names.append(token["name"])
            return ["link", token["name"]]
        self.facts.append(_fact(token))
        return ["fact", str(self.facts[-1])]

    def _within(self):
        """The content of parentheses, the first already read."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise ValueError(f"{self.text[:30]!r} … has parentheses in parentheses {DEEPEST} times: write it flatter")
        tree = self.either()
        if self.sign() != ")":
            self.refuse()
        self.step()
        self.depth -= 1
        return tree


def _fact(token):
    owner, name = token["fact"].rsplit(".", 1)
    given = (token["given"] or "()")[1:-1].strip()
    change = (token["change"] or "[]")[1:-1]
    if _SECOND_CHANGE.search(change):
        raise ValueError(f"[{change}]: write & between two changes, as in a link: [budget=20&pos=4]")
    return Fact(owner, name, tuple(_arguments(given)), tuple(parse_query(change).items()))


def _arguments(text):
    at = 0
    while at < len(text):
        found = _PART.match(text, at)
        if not found:
            raise ValueError(f"({text}): separate arguments by commas, and quote those with commas or quotes in them")
        part, at = found[1], found.end()
        yield part[1:-1] if part[0] in "\"'" else as_value(part)


def _value_text(value):
    text = str(value)
    quoted = isinstance(value, str) and (as_value(text) != text or set(text) & set(",()\"'") or text.strip() != text)
    return f'"{text}"' if quoted else text


def as_value(text: str) -> str | float:
    """The value of a text in a link: a number if it is one, else the text itself.

    >>> as_value("5"), as_value("0.5"), as_value("*ol")
    (5, 0.5, '*ol')
    """
    if not _PLAIN_NUMBER.fullmatch(text):
        return text
    number = float(text)
    return int(number) if number.is_integer() and abs(number) < 1e15 else number


def evaluate(tree: Tree, link: dict[str, str], facts: dict[str, Any]) -> Any:
    """The value of a tree on a link and its facts; a KeyError names the fact that is not among them.

    >>> evaluate(parse_expression("pos + 1 == beam.lost_at").tree, {"pos": "4"}, {"beam.lost_at": 5})
    True
    """
    if not isinstance(tree, list):
        return tree
    sign, *parts = tree
    if sign == "link":
        return as_value(link[parts[0]]) if link.get(parts[0]) is not None else None
    if sign == "fact":
        return facts[parts[0]]
    if sign == "and":
        return all(truth(evaluate(part, link, facts)) for part in parts)
    if sign == "or":
        return any(truth(evaluate(part, link, facts)) for part in parts)
    values = [evaluate(part, link, facts) for part in parts]
    if sign == "not":
        return not truth(values[0])
    if sign in _PRECISE:
        return _PRECISE[sign](*values)
    numbers = all(_is_number(value) for value in values)
    if sign in _ORDERED:
        return numbers and _ORDERED[sign](*values)
    return _SUMS[sign](*values) if numbers else math.nan


def truth(value: Any) -> bool:
    """Whether a value is ``true``."""
    return value is True


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal: numbers up to rounding, a number and a text where they are written alike."""
    if _is_number(one) and _is_number(other):
        return math.isclose(one, other, rel_tol=NEAR, abs_tol=NEAR)
    if isinstance(one, bool) or isinstance(other, bool) or one is None or other is None:
        return one is other
    return str(one) == str(other)


def _is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool)
