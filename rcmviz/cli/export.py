"""The command `export`: one run as a file."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

import rcmviz
from rcmviz.cli.options import BuilderName, ExampleOptions, RunOptions, takes_groups


class Format(StrEnum):
    """What `export` writes."""

    html = "html"
    json = "json"
    csv = "csv"
    problem = "problem"


@takes_groups
def export(
    example: ExampleOptions,
    settings: RunOptions,
    out: Annotated[Path, typer.Option(help="File to write; its ending names the format.")] = Path("step.html"),
    what: Annotated[
        Format | None, typer.Option("--format", help="html, json (trace), csv (candidates) or problem.")
    ] = None,
    method: Annotated[BuilderName, typer.Option(help="How contexts are chosen.")] = BuilderName.rcms,
):
    """Write one run to a file: a page that plays offline, the trace, all candidates, or the problem itself."""
    problem = example.load()
    kind = what or _format_of(out)
    if kind is Format.problem:
        problem.to_json(out)
    else:
        lattice, trace = problem.run(method, settings.budget, **settings.options(method, problem.labels))
        _write(kind, problem, lattice, trace, out)
    typer.echo(out)


def _format_of(out):
    try:
        return Format(out.suffix.lstrip("."))
    except ValueError:
        raise ValueError(f"{out}: name the file .html, .json or .csv, or give --format") from None


def _write(kind, problem, lattice, trace, out):
    if kind is Format.html:
        rcmviz.export_html(trace, lattice, out, gold=problem.gold, images=problem.images, title=problem.name)
    elif kind is Format.json:
        trace.to_json(out)
    else:
        all_candidates(trace).to_csv(out, index=False)


def all_candidates(trace):
    """The candidates of all positions as one DataFrame, contexts and their carriers written out."""
    import pandas

    from rcmviz.core.lattice import spell

    if trace.lattice.T == 1:
        raise ValueError("one position has no candidates, as nothing is selected; export .html or .json instead")
    tables = [trace.table(i).assign(position=i) for i in range(1, trace.lattice.T)]
    table = pandas.concat(tables, ignore_index=True)
    for column in ("context", "into"):
        table[column] = [None if labels is None else spell(labels) for labels in table[column]]
    return table[["position", *(name for name in table.columns if name != "position")]]
