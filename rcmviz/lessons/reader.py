"""A lesson from its text file: a header between ``---``, what it is about, a step under each ``## ``."""

from __future__ import annotations

import re
from os import PathLike
from pathlib import Path
from typing import NoReturn

from rcmviz.lessons.lesson import Lesson, LessonError, Step, Text
from rcmviz.lessons.links import parse_query, parse_view
from rcmviz.lessons.markup import Lines, Markup
from rcmviz.lessons.parts import parse_figure, parse_parts
from rcmviz.lessons.points import parse_targets
from rcmviz.lessons.tasks import parse_task

MOST_BYTES, MOST_STEPS, LONGEST_MINUTES = 500_000, 60, 60
HEADER = ("title", "question", "minutes")
OF_STEP = ("view", "point", "show", "figure")

_LINE_END = re.compile(r"\r\n?|\n")
_FIELD = re.compile(r"([a-z]+):(?:\s+(.*)|$)")
_NUMBERED = re.compile(r"(\d+)-(.+)")


def read_lesson(path: str | PathLike) -> Lesson:
    """Read a lesson from its text file.

    Parameters
    ----------
    path : str or path
        A Markdown file in UTF-8, as ``docs/lessons.md`` says.

    Returns
    -------
    Lesson
        Its title, question and steps.

    Raises
    ------
    LessonError
        A syntax error, with file and line.
    OSError
        There is no such file.

    Examples
    --------
    >>> from rcmviz.lessons import TEMPLATE
    >>> read_lesson(TEMPLATE).minutes
    5
    """
    path = Path(path)
    if path.stat().st_size > MOST_BYTES:
        raise LessonError(str(path), 1, f"a lesson of more than {MOST_BYTES:,} bytes cannot be read: make two of it")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise LessonError(str(path), 1, "this is no text in UTF-8: save it as such") from None
    return parse_lesson(text, str(path))


def parse_lesson(text: str, file: str = "lesson.md") -> Lesson:
    """Read a lesson from its text; ``file`` names it in messages, and the lesson after its last part.

    Raises
    ------
    LessonError
        A syntax error, with file and line.

    Examples
    --------
    >>> text = "---\\ntitle: One\\nquestion: Why?\\nminutes: 1\\n---\\n\\n## Here\\nview: step?pos=2\\n\\nLook."
    >>> parse_lesson(text).steps[0].view.query
    {'pos': '2'}
    """
    return _Reader(text, file).lesson()


class _Reader:
    def __init__(self, text, file):
        self.file = file
        lines = _LINE_END.sub("\n", text).removesuffix("\n").split("\n")
        self.lines = list(enumerate((line.rstrip() for line in lines), start=1))
        self.markup = Markup(self.fail)

    def fail(self, line, message) -> NoReturn:
        raise LessonError(self.file, line, message)

    def lesson(self):
        """The whole lesson."""
        if len(self.lines) == 0 or self.lines[0][1] != "---":
            self.fail(1, "a lesson begins with a line --- and then title, question and minutes")
        end = next((k for k, (_, line) in enumerate(self.lines[1:], 1) if line == "---"), None)
        if end is None:
            self.fail(1, "the header has no end: close it with a line ---")
        header = {name: value for name, (_, value) in self.fields(self.lines[1:end], HEADER, HEADER).items()}
        starts = self._starts(end + 1)
        about = self.markup.read(self.lines[end + 1 : starts[0] if starts else None])
        steps = self._steps(starts)
        stem = re.split(r"[\\/]", self.file)[-1].removesuffix(".md")
        numbered = _NUMBERED.fullmatch(stem)
        return Lesson(
            numbered[2] if numbered else stem,
            int(numbered[1]) if numbered else None,
            header["title"],
            header["question"],
            self._minutes(header["minutes"]),
            about,
            steps,
            self.file,
        )

    def _minutes(self, text):
        if not text.isdecimal() or len(text) > 4 or not 1 <= int(text) <= LONGEST_MINUTES:
            self.fail(1, f"minutes: {text!r}: a whole number from 1 to {LONGEST_MINUTES}")
        return int(text)

    def _starts(self, first):
        """The first lines of steps, as indices; a ``## `` within a block of code begins nothing."""
        starts, coded = [], False
        for k in range(first, len(self.lines)):
            line = self.lines[k][1]
            coded ^= line.startswith("```")
            if line.startswith("## ") and not coded:
                starts.append(k)
        return starts

    def _steps(self, starts):
        if not 1 <= len(starts) <= MOST_STEPS:
            line = len(self.lines) or 1
            self.fail(line, f"{len(starts)} steps: a lesson has 1 to {MOST_STEPS}, each begins with a line ## Title")
        steps, view = [], None
        for start, end in zip(starts, [*starts[1:], len(self.lines)], strict=True):
            steps.append(self._step(self.lines[start:end], view))
            view = steps[-1].view
        return tuple(steps)

    def _step(self, lines, before):
        number, heading = lines[0]
        body = next((k for k, (_, line) in enumerate(lines) if k and not line), len(lines))
        fields = self.fields(lines[1:body], OF_STEP)
        view = self._view(fields, before, number)
        text, fence = self._split_task(lines[body:])
        task = parse_task(fence, view, self) if fence else None
        written = self.markup.read(text)
        if not written.blocks and task is None:
            self.fail(number, "this step has no text: write one below it")
        points = self.take(fields, "point", parse_targets, ())
        parts, figure = self.take(fields, "show", parse_parts, ()), self.take(fields, "figure", parse_figure, ())
        places = {"step": number} | {name: line for name, (line, _) in fields.items()}
        title = heading.removeprefix("## ").strip()
        return Step(title, view, "view" in fields, points, parts, figure, written, task, places)

    def _view(self, fields, before, number):
        """The view of a step; ``&pos=5`` is the one before with another position."""
        if "view" not in fields:
            if before is None:
                self.fail(number, "the first step needs a view: write view: step?word=exactly below its title")
            return before
        line, text = fields["view"]
        if not text.startswith("&"):
            return self.take(fields, "view", parse_view)
        if before is None:
            self.fail(line, "the first step has no view before it: write a page, step?word=exactly")
        return before.changed(self.take(fields, "view", lambda text: parse_query(text[1:])))

    def _split_task(self, lines):
        """(The lines of the text, those of its task with its fences, or [])."""
        begins = [k for k, (_, line) in enumerate(lines) if line.startswith("```task")]
        if not begins:
            return lines, []
        if len(begins) > 1:
            self.fail(lines[begins[1]][0], "a step has one task: move the second one to another step")
        start = begins[0]
        end = next((k for k in range(start + 1, len(lines)) if lines[k][1].startswith("```")), None)
        if end is None:
            self.fail(lines[start][0], "this task has no end: close it with ```")
        return lines[:start] + lines[end + 1 :], lines[start : end + 1]

    def fields(self, lines: Lines, known, needed=()) -> dict[str, tuple[int, str]]:
        """{name: (line, value)} of lines ``name: value``; a line that begins with two blanks continues the last."""
        fields, last = {}, None
        for number, line in lines:
            if line.startswith("  ") and last:
                fields[last] = fields[last][0], f"{fields[last][1]} {line.strip()}".strip()
                continue
            found = _FIELD.match(line)
            if not found:
                self.fail(number, f"{line[:40]!r} is no field: write name: value, or an empty line before a text")
            last = found[1]
            if last not in known:
                self.fail(number, f"{last!r} means nothing here: write {', '.join(known)}")
            if last in fields:
                self.fail(number, f"{last!r} occurs twice (first in line {fields[last][0]}); keep one")
            fields[last] = number, (found[2] or "").strip()
        for name in needed:
            if not fields.get(name, (0, ""))[1]:
                self.fail(lines[0][0] if lines else 1, f"{name!r} is missing: write a line {name}: …")
        return fields

    def take(self, fields, name, read, default=None):
        """A field parsed by ``read``, or the ``default``; its ValueError gets file and line."""
        if name not in fields:
            return default
        line, text = fields[name]
        try:
            return read(text)
        except LessonError:
            raise
        except ValueError as error:
            self.fail(line, str(error))

    def text(self, fields, name) -> Text | None:
        """A field as a text."""
        return self.take(fields, name, lambda text: self.markup.read([(fields[name][0], text)]))
