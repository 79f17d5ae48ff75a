"""The command `step`: one example, position by position."""

from enum import StrEnum
from typing import Annotated

import typer
from rich.markup import escape

from rcmviz.cli.console import terminal
from rcmviz.cli.options import BuilderName, ExampleOptions, Json, RunOptions, takes_groups
from rcmviz.core.methods import BUILDERS
from rcmviz.core.shared.wording import counted


class ShownMass(StrEnum):
    """Which mass the bars show."""

    forward = "forward"
    posterior = "posterior"


@takes_groups
def step(
    example: ExampleOptions,
    settings: RunOptions,
    method: Annotated[BuilderName, typer.Option(help="How contexts are chosen.")] = BuilderName.rcms,
    position: Annotated[int | None, typer.Option(help="Print only this position (1 … T-1).")] = None,
    mass: Annotated[ShownMass, typer.Option(help="What the bars show.")] = ShownMass.forward,
    rows: Annotated[int, typer.Option(min=1, help="About the most contexts per position.")] = 40,
    as_json: Json = False,
):
    """Step through one example: at each position the context tree with its mass, what was kept, merged, dropped."""
    problem = example.load()
    lattice, trace = problem.run(method, settings.budget, **settings.options(method, problem.labels))
    if position is not None:
        trace.candidates(position)  # a position without candidates is refused before anything is printed
    if as_json:
        return typer.echo(trace.to_json())
    from rcmviz.cli import report
    from rcmviz.cli.verdicts import verdict_text
    from rcmviz.core.builders.blame import blame_problem
    from rcmviz.core.inference.verdict import judge

    console = terminal()
    title = BUILDERS[method].title
    verdict = judge(title, lattice, problem.gold)
    console.print(f"[bold]{escape(problem.title or problem.name)}[/] · {title} · {counted(problem.T, 'position')}\n")
    if problem.images is not None:
        console.print(report.images_text(problem.images, console.width), end="\n\n")
    console.print(report.legend(mass), end="\n\n")
    for i in range(1, problem.T) if position is None else [position]:
        console.print(report.step(trace, lattice, i, problem.gold, mass, rows, _observation(problem, i)))
    console.print(report.verdict_line(verdict))
    if problem.gold is not None:
        console.print(verdict_text("blame", blame_problem(problem, lattice)), soft_wrap=True)


def _observation(problem, i):
    """The observation at position i, and its note."""
    token = "" if problem.tokens is None else f"“{problem.tokens[i - 1]}”"
    return " · ".join(part for part in (token, problem.notes.get(i, "")) if part)
