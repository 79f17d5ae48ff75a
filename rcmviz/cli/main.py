"""The command line: the same calls as a notebook, printed. `rcmviz --help` shows all commands."""

from typing import Annotated

import typer

import rcmviz
from rcmviz.cli.align import align
from rcmviz.cli.app import open_app
from rcmviz.cli.compare import compare
from rcmviz.cli.console import QUIET, PlainErrors, set_until_end
from rcmviz.cli.ctc import ctc
from rcmviz.cli.data import data_app
from rcmviz.cli.decipher import decipher
from rcmviz.cli.decode import decode
from rcmviz.cli.disagree import disagree
from rcmviz.cli.evaluate import evaluate
from rcmviz.cli.export import export
from rcmviz.cli.field import field_app
from rcmviz.cli.lesson import lesson_app
from rcmviz.cli.lm import lm_app
from rcmviz.cli.predict import predict_file
from rcmviz.cli.reproduce import reproduce
from rcmviz.cli.sample import sample
from rcmviz.cli.search import search
from rcmviz.cli.searn import searn_app
from rcmviz.cli.step import step
from rcmviz.cli.sweep import sweep
from rcmviz.cli.tag import tag
from rcmviz.cli.tagger import tagger_app
from rcmviz.cli.train import train
from rcmviz.cli.warmup import cache_app, warmup

THREADS = "NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"

PANELS = {  # the commands and families of commands under each heading of the help
    "Step by step": {
        "app": open_app,
        "step": step,
        "compare": compare,
        "search": search,
        "export": export,
        "lesson": lesson_app,
    },
    "Learning": {
        "train": train,
        "evaluate": evaluate,
        "disagree": disagree,
        "predict": predict_file,
        "searn": searn_app,
        "sweep": sweep,
        "decipher": decipher,
        "align": align,
    },
    "Language models, exact answers": {
        "decode": decode,
        "ctc": ctc,
        "sample": sample,
        "tag": tag,
        "tagger": tagger_app,
        "lm": lm_app,
        "field": field_app,
    },
    "This machine": {"warmup": warmup, "cache": cache_app, "data": data_app},
    "Reproductions": {"reproduce": reproduce},
}

app = typer.Typer(
    cls=PlainErrors,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="See how a model decides what to remember: exact, beam search, RCMS and adaptive rejection, step by step.",
    epilog="A file named - is standard input, or output. Exit codes: 0 done; 1 a request failed, as the "
    "check of a lesson or a training of a sweep; 2 an argument or a file is wrong, one line says which; 130 Ctrl-C.",
)


def _show_version(wanted: bool):
    if wanted:
        typer.echo(f"rcmviz {rcmviz.__version__}")
        raise typer.Exit


@app.callback()
def _main(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Results and errors: no notes, no progress.")] = False,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads that compute; all cores by default.")] = None,
):
    if quiet:
        set_until_end(context, {QUIET: "1"})
    if threads is not None:
        set_until_end(context, dict.fromkeys(THREADS, str(threads)))


for panel, commands in PANELS.items():
    for name, command in commands.items():
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name, rich_help_panel=panel)
        else:
            app.command(name, rich_help_panel=panel)(command)
