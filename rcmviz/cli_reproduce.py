"""`rcmviz reproduce`: trains what a figure of the paper needs and writes table, figure and JSON."""

from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from rcmviz.cli_learn_options import Source


class What(StrEnum):
    """What can be reproduced; each is a module of `rcmviz.reproduce`."""

    figure3 = "figure3"
    figure6 = "figure6"
    folds = "folds"
    tuning = "tuning"


def reproduce(
    what: Annotated[What, typer.Argument(help="A figure of the paper, all ten folds, or what helped beyond it.")],
    data: Annotated[Source | None, typer.Option(help="Kassel's words where they are here, else the pen's.")] = None,
    words: Annotated[int, typer.Option(min=50, help="How many words the pen writes.")] = 6000,
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds.")] = 5,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer epochs and no exact training: to see it work.")] = False,
    exact: Annotated[bool, typer.Option(help="Train the exact rows as well, which takes far longer.")] = True,
    jobs: Annotated[int, typer.Option(help="Trainings at once; -1 for all cores.")] = 2,
    backend: Annotated[str, typer.Option(help="joblib's: loky (processes), dask, ray.")] = "loky",
    scheduler: Annotated[str | None, typer.Option(help="Of Dask, as tcp://host:8786.")] = None,
    out: Annotated[Path, typer.Option(help="The folder for table, figure and JSON.")] = Path("results"),
):
    """Reproduce figure 3 or 6, the finding over all folds, or the table of what helped; --help tells what is written.

    Writes NAME.md, NAME.json, NAME.html and NAME.png. Every finished training is kept in NAME.jsonl, so that the same
    command goes on where it was stopped.
    """
    from rcmviz.reproduce.report import Plan, write

    module = import_module(f"rcmviz.reproduce.{what}")
    plan = Plan(_source(data, words), 2 if quick else seeds, quick, exact)
    out.mkdir(parents=True, exist_ok=True)
    results = _run(module, module.specs(plan), out / f"{what}.jsonl", jobs, backend, scheduler)
    report = module.report(plan, results)
    files, missing = write(report, out)
    typer.echo(report.text)
    console = Console(stderr=True, highlight=False)
    if missing:
        console.print(missing, style="yellow", markup=False, soft_wrap=True)
    console.print(f"written: {', '.join(map(str, files))}", soft_wrap=True)


def _source(data, words):
    """``"kassel"`` or ``"pen:6000"``; says so where Kassel's words were not asked for by name and are not here."""
    from rcmviz.data.registry import find

    if data is Source.kassel or (data is None and find("ocr")):
        return "kassel"
    if data is None:
        told = "Kassel's words are not on this machine (rcmviz data get ocr): the pen's are used, for which the paper"
        Console(stderr=True, highlight=False).print(f"{told} has no numbers", style="yellow", soft_wrap=True)
    return f"pen:{words}"


def _run(module, specs, store, jobs, backend, scheduler):
    """The results of all specs, with a bar of the work left; ValueError where a training failed."""
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    from rcmviz.cells import run_cells
    from rcmviz.learn.trainer import warm_up
    from rcmviz.reproduce.trainings import code_digest, effort

    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
    finished = []
    with Progress(*columns, console=Console(stderr=True)) as progress:
        shown = progress.add_task("preparing the kernels (once, about half a minute)", total=sum(map(effort, specs)))

        def done(spec, result):
            finished.append(spec)
            progress.update(shown, advance=effort(spec), description=f"{len(finished)} of {len(specs)} trainings")

        how = {"jobs": jobs, "backend": backend, "scheduler": scheduler, "version": code_digest()}
        try:
            warm_up()  # here, not in every worker at once
            progress.update(shown, description=f"0 of {len(specs)} trainings")
            results = run_cells(module.cell, specs, store=store, done=done, **how)
        except KeyboardInterrupt:
            told = f"stopped: {len(finished)} of {len(specs)} trainings are kept in {store}"
            progress.console.print(f"{told}; the same command goes on from there", soft_wrap=True)
            raise typer.Exit(130) from None
    _check(results, store)
    return results


def _check(results, store):
    """ValueError where a training failed: a table with holes would be worse."""
    failed = [result["error"] for result in results if "error" in result]
    if failed:
        raise ValueError(
            f"{len(failed)} of {len(results)} trainings failed, the first with: {failed[0]}; the others are kept in "
            f"{store}, and the same command runs what is missing"
        )
