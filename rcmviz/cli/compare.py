"""The command `compare`: methods side by side on one example."""

import json
import math
from typing import Annotated

import typer
from rich.markup import escape

from rcmviz.cli.console import terminal
from rcmviz.cli.options import ExampleOptions, Json, RunOptions, parse_methods, takes_groups

LOST = "lost every output: no context that it kept can be completed; raise its budget"


@takes_groups
def compare(
    example: ExampleOptions,
    settings: RunOptions,
    methods: Annotated[str, typer.Option(help="Which, with commas; a number is a budget: rcms,beam:200,exact.")] = (
        "rcms,beam,exact"
    ),
    as_json: Json = False,
):
    """Methods side by side on one example: decoded, confidence, gold, and whose fault it is where they differ."""
    from rcmviz.cli import report
    from rcmviz.cli.verdicts import verdict_text
    from rcmviz.core.lattices.lattice import spell
    from rcmviz.core.methods import numbered_where_alike

    problem = example.load()
    compared = parse_methods(methods, settings.budget)
    titles = numbered_where_alike([chosen.title for chosen in compared])
    rows = [_judge_method(problem, chosen, title, settings) for chosen, title in zip(compared, titles, strict=True)]
    judged = [(verdict, blame) for verdict, blame in rows if verdict]
    lost = [title for title, (verdict, _) in zip(titles, rows, strict=True) if verdict is None]
    if not judged:
        raise ValueError(
            f"{', '.join(lost)}: no output has positive probability: look for positions whose emissions are all -inf "
            "or windows of -inf, or raise the budget of a beam (--methods says which are compared)"
        )
    if as_json:
        rows = [
            (verdict.to_dict() if verdict else {"name": title, "error": LOST}) | {"blame": blame and blame.to_dict()}
            for title, (verdict, blame) in zip(titles, rows, strict=True)
        ]
        document = {"name": problem.name, "methods": rows}
        return typer.echo(json.dumps(document, ensure_ascii=False))
    console = terminal()
    gold = "" if problem.gold is None else f" · gold [green]{escape(spell(problem.gold))}[/]"
    console.print(f"[bold]{escape(problem.name)}[/] · {problem.T} positions{gold}\n")
    verdicts = [verdict for verdict, _ in judged]
    console.print(report.comparison(verdicts), end="\n\n")
    for title in lost:
        console.print(f"{title} {LOST}", end="\n\n", soft_wrap=True)
    if problem.gold is not None:
        console.print(*(verdict_text(verdict.name, blame) for verdict, blame in judged), "", sep="\n", soft_wrap=True)
    console.print(report.likeliest_table(verdicts))


def _judge_method(problem, chosen, title, settings):
    """The verdict and the blame of a method, each None if there is none; no verdict of one that lost all outputs."""
    from rcmviz.core.builders.blame import blame_problem
    from rcmviz.core.inference.infer import log_z
    from rcmviz.core.inference.verdict import judge

    options = settings.common_options(chosen.kind, problem.labels)
    try:
        lattice, _ = problem.run(chosen.kind, chosen.budget, record=False, **options)
        is_lost = log_z(lattice) == -math.inf
        return None if is_lost else judge(title, lattice, problem.gold), blame_problem(problem, lattice)
    except ValueError as error:
        raise ValueError(f"{title}: {error} (--methods says which are compared)") from None
