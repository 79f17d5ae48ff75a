"""Lessons and their parts: views, expressions, numbers, targets."""

from fuzz.damage import of_bytes
from fuzz.files import as_file
from fuzz.target import target
from rcmviz.lessons import TEMPLATE
from rcmviz.lessons.expressions import evaluate, parse_expression
from rcmviz.lessons.links import parse_query, parse_view
from rcmviz.lessons.numbers import read_number
from rcmviz.lessons.points import parse_targets
from rcmviz.lessons.reader import read_lesson

COURSE = TEMPLATE.parent / "course"


def course():
    """Our lessons and the template."""
    return {path.name: path.read_bytes() for path in (TEMPLATE, *sorted(COURSE.glob("0[123]*.md")))}


WORDS = (
    b"## ",
    b"---",
    b"```task",
    b"```",
    b"view: ",
    b"point: ",
    b"&pos=3",
    b"{1: beam.x}",
    b"**",
    b"$",
    b"![x](y)",
    b"| a |",
)


@target("lesson", course, of_bytes(*WORDS))
def lesson(content):
    found = read_lesson(as_file(content, "lesson.md"))
    return found.title, len(found.steps)


PARTS = {
    "expression": (
        "pos == beam.lost_at and not rcms.right",
        "rcms.log_z[edits=f3:=a] - rcms.log_z",
        "rcms.fate(*ac, 4)[budget=20] > 0.5",
        "(1 + 2) * -3 / 0 >= pos or none == false",
    ),
    "view": ("step?word=exactly&pos=3",),
    "query": ("pos=3&edits=p4:ol",),
    "number": ("89 %", "1,234.5 nats", "−0.026"),
    "targets": ('context *ol of 2, widget "Word, or letters", budget',),
}
READERS = {"view": parse_view, "query": parse_query, "number": read_number, "targets": parse_targets}


@target(
    "lesson-parts",
    lambda: {f"{kind}{k}": f"{kind} {text}".encode() for kind, texts in PARTS.items() for k, text in enumerate(texts)},
    of_bytes(
        b"(", b"not ", b"-", b"and ", b"[", b"]", b'"', b".x", b"(" * 3_000, b"not " * 3_000, b"-" * 3_000, b"1e999"
    ),
)
def part(content):
    kind, _, text = content.decode("utf-8", "replace").partition(" ")
    return READERS.get(kind, expression)(text)


def expression(text):
    """The value of an expression; 1 / 0 is not a number there, as in JavaScript."""
    found = parse_expression(text)
    value = evaluate(found.tree, {"pos": "4"}, {str(fact): 5 for fact in found.facts})
    return str(found.facts), None if isinstance(value, float) else value
