"""The commands `lesson …`: begin lessons, check them against the engine, open them in the application, export them."""

import json
import shutil
import threading
import time
import urllib.error
import urllib.request
import webbrowser
from pathlib import Path
from typing import Annotated
from urllib.parse import urlencode

import typer

from rcmviz.cli.app import from_application, open_app
from rcmviz.cli.console import plain_table, show_spinner, terminal
from rcmviz.cli.options import Json
from rcmviz.core.shared.whole_file import write_text
from rcmviz.lessons import TEMPLATE, course, read_lesson

LONGEST_WAIT = 300  # seconds that a browser waits for the server: the first time kernels are compiled

lesson_app = typer.Typer(no_args_is_help=True, help="Lessons: text files that lead through views, with tasks.")

LessonFile = Annotated[Path, typer.Argument(help="A lesson: a text file in Markdown (docs/lessons.md).")]


@lesson_app.command()
def new(file: Annotated[Path, typer.Argument(help="File to write, such as mine.md.")]):
    """Begin a lesson: write the template, which runs as it is, to a file of yours."""
    if file.exists():
        raise ValueError(f"{file} exists already: name a new file")
    shutil.copyfile(TEMPLATE, file)
    typer.echo(file)


@lesson_app.command()
def check(
    files: Annotated[list[Path] | None, typer.Argument(help="Lessons; without any, the course of rcmviz.")] = None,
    as_json: Json = False,
):
    """Check lessons against the engine: links, numbers, targets of points, tasks and their solutions."""
    lessons = [read_lesson(file) for file in files] if files else list(course())
    with show_spinner("Opening the views"):
        found = [(lesson, from_application("pages.lessons.checking").check_lesson(lesson)) for lesson in lessons]
    if as_json:
        rows = [_remark(lesson, remark) for lesson, remarks in found for remark in remarks]
        typer.echo(json.dumps({"remarks": rows, "lessons": [lesson.name for lesson in lessons]}, ensure_ascii=False))
    else:
        for lesson, remarks in found:
            _print_remarks(lesson, remarks)
    if any(remark.is_error for _, remarks in found for remark in remarks):
        raise typer.Exit(1)


def _remark(lesson, remark):
    return {"file": lesson.file, "line": remark.line, "error": remark.is_error, "text": remark.text}


def _print_remarks(lesson, remarks):
    for remark in remarks:
        typer.echo(f"{lesson.file}:{remark.line}: {'' if remark.is_error else 'could be better: '}{remark.text}")
    tasks = sum(step.task is not None for step in lesson.steps)
    values = sum(len(text.values) for step in lesson.steps for text in step.texts)
    wrong = sum(remark.is_error for remark in remarks)
    said = f"{wrong} to mend" if wrong else "the engine agrees"
    typer.echo(f"{lesson.title}: {len(lesson.steps)} steps, {tasks} tasks, {values} values: {said}")


@lesson_app.command()
def facts(page: Annotated[str, typer.Argument(help="A page: step, compare, ars …")], as_json: Json = False):
    """List what the engine says of the views of a page, by the names that lessons use."""
    known = from_application("pages.lessons.facts").facts_known(page)
    if not known:
        raise ValueError(f"the page {page!r} has no facts: its tasks can ask for parameters of the link only")
    if as_json:
        typer.echo(json.dumps(known, ensure_ascii=False))
    else:
        rows = [(name, said.replace("``", "")) for name, said in known.items()]
        terminal().print(plain_table(("fact", "what it is"), rows, ("fact", "what it is")))


@lesson_app.command("open")
def open_lesson(
    file: LessonFile,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port on this machine.")] = 8501,
    browser: Annotated[bool, typer.Option(help="Open a browser.")] = True,
):
    """Open a lesson in the application on this port, which is started if it does not run."""
    lesson = read_lesson(file)
    name = from_application("pages.shell.text_store").TEXTS.keep(file.read_text(encoding="utf-8-sig"))
    view = lesson.steps[0].view
    address = f"http://127.0.0.1:{port}"
    link = f"{address}/{view.page}?{urlencode(view.query | {'lesson': name, 'part': '1'})}"
    typer.echo(link)
    if _answers(address):
        if browser:
            webbrowser.open(link)
        return
    if browser:
        threading.Thread(target=_open_when_ready, args=(address, link), daemon=True).start()
    open_app(port=port, browser=False)


@lesson_app.command()
def export(
    file: LessonFile,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File to write; usually its name with .html.")] = None,
    talk: Annotated[bool, typer.Option("--talk", help="Open as a talk: views in present mode.")] = False,
):
    """Write a lesson as one file that steps, asks and checks in a browser, offline."""
    out = out or Path(file.name).with_suffix(".html")
    lesson = read_lesson(file)
    with show_spinner("Computing the views"):
        text = from_application("pages.lessons.exporting").export_lesson(lesson, talk)
    write_text(out, text)
    typer.echo(out)


def _answers(address):
    try:
        with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2) as answer:
            return answer.status == 200
    except (urllib.error.URLError, TimeoutError, ConnectionError):
        return False


def _open_when_ready(address, link):
    until = time.monotonic() + LONGEST_WAIT
    while not _answers(address):
        if time.monotonic() > until:
            return
        time.sleep(0.3)
    webbrowser.open(link)
