"""The terminal of all commands: results on standard output; notes, progress and errors on standard error."""

import codecs
import os
import pickle
import struct
import sys
import zipfile
import zlib
from contextlib import contextmanager
from math import isfinite

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from typer.core import TyperGroup

# What Python raises for damaged files, when no reader has said which. Click takes EOFError for Ctrl-D: "Aborted."
DAMAGED = EOFError, pickle.UnpicklingError, struct.error, zipfile.BadZipFile, zlib.error
QUIET = "RCMVIZ_QUIET"  # of the environment; ``kernels/notice.py`` reads it too


class PlainErrors(TyperGroup):
    """Errors that a person can mend end in one red line and exit code 2, never in a traceback."""

    def main(self, *given, **named):
        fit_to_terminal()
        return super().main(*given, **named)

    def invoke(self, ctx):
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise
        except (ValueError, OSError, *DAMAGED) as error:
            error_terminal().print(f"[bold red]error:[/] {escape(_error_text(error))}", soft_wrap=True)
            raise typer.Exit(2) from None


def fit_to_terminal():
    r"""Write what the terminal's encoding lacks as in JSON, \u2014, and take a width of 0 for one that is not known."""
    codecs.register_error("rcmviz.escape", _escape_unencodable)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="rcmviz.escape")
    if not os.environ.get("COLUMNS", "").strip("0"):
        os.environ.pop("COLUMNS", None)


def _escape_unencodable(error):
    """The characters that cannot be encoded as escapes of JSON, so that documents stay valid; and the next position."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[k : k + 4]}" for k in range(0, len(units), 4)), error.end


def _error_text(error):
    """The message of an error; the system's own name the file first, if any, and leave its number out."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}; give the path of a file that can be read or written"
    if isinstance(error, DAMAGED):
        return (
            f"a file is damaged or cut off ({type(error).__name__}: {error}); copy it again; if it is none of yours, "
            "remove compiled code with `rcmviz cache clear`"
        )
    return getattr(error, "strerror", None) or str(error)


def terminal():
    """The terminal for results; numbers are not coloured."""
    return Console(highlight=False)


def error_terminal():
    """The terminal for everything but results; numbers are not coloured."""
    return Console(stderr=True, highlight=False)


def notes():
    """The terminal for remarks and progress: standard error, nowhere with --quiet."""
    return Console(stderr=True, highlight=False, quiet=bool(os.environ.get(QUIET)))


def set_until_end(context, values):
    """Set variables of the environment until a command ends; processes that it starts read them too."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)

    def put_back():
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value

    context.call_on_close(put_back)


def print_note(text):
    """A remark on standard error, apart from the results."""
    notes().print(f"note: {escape(text)}", soft_wrap=True)


def show_spinner(text):
    """A spinner on standard error, for as long as a ``with`` block takes."""
    return notes().status(escape(text))


def progress_bar(*columns):
    """A bar on standard error; by default the task, the time elapsed and the time left."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    times = TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()
    usual = TextColumn("{task.description}"), BarColumn(), *times
    return Progress(*(columns or usual), console=notes())


def with_progress(items, description):
    """The items, with a progress bar."""
    with progress_bar() as progress:
        yield from progress.track(items, description=description)


@contextmanager
def until_stopped(what_is_kept):
    """Ctrl-C ends the block, and ``what_is_kept()`` is printed; where that is None, the command ends too."""
    try:
        yield
    except KeyboardInterrupt:
        text = what_is_kept()
        if text is None:
            raise
        error_terminal().print(text, soft_wrap=True)


def plain_table(headers, rows, left=(), wrap=True):
    """A table without lines: the columns in ``left`` are texts, which may ``wrap``; all others are numbers."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in headers:
        table.add_column(name, justify="left" if name in left else "right", no_wrap=name not in left or not wrap)
    for row in rows:
        table.add_row(*map(escape, row))
    return table


def finite(value):
    """The number, None where JSON has none for it."""
    return value if isfinite(value) else None
