"""The commands `rcmviz data …`: data sets listed, fetched, found."""

import json
from typing import Annotated

import typer
from rich.markup import escape

from rcmviz.cli.console import progress_bar, terminal
from rcmviz.cli.options import Json

data_app = typer.Typer(no_args_is_help=True, help="Data sets: list them, fetch one, say where it is.")
DatasetName = Annotated[str, typer.Argument(help="A name from `rcmviz data list`.")]


@data_app.command("list")
def list_data(as_json: Json = False):
    """List the data sets and say which are on this machine."""
    from rcmviz.data.registry import find, list_datasets

    rows = [
        {
            "name": one.name,
            "title": one.title,
            "url": one.files[0].url,
            "licence": one.licence,
            "size": one.size,
            "path": str(find(one.name) or ""),
            "by_hand": one.by_hand,
        }
        for one in list_datasets()
    ]
    if as_json:
        return typer.echo(json.dumps(rows))
    console = terminal()
    for row in rows:
        fetched = row["by_hand"] or f"rcmviz data get {row['name']} ({row['size'] / 1e6:.1f} MB)"
        here = row["path"] or f"not here: {fetched}"
        console.print(f"[bold]{escape(row['name'])}[/]  {escape(row['title'])}")
        console.print(f"     {escape(here)}\n     {escape(row['licence'])}")


@data_app.command("get")
def get_data(
    name: DatasetName,
    url: Annotated[str | None, typer.Option(help="Another place to fetch the same file from.")] = None,
):
    """Fetch a data set into the cache: resumes what broke off, checks what came."""
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    from rcmviz.data.download import get
    from rcmviz.data.registry import dataset_named

    dataset_named(name)  # an unknown name is refused before a bar is shown
    columns = TextColumn(name), BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn()
    with progress_bar(*columns) as progress:
        shown = progress.add_task(name, total=None)
        try:
            path = get(name, url, lambda done, total: progress.update(shown, completed=done, total=total))
        except KeyboardInterrupt:
            progress.console.print("stopped: the downloaded part is kept, the same command continues")
            raise typer.Exit(130) from None
    typer.echo(path)


@data_app.command("path")
def print_path(name: DatasetName):
    """Print where the files of a data set are, one per line."""
    from rcmviz.data.registry import dataset_named, need

    for file in dataset_named(name).files:
        typer.echo(need(name, file.filename))
