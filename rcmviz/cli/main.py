"""The command line: the same calls as a notebook, printed. `rcmviz --help` shows all commands."""

from typing import Annotated

import typer

import rcmviz
from rcmviz.cli.align import align
from rcmviz.cli.app import open_app
from rcmviz.cli.compare import compare
from rcmviz.cli.console import PlainErrors
from rcmviz.cli.data import data_app
from rcmviz.cli.decipher import decipher
from rcmviz.cli.decode import decode
from rcmviz.cli.evaluate import evaluate
from rcmviz.cli.export import export
from rcmviz.cli.field import field_app
from rcmviz.cli.lesson import lesson_app
from rcmviz.cli.lm import lm_app
from rcmviz.cli.predict import predict
from rcmviz.cli.reproduce import reproduce
from rcmviz.cli.sample import sample
from rcmviz.cli.search import search
from rcmviz.cli.searn import searn_app
from rcmviz.cli.step import step
from rcmviz.cli.sweep import sweep
from rcmviz.cli.tag import tag
from rcmviz.cli.tagger import tagger_app
from rcmviz.cli.train import train

PANELS = {  # the commands and families of commands under each heading of the help
    "Step by step": {
        "app": open_app, "step": step, "compare": compare, "search": search, "export": export, "lesson": lesson_app,
    },
    "Learning": {
        "train": train, "evaluate": evaluate, "predict": predict, "searn": searn_app, "sweep": sweep,
        "decipher": decipher, "align": align,
    },
    "Language models, exact answers": {
        "decode": decode, "sample": sample, "tag": tag, "tagger": tagger_app, "lm": lm_app, "field": field_app,
    },
    "Data and reproductions": {"reproduce": reproduce, "data": data_app},
}  # fmt: skip

app = typer.Typer(
    cls=PlainErrors,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="See how a model decides what to remember: exact, beam search, RCMS and adaptive rejection, step by step.",
)


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


for panel, commands in PANELS.items():
    for name, command in commands.items():
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name, rich_help_panel=panel)
        else:
            app.command(name, rich_help_panel=panel)(command)
