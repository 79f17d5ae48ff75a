"""The command `export`: one run as a file."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

import rcmviz
from rcmviz.cli.files import STDOUT, print_text
from rcmviz.cli.options import BuilderName, ExampleOptions, RunOptions, takes_groups
from rcmviz.core.methods import MethodChoice
from rcmviz.core.shared.whole_file import write_text


class Format(StrEnum):
    """Formats of `export`."""

    html = "html"
    json = "json"
    csv = "csv"
    problem = "problem"


@takes_groups
def export(
    example: ExampleOptions,
    settings: RunOptions,
    out: Annotated[Path, typer.Option(help="File to write, its ending names the format; - prints it.")] = Path(
        "step.html"
    ),
    what: Annotated[
        Format | None, typer.Option("--format", help="html, json (trace), csv (candidates) or problem.")
    ] = None,
    method: Annotated[BuilderName, typer.Option(help="How contexts are chosen.")] = BuilderName.rcms,
):
    """Write one run to a file: a page that plays offline, the trace, all candidates, or the problem itself."""
    problem = example.load()
    kind = what or _format_of(out)
    if kind is Format.problem:
        text = problem.to_json()
    else:
        options = settings.options(method, problem.labels)
        lattice, trace = problem.run(method, settings.budget, **options)
        if kind is Format.html:
            text = _page(problem, MethodChoice(method, settings.budget), lattice, trace, options)
        else:
            text = trace.to_json() if kind is Format.json else all_candidates(trace).to_csv(index=False)
    if str(out) == STDOUT:
        print_text(text)
    else:
        write_text(out, text)
        typer.echo(out)


def _format_of(out):
    try:
        return Format(out.suffix.lstrip("."))
    except ValueError:
        raise ValueError(f"{out}: name the file .html, .json or .csv, or give --format") from None


def _page(problem, chosen, lattice, trace, options):
    """The page of a run; with a gold it says whose fault a mistake is, and which budgets would have done."""
    from rcmviz.core.builders.blame import blame_problem
    from rcmviz.core.builders.budgets import max_budget_in_a_second
    from rcmviz.views import Run
    from rcmviz.views.word.blame import strip_part
    from rcmviz.views.word.trust import trust_part

    run, strips = Run(chosen.name, lattice, trace, blame_problem(problem, lattice)), None
    if problem.gold is not None and chosen.has_budget:
        options |= {"most": max_budget_in_a_second(problem.log_emit)}
        strip = rcmviz.budget_strip(problem.model, problem.log_emit, problem.gold, chosen.kind, **options)
        strips = [strip_part(strip, chosen.budget)]
    labels = {kind: [edit for edit in options.get(kind, ()) if isinstance(edit[1], str)] for kind in ("pin", "forbid")}
    shown = [(run.name, lattice, chosen.kind)]
    trust = trust_part(problem.model, problem.log_emit, shown, chosen.budget, **labels)
    how = {"images": problem.images, "title": problem.title or problem.name, "strips": strips, "trust": trust}
    how |= {"tokens": problem.tokens, "notes": problem.notes}
    return rcmviz.export_html([run], gold=problem.gold, **how)


def all_candidates(trace):
    """The candidates of all positions as one DataFrame, contexts and their carriers written out."""
    import pandas

    from rcmviz.core.lattices.lattice import spell

    if trace.lattice.T == 1:
        raise ValueError("one position has no candidates, as nothing is selected; export .html or .json instead")
    tables = [trace.table(i).assign(position=i) for i in range(1, trace.lattice.T)]
    table = pandas.concat(tables, ignore_index=True)
    for column in ("context", "into"):
        table[column] = [None if labels is None else spell(labels) for labels in table[column]]
    return table[["position", *(name for name in table.columns if name != "position")]]
