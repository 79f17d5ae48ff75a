"""A lesson as values: steps, each with a view, what to point at, a text and perhaps a task; and the error of a file."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from rcmviz.lessons.expressions import Expression, Fact
from rcmviz.lessons.links import View

KINDS = ("until", "choose", "sign", "predict")
SIGNS = ("It falls.", "It stays.", "It rises.")  # what a task of kind "sign" offers


class LessonError(ValueError):
    """A lesson that cannot be used; the message names the file, the line and what to write instead."""

    def __init__(self, file: str, line: int, message: str):
        super().__init__(f"{file}:{line}: {message}")
        self.file, self.line = file, line


@dataclass(frozen=True)
class Value:
    """A fact in a text: the engine must find ``shown`` in the ``view`` · ``line`` of the file."""

    shown: str
    expression: Expression
    line: int


@dataclass(frozen=True)
class Text:
    """A text: ``blocks`` as the browser draws them, its ``values``, the ``views`` that it leads to as (View, line),
    what phrases point at as (target, line), and its ``sentences`` as (words, line).
    """

    blocks: list
    values: tuple[Value, ...] = ()
    views: tuple[tuple[View, int], ...] = ()
    targets: tuple[tuple[str, int], ...] = ()
    sentences: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Task:
    """A task of the reader; ``docs/lessons.md`` has the kinds. ``fields`` are the parts of the kind, by name:

    * ``until``: ``until``, an Expression of the live view.
    * ``choose``: ``options``, Texts; ``answer``, an Expression of the step's view.
    * ``sign``: ``of``, an Expression that is one fact; ``change``, parameters of the link that become others.
    * ``predict``: ``of`` "kept" or "mass"; ``at``, the position, or None; ``run``, the number of the method from 0, or
      None; ``need``, the share that must be right.

    ``solution`` is the View in which it is done, if the lesson says · ``offline`` (what it is called, View) that an
    exported file offers · ``lines`` of the fields.
    """

    kind: str
    ask: Text
    hint: Text | None
    right: Text | None
    wrong: Text | None
    fields: dict[str, Any]
    solution: View | None
    offline: tuple[tuple[str, View], ...]
    lines: dict[str, int]

    @property
    def line(self) -> int:
        """Its first line in the file."""
        return self.lines["task"]

    @property
    def texts(self) -> list[Text]:
        """Its texts in order."""
        said = [self.ask, self.hint, self.right, self.wrong, *self.fields.get("options", ())]
        return [text for text in said if text is not None]

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts needed to judge the task."""
        asked = [self.fields[name] for name in ("until", "answer", "of") if name in self.fields]
        return tuple(fact for part in asked if isinstance(part, Expression) for fact in part.facts)


@dataclass(frozen=True)
class Step:
    """One idea: ``title``, ``text``, the ``view`` that is shown, what to point at (``points``), perhaps a ``task``.

    ``parts`` of the page are visible, all if empty; a ``figure`` (its name, words) is shown in place of the page.
    ``opens`` says whether the step has a view of its own; another one leaves the view as it is.
    """

    title: str
    view: View
    opens: bool
    points: tuple[str, ...]
    parts: tuple[str, ...]
    figure: tuple[str, ...]
    text: Text
    task: Task | None
    lines: dict[str, int]

    @property
    def line(self) -> int:
        """Its first line in the file."""
        return self.lines["step"]

    @property
    def texts(self) -> list[Text]:
        """Its texts in order."""
        return [self.text, *(self.task.texts if self.task else ())]


@dataclass(frozen=True)
class Lesson:
    """A lesson: ``name`` in links, ``number`` in the course or None, ``title``, the ``question`` that it answers, how
    many ``minutes`` it takes, a few words ``about`` it, its ``steps``; ``file`` where it is from.
    """

    name: str
    number: int | None
    title: str
    question: str
    minutes: int
    about: Text
    steps: tuple[Step, ...]
    file: str

    def payload(self) -> dict[str, Any]:
        """The payload for the browser, without the engine's facts: conditions of tasks and figures are null.

        Examples
        --------
        >>> from rcmviz.lessons import TEMPLATE, read_lesson
        >>> read_lesson(TEMPLATE).payload()["steps"][0]["view"]["page"]
        'compare'
        """
        content = {
            "name": self.name,
            "number": self.number,
            "title": self.title,
            "question": self.question,
            "minutes": self.minutes,
            "about": self.about.blocks,
            "steps": [_step_payload(step) for step in self.steps],
        }
        return {"id": hashlib.sha1(json.dumps(content).encode()).hexdigest()[:16]} | content


def _step_payload(step):
    return {
        "title": step.title,
        "text": step.text.blocks,
        "view": step.view.payload() if step.opens else None,
        "point": list(step.points),
        "show": list(step.parts),
        "figure": None,
        "task": step.task and _task(step.task),
    }


def _task(task):
    options = task.fields.get("options")
    choices = [[SIGN] for SIGN in SIGNS] if task.kind == "sign" else options and [_spans(text) for text in options]
    return {
        "kind": task.kind,
        "ask": task.ask.blocks,
        "hint": task.hint and task.hint.blocks,
        "done": task.right and task.right.blocks,
        "choices": choices or None,
        "quiz": _quiz(task),
        "solution": task.solution and task.solution.payload(),
        "offline": [{"said": said, "query": view.query} for said, view in task.offline],
        "condition": None,
    }


def _spans(text):
    """A text of one paragraph as its spans."""
    return text.blocks[0][1]


def _quiz(task):
    """The question for the player."""
    if task.kind != "predict":
        return None
    asked = {"kind": task.fields["of"], "run": task.fields["run"], "position": task.fields["at"]}
    return {name: value for name, value in asked.items() if value is not None}
