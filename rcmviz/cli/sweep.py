"""The command `sweep`: many trainings side by side, on this machine or a cluster."""

import csv
import io
import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

import rcmviz
from rcmviz.cli.learn_options import (
    HANDWRITING,
    FileOptions,
    Grid,
    HandwritingSource,
    Pixels,
    TrainingOptions,
    What,
    Writer,
    check_options,
)
from rcmviz.cli.options import Json, takes_groups, terminal
from rcmviz.core.methods import TRAINABLE


@takes_groups
def sweep(
    *,
    context: typer.Context,
    what: What = HANDWRITING,
    methods: Annotated[str, typer.Option(help="rcms, beam, repaired, exact, with commas.")] = "rcms,beam",
    budgets: Annotated[str, typer.Option(help="Contexts kept per position, with commas.")] = "5,10",
    orders: Annotated[str, typer.Option(help="Past labels that a window sees, with commas.")] = "3",
    seeds: Annotated[int, typer.Option(min=1, help="Trainings of each, with seeds from 0.")] = 3,
    learning: TrainingOptions,
    jobs: Annotated[int, typer.Option(help="Trainings at once; -1 for all cores.")] = 1,
    backend: Annotated[str, typer.Option(help="joblib's: loky (processes), threading, dask, ray.")] = "loky",
    scheduler: Annotated[str | None, typer.Option(help="Of Dask, as tcp://host:8786.")] = None,
    out: Annotated[Path | None, typer.Option(help="JSON lines of what is finished; the same command goes on.")] = None,
    test: Annotated[Path | None, typer.Option(help="File: sequences to test on, else every tenth.")] = None,
    fold: Annotated[int, typer.Option(min=0, max=9, help="The fold to test on.")] = 5,
    reading: FileOptions,
    data: Writer = HandwritingSource.pen,
    grid: Pixels = Grid.small,
    words: Annotated[int, typer.Option(min=10, help="Handwriting: how many words the pen writes.")] = 1000,
    as_json: Json = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
):
    """Train and test every method x budget x order x seed: mean ± standard deviation over the seeds.

    A sweep is there to choose by, so on handwriting it leaves the test fold alone and tests on another.
    """
    from rcmviz.cli import report
    from rcmviz.experiments import sweep as sweeping

    check_options(context, what)
    if what == HANDWRITING:
        source = sweeping.handwriting_data(data.value, words, grid.value, fold)
    else:
        source = sweeping.file_data(what, test, fold, **reading.options())
    axes = _methods(methods), _numbers(budgets, "--budgets"), _numbers(orders, "--orders")
    specs = sweeping.grid(source, *axes, seeds, **learning.options())
    results = _run(specs, store=out, jobs=jobs, backend=backend, scheduler=scheduler)
    rows = sweeping.summary(specs, results)
    if as_json:
        typer.echo(json.dumps(rows))
    elif as_csv:
        typer.echo(_csv(rows), nl=False)
    else:
        terminal().print(report.sweep(rows))
    _complain(rows)


def _methods(text):
    chosen = [name.strip() for name in text.split(",")]
    strange = [name for name in chosen if name not in TRAINABLE]
    if strange:
        raise ValueError(f"--methods: {strange[0]!r} is no method; write some of {','.join(TRAINABLE)}")
    return chosen


def _numbers(text, option):
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() for part in parts):
        raise ValueError(f"{option} {text}: write whole numbers with commas, e.g. 5,10")
    return [int(part) for part in parts]


def _run(specs, **how):
    """The results of all cells, with a progress bar; Ctrl-C says what is kept."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from rcmviz.experiments.cells import run_cells
    from rcmviz.experiments.sweep import training_cell

    columns = TextColumn("trainings"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True)) as progress:
        shown = progress.add_task("", total=len(specs))
        try:
            return run_cells(
                training_cell, specs, version=rcmviz.__version__, done=lambda *_: progress.advance(shown), **how
            )
        except KeyboardInterrupt:
            kept = how["store"] and f"what is finished is kept in {how['store']}, the same command goes on from there"
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


def _complain(rows):
    """Name what failed, and end with code 1."""
    failed = [row for row in rows if row["failed"]]
    for row in failed:
        which = f"{row['method']} {row['budget']}, order {row['order']}"
        told = f"{which}: {row['failed']} of {row['failed'] + row['runs']} failed, first by {row['error']}"
        Console(stderr=True, highlight=False).print(f"[red]{escape(told)}[/]", soft_wrap=True)
    if failed:
        raise typer.Exit(1)
