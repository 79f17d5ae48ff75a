"""The command line: the same calls as a notebook, printed. `rcmviz --help` shows all commands."""

import json
import subprocess
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from typer.core import TyperGroup

import rcmviz
from rcmviz.cli import align, decipher, decode, learn, lm, reproduce, sweep, tag
from rcmviz.cli.options import Builder, ExampleOptions, Json, RunOptions, parse_methods, takes_groups, terminal
from rcmviz.core.methods import BUILDERS


class ShownMass(StrEnum):
    """Which mass the bars show."""

    forward = "forward"
    posterior = "posterior"


class Format(StrEnum):
    """What `export` writes."""

    html = "html"
    json = "json"
    csv = "csv"
    problem = "problem"


class PlainErrors(TyperGroup):
    """Errors that a person can mend end in one red line and exit code 2, never in a traceback."""

    def invoke(self, ctx):
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise
        except (ValueError, OSError) as error:
            Console(stderr=True).print(f"[bold red]error:[/] {escape(_told(error))}", highlight=False, soft_wrap=True)
            raise typer.Exit(2) from None


def _told(error):
    """The message of an error; the system's own name the file first and leave its number out."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}; give the path of a file that can be read or written"
    return str(error)


app = typer.Typer(
    cls=PlainErrors,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="See how a model decides what to remember: exact, beam search, RCMS and adaptive rejection, step by step.",
)
data_app = typer.Typer(no_args_is_help=True, help="Data sets: list them, fetch one, say where it is.")
STEP, LEARN, EXACT, RESULTS = "Step by step", "Learning", "Language models, exact answers", "Data and reproductions"


def _show_version(wanted: bool):
    if wanted:
        typer.echo(f"rcmviz {rcmviz.__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
):
    pass


@app.command("app", rich_help_panel=STEP)
def open_app(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port on this machine.")] = 8501,
    browser: Annotated[bool, typer.Option(help="Open a browser.")] = True,
):
    """Open the application on 127.0.0.1."""
    launcher = application_file()
    options = [
        "--server.port",
        str(port),
        "--server.address",
        "127.0.0.1",
        "--server.headless",
        str(not browser).lower(),
    ]
    command = [sys.executable, "-m", "streamlit", "run", launcher.name, *options]
    raise typer.Exit(subprocess.run(command, cwd=launcher.parent, check=False).returncode)


def application_file():
    """The launcher: `app.py` beside the package in a checkout, in `rcmviz/application` in an installed wheel."""
    package = Path(rcmviz.__file__).parent
    for candidate in (package / "application" / "app.py", package.parent / "app.py"):
        if candidate.is_file():
            return candidate
    raise ValueError("the application is not installed; install rcmviz from its wheel, or run it in a checkout")


@app.command(rich_help_panel=STEP)
@takes_groups
def step(
    example: ExampleOptions,
    settings: RunOptions,
    method: Annotated[Builder, typer.Option(help="How contexts are chosen.")] = Builder.rcms,
    position: Annotated[int | None, typer.Option(help="Print only this position (1 … T-1).")] = None,
    mass: Annotated[ShownMass, typer.Option(help="What the bars show.")] = ShownMass.forward,
    rows: Annotated[int, typer.Option(min=1, help="At most about so many contexts per position.")] = 40,
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
    from rcmviz.core.verdict import judge

    console = terminal()
    title = BUILDERS[method].title
    verdict = judge(title, lattice, problem.gold)
    console.print(f"[bold]{escape(problem.name)}[/] · {title} · {problem.T} positions\n")
    if problem.images is not None:
        console.print(report.picture(problem.images, console.width), end="\n\n")
    console.print(report.legend(mass), end="\n\n")
    for i in range(1, problem.T) if position is None else [position]:
        console.print(report.step(trace, lattice, i, problem.gold, mass, rows))
    console.print(report.verdict_line(verdict))


@app.command(rich_help_panel=STEP)
@takes_groups
def compare(
    example: ExampleOptions,
    settings: RunOptions,
    methods: Annotated[str, typer.Option(help="Which, with commas; a number is a budget: rcms,beam:200,exact.")] = (
        "rcms,beam,exact"
    ),
    as_json: Json = False,
):
    """Methods side by side on one example: decoded, confidence, gold, where beam search lost it."""
    from rcmviz.cli import report
    from rcmviz.core.lattice import spell
    from rcmviz.core.verdict import judge

    problem = example.load()
    verdicts = []
    for chosen in parse_methods(methods, settings.budget):
        options = settings.common_options(chosen.kind, problem.labels)
        try:
            lattice, _ = problem.run(chosen.kind, chosen.budget, record=False, **options)
        except ValueError as error:
            raise ValueError(f"{chosen.title}: {error} (--methods says which are compared)") from None
        verdicts.append(judge(chosen.title, lattice, problem.gold))
    if as_json:
        document = {"name": problem.name, "methods": [verdict.to_dict() for verdict in verdicts]}
        return typer.echo(json.dumps(document, ensure_ascii=False))
    console = terminal()
    gold = "" if problem.gold is None else f" · gold [green]{escape(spell(problem.gold))}[/]"
    console.print(f"[bold]{escape(problem.name)}[/] · {problem.T} positions{gold}\n")
    console.print(report.comparison(verdicts), end="\n\n")
    console.print(report.likeliest(verdicts))


for learning in (learn.train, learn.evaluate, learn.predict, sweep.sweep):
    app.command(rich_help_panel=LEARN)(learning)
for hidden in (decipher.decipher, align.align):
    app.command(rich_help_panel=LEARN)(hidden)
for inference in (decode.decode, decode.sample, tag.tag):
    app.command(rich_help_panel=EXACT)(inference)
app.add_typer(tag.tagger_app, name="tagger", rich_help_panel=EXACT)
app.add_typer(lm.lm_app, name="lm", rich_help_panel=EXACT)
app.command(rich_help_panel=RESULTS)(reproduce.reproduce)
app.add_typer(data_app, name="data", rich_help_panel=RESULTS)


@data_app.command("list")
def data_list(as_json: Json = False):
    """List the data sets and say which are on this machine."""
    from rcmviz.data.registry import find, list_datasets

    rows = [{"name": one.name, "title": one.title, "url": one.files[0].url, "licence": one.licence, "size": one.size,
             "path": str(find(one.name) or ""), "by_hand": one.by_hand} for one in list_datasets()]  # fmt: skip
    if as_json:
        return typer.echo(json.dumps(rows))
    console = terminal()
    for row in rows:
        fetched = row["by_hand"] or f"rcmviz data get {row['name']} ({row['size'] / 1e6:.1f} MB)"
        here = row["path"] or f"not here: {fetched}"
        console.print(f"[bold]{escape(row['name'])}[/]  {escape(row['title'])}")
        console.print(f"     {escape(here)}\n     {escape(row['licence'])}")


@data_app.command("get")
def data_get(
    name: Annotated[str, typer.Argument(help="A name from `rcmviz data list`.")],
    url: Annotated[str | None, typer.Option(help="Another place to fetch the same file from.")] = None,
):
    """Fetch a data set into the cache: resumes what broke off, checks what came."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    from rcmviz.data.download import get
    from rcmviz.data.registry import dataset_named

    dataset_named(name)  # an unknown name is refused before a bar is shown
    columns = TextColumn(name), BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True)) as progress:
        shown = progress.add_task(name, total=None)
        try:
            path = get(name, url, lambda done, total: progress.update(shown, completed=done, total=total))
        except KeyboardInterrupt:
            progress.console.print("stopped: what came is kept, the same command goes on from there")
            raise typer.Exit(130) from None
    typer.echo(path)


@data_app.command("path")
def data_path(name: Annotated[str, typer.Argument(help="A name from `rcmviz data list`.")]):
    """Print where the files of a data set are, one per line."""
    from rcmviz.data.registry import dataset_named, need

    for file in dataset_named(name).files:
        typer.echo(need(name, file.filename))


@app.command(rich_help_panel=STEP)
@takes_groups
def export(
    example: ExampleOptions,
    settings: RunOptions,
    out: Annotated[Path, typer.Option(help="File to write; its ending names the format.")] = Path("step.html"),
    what: Annotated[
        Format | None, typer.Option("--format", help="html, json (trace), csv (candidates) or problem.")
    ] = None,
    method: Annotated[Builder, typer.Option(help="How contexts are chosen.")] = Builder.rcms,
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


def main():
    """Entry point of the console script."""
    app()
