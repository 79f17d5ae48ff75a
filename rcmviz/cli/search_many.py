"""Many searches one after the other: the lines of a file, letters for the pen to write or keys of a phone."""

import json
from collections.abc import Callable
from statistics import mean, median
from typing import NamedTuple

import typer
from rich.markup import escape

from rcmviz.cli.console import plain_table, progress_bar, terminal, until_stopped
from rcmviz.core.shared.text_file import decode, lines_of
from rcmviz.core.shared.wording import counted


def read_lines(path):
    """[(line number, text)] of the lines of a UTF-8 text that are not blank; ValueError if there is none."""
    text = decode(path.read_bytes(), path, fault="{source}: byte {offset} is no UTF-8", remedy="save it as UTF-8 text")
    found = [(number, line.strip()) for number, line in enumerate(lines_of(text), start=1) if line.strip()]
    if not found:
        raise ValueError(f"{path}: there is nothing to search; write a word, or the keys of a message, on each line")
    return found


class Subject(NamedTuple):
    """A line to search, its right answer or None, and the function that makes its problem."""

    line: int
    text: str
    right: str | None
    make_problem: Callable


def search_lines(path, subjects, search, shown, as_json):
    """Search all ``Subject``s and print a row each; Ctrl-C keeps those that are done. ``search(problem)`` is a
    ``Search``, ``shown(steps)`` spells an answer.
    """
    rows = []
    with until_stopped(lambda: _kept_message(rows, subjects)), progress_bar() as progress:
        bar = progress.add_task(f"searching {escape(path.name)}", total=len(subjects))
        for subject in subjects:
            rows.append(_row(subject, search(subject.make_problem()), shown))
            progress.advance(bar)
    if as_json:
        return typer.echo(json.dumps({"of": len(subjects), "searches": rows}, ensure_ascii=False))
    console = terminal()
    console.print(_table(rows), end="\n\n")
    console.print(escape(_summary(rows, len(subjects))), soft_wrap=True)


def _kept_message(rows, subjects):
    return f"stopped after {len(rows):,} of {counted(len(subjects), 'line')}; these are kept" if rows else None


def _row(subject, found, shown):
    """A search as one row of the table, and of the JSON."""
    answers = [{"steps": list(one.steps), "score": one.score, "gap": one.gap} for one in found.answers]
    said = shown(found.answers[0].steps) if found.answers else None
    return {
        "line": subject.line,
        "text": subject.text,
        "found": said,
        "right": None if subject.right is None else said == subject.right,
        "answers": answers,
        "proved": found.proved,
        "stopped": found.stopped,
        "pops": found.pops,
        "expansions": found.expansions,
    }


def _table(rows):
    """Line, text, answer, score, its proof, expansions."""
    lines = []
    for row in rows:
        first = row["answers"][0] if row["answers"] else None
        score = f"{first['score']:.3f}" if first else ""
        proved = "yes" if row["proved"] else "" if not first or first["gap"] is None else f"{first['gap']:.3f} above"
        said = row["found"] or "nothing"
        mark = " ✗" if row["right"] is False else ""
        lines.append((f"{row['line']:,}", row["text"], said + mark, score, proved, f"{row['expansions']:,}"))
    headers = ("line", "text", "found", "score", "proved", "expansions")
    return plain_table(headers, lines, ("text", "found", "proved"))


def _summary(rows, total):
    """The numbers of right and proved answers, and their cost."""
    expansions = [row["expansions"] for row in rows]
    known = [row["right"] for row in rows if row["right"] is not None]
    part = f"{len(rows):,} of " if len(rows) < total else ""
    said = [part + counted(total, "line")]
    if known:
        said.append(f"{sum(known):,} of {len(known):,} right")
    said.append(f"{sum(row['proved'] for row in rows):,} proved")
    unfinished = sum(not row["answers"] for row in rows)
    said += [f"{unfinished:,} without an answer"] if unfinished else []
    return ", ".join(said) + f"; {mean(expansions):,.1f} expansions each, the median {median(expansions):,.0f}"
