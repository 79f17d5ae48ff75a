"""The command `sweep`: many trainings side by side, on this machine or a cluster."""

import csv
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

import rcmviz
from rcmviz.cli.console import error_terminal, progress_bar, terminal
from rcmviz.cli.files import sequences_of
from rcmviz.cli.learn_options import (
    HANDWRITING,
    FileOptions,
    HandwritingOptions,
    PenWords,
    TrainingOptions,
    What,
    check_options,
)
from rcmviz.cli.options import Json, takes_groups, whole_numbers
from rcmviz.core.methods import TRAINABLE


@dataclass(frozen=True)
class GridOptions:
    """Which trainings: every method x budget x order x seed."""

    methods: Annotated[str, typer.Option(help=f"{', '.join(TRAINABLE)}, with commas.")] = "rcms,beam"
    budgets: Annotated[str, typer.Option(help="Contexts kept per position, with commas.")] = "5,10"
    orders: Annotated[str, typer.Option(help="Past labels that a window sees, with commas.")] = "3"
    seeds: Annotated[int, typer.Option(min=1, help="Trainings of each, with seeds from 0.")] = 3

    def axes(self):
        """(methods, budgets, orders, seeds); ValueError for a text that names none."""
        budgets = whole_numbers(self.budgets, "--budgets", "5,10")
        return _methods(self.methods), budgets, whole_numbers(self.orders, "--orders", "5,10"), self.seeds


def _methods(text):
    chosen = [name.strip() for name in text.split(",")]
    strange = [name for name in chosen if name not in TRAINABLE]
    if strange:
        raise ValueError(f"--methods: {strange[0]!r} is no method; write some of {','.join(TRAINABLE)}")
    return chosen


@dataclass(frozen=True)
class WorkerOptions:
    """Options of the workers and of the file of results."""

    jobs: Annotated[int, typer.Option(help="Trainings at once; -1 for all cores.")] = 1
    backend: Annotated[str, typer.Option(help="loky (processes), threading, dask (with --scheduler).")] = "loky"
    scheduler: Annotated[str | None, typer.Option(help="Of Dask, as tcp://host:8786.")] = None
    out: Annotated[Path | None, typer.Option(help="JSON lines of finished cells; the same command continues.")] = None


@dataclass(frozen=True)
class TestOptions:
    """The test data."""

    test: Annotated[Path | None, typer.Option(help="File: sequences to test on, else every tenth.")] = None
    fold: Annotated[int, typer.Option(min=0, max=9, help="The fold to test on.")] = 5


@dataclass(frozen=True)
class SmallHandwriting(HandwritingOptions):
    """The same with fewer words, as there are many trainings."""

    words: PenWords = 1000


@takes_groups
def sweep(
    *,
    context: typer.Context,
    what: What = HANDWRITING,
    grid: GridOptions,
    learning: TrainingOptions,
    workers: WorkerOptions,
    tested: TestOptions,
    reading: FileOptions,
    handwriting: SmallHandwriting,
    as_json: Json = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
):
    """Train and test every method x budget x order x seed: mean ± standard deviation over the seeds.

    A sweep is for choosing settings, so on handwriting it leaves the test fold alone and tests on another.
    """
    from rcmviz.cli import report
    from rcmviz.experiments import sweep as sweeping

    check_options(context, what)
    if what == HANDWRITING:
        source = sweeping.handwriting_data(
            handwriting.data.value, handwriting.words, handwriting.grid.value, tested.fold
        )
    else:
        source = sweeping.file_data(what, tested.test, tested.fold, **reading.options())
        options = reading.options()
        file = sequences_of(what, **options)  # its notes
        if tested.test is not None:
            sequences_of(tested.test, options["max_bytes"], like=file)
        sweeping.read_data(source)  # faults of a file are reported once, not by every training
    specs = sweeping.grid(source, *grid.axes(), **learning.options())
    rows = sweeping.summary(specs, _run_cells(specs, workers))
    if as_json:
        typer.echo(json.dumps(rows))
    elif as_csv:
        typer.echo(_csv(rows), nl=False)
    else:
        terminal().print(report.sweep(rows))
    _report_failures(rows)


def _run_cells(specs, workers):
    """The results of all cells, with a progress bar; Ctrl-C names the kept cells."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

    from rcmviz.experiments.cells import run_cells
    from rcmviz.experiments.sweep import training_cell

    columns = TextColumn("trainings"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with progress_bar(*columns) as progress:
        shown = progress.add_task("", total=len(specs))
        how = {
            "jobs": workers.jobs,
            "backend": workers.backend,
            "scheduler": workers.scheduler,
            "store": workers.out,
            "version": rcmviz.__version__,
        }
        try:
            return run_cells(training_cell, specs, done=lambda *_: progress.advance(shown), **how)
        except KeyboardInterrupt:
            kept = workers.out and f"finished cells are kept in {workers.out}, the same command continues"
            progress.console.print(f"stopped: {kept or '--out FILE would have kept what was finished'}", soft_wrap=True)
            raise typer.Exit(130) from None


def _csv(rows):
    """One line per row; a number and its standard deviation are two columns."""
    flat = []
    for row in rows:
        pairs = {name: value for name, value in row.items() if isinstance(value, list)}
        plain = {name: value for name, value in row.items() if name not in pairs}
        means = {name: pair[0] for name, pair in pairs.items()}
        flat.append(plain | means | {f"{name}_sd": pair[1] for name, pair in pairs.items()})
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, max(flat, key=len), restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    return out.getvalue()


def _report_failures(rows):
    """Name what failed, and end with code 1."""
    failed = [row for row in rows if row["failed"]]
    for row in failed:
        which = f"{row['method']} {row['budget']}, order {row['order']}"
        text = f"{which}: {row['failed']} of {row['failed'] + row['runs']} failed, first by {row['error']}"
        error_terminal().print(f"[red]{escape(text)}[/]", soft_wrap=True)
    if failed:
        raise typer.Exit(1)
