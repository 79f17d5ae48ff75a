"""The command `disagree`: examples on which two methods disagree, as a table."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from rcmviz.cli.console import show_spinner, terminal
from rcmviz.cli.evaluate import WriterOptions, file_input, handwriting_input
from rcmviz.cli.learn_options import HANDWRITING, check_options
from rcmviz.cli.options import Json, parse_methods, takes_groups
from rcmviz.core.shared.wording import counted

MOST_ROWS = 20
LONGEST = 9  # characters of an output in the table

SHOWN = "differ", "sure", "saved", "harmed", "first-budget", "second-budget", "wrong", "all"
Shown = StrEnum("Shown", {name.replace("-", "_"): name for name in SHOWN})


@takes_groups
def disagree(
    *,
    context: typer.Context,
    what: Annotated[
        str, typer.Argument(metavar="FILE", help="handwriting, a CoNLL or CSV file, or a JSON list of problems.")
    ] = HANDWRITING,
    model: Annotated[str | None, typer.Option(help="A path, or a shipped model; by default that of the data.")] = None,
    methods: Annotated[str, typer.Option(help="Which two, with their budgets.")] = "beam:10,rcms:10",
    show: Annotated[
        Shown,
        typer.Option(
            help="differ; sure: the first is wrong and at least 90 % sure, the second right; saved, harmed: the second "
            "is right, or wrong, where the first is not; first-budget, second-budget: that one is wrong because of its "
            "budget; wrong: one is wrong."
        ),
    ] = Shown.differ,
    regrets: Annotated[int, typer.Option(min=0, help="For how many rows the regret is computed.")] = 100,
    max_mb: Annotated[int, typer.Option(min=1, help="File: the most megabytes that are read.")] = 100,
    writer: WriterOptions,
    as_json: Json = False,
):
    """List the examples on which two methods disagree, those with the largest confidence gap first.

    For each: both answers and confidences, the gold, whose fault a wrong answer is, where the search lost the gold, and
    the regret: the exact mass that other contexts of the same number would have kept (docs/diagnosis.md).
    """
    from rcmviz.evaluation.disagreements import as_records, disagreements

    check_options(context, what)
    chosen = parse_methods(methods, 10)
    if is_problem_file(what):
        from rcmviz.core.problems.problem_file import read_problems

        data, of_data, numbers = read_problems(what, model), None, None
        heading = f"{counted(len(data), 'problem')} of {what}"
    else:
        test = handwriting_input(writer, model) if what == HANDWRITING else file_input(what, model, max_mb)
        data, of_data, numbers, heading = test.data, test.model, test.numbers, test.heading
    with show_spinner("comparing the answers"):
        table = disagreements(data, of_data, chosen, show=show.value, regrets=regrets)
    if numbers:
        table["number"] = [numbers[number] for number in table["number"]]
    if as_json:
        document = {"data": what, **table.attrs, "examples": len(data), "rows": as_records(table)}
        return typer.echo(json.dumps(document, ensure_ascii=False))
    console = terminal()
    console.print(f"{escape(heading)}\n", soft_wrap=True)
    console.print(f"{table.attrs['sentence']} {len(table):,} of {len(data):,} examples.\n", soft_wrap=True)
    console.print(_as_text(table, chosen))


def is_problem_file(what):
    """Whether a file is of problems: JSON, by its name."""
    return Path(what).suffix == ".json"


def _as_text(table, methods):
    from rich.table import Table
    from rich.text import Text

    from rcmviz.evaluation.disagreements import as_records

    shown = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    shown.add_column("number", justify="right", no_wrap=True)
    shown.add_column("gold", no_wrap=True)
    for method in methods:
        shown.add_column(method.name, no_wrap=True)
        shown.add_column("sure", justify="right", no_wrap=True)
        shown.add_column("fault", no_wrap=True)
        shown.add_column("regret", justify="right", no_wrap=True)
    for row in as_records(table.head(MOST_ROWS)):
        cells = [str(row["number"]), Text(_short(row["gold"]), style="green")]
        for side in ("first", "second"):
            regret = row[side + "_regret"]
            cells += [Text(_short(row[side])), f"{row[side + '_confidence']:.2f}"]
            cells += [_fault(row[side + "_verdict"], row[side + "_position"])]
            cells.append("-" if regret is None else f"{regret:.2f}")
        shown.add_row(*cells)
    if len(table) > MOST_ROWS:
        shown.caption = f"… {len(table) - MOST_ROWS:,} more: --json lists all"
    return shown


def _short(text):
    """At most nine characters of an output, a dash for none."""
    return "-" if text is None else text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _fault(verdict, position):
    """``right``, ``model``, ``search 5`` for a search error at position 5, a dash for none."""
    if verdict is None:
        return "-"
    return verdict.split()[0] + (f" {position}" if position else "")
