"""The commands `warmup` and `cache`: compile kernels ahead; list and remove files on disk."""

import os
import re
import shutil
import time
from typing import Annotated

import typer

from rcmviz.cache_folders import code_folders
from rcmviz.cli.console import QUIET, plain_table, print_note, set_until_end, terminal
from rcmviz.core.shared.wording import counted
from rcmviz.jobs.warm_ups import WARM_UPS, warm_up

DIGEST = re.compile("[0-9a-f]{12}")  # the name of a folder of compiled code (rcmviz/kernels/__init__.py)

cache_app = typer.Typer(
    invoke_without_command=True, help="What rcmviz keeps on this machine: compiled code and data sets; `clear` it."
)


def warmup(
    context: typer.Context,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]…", help=f"Of {', '.join(WARM_UPS)}; all by default.")
    ] = None,
):
    """Compile ahead what a first fit, training or page would compile; once on a machine and for a version."""
    for name in names or ():
        if name not in WARM_UPS:
            raise ValueError(f"NAME {name!r}: choose one of {', '.join(WARM_UPS)}")
    print_note("compiling, once on this machine; compiled kernels are only loaded")
    set_until_end(context, {QUIET: "1"})  # the first has just been said
    for name in names or WARM_UPS:
        began = time.perf_counter()
        warm_up([name])
        terminal().print(f"{WARM_UPS[name].title}: {time.perf_counter() - began:.1f} s")


@cache_app.callback()
def show_cache(context: typer.Context):
    """List the kept files and their sizes."""
    if context.invoked_subcommand:
        return
    from rcmviz.data.registry import cache_dir

    folders = sorted(path for path in cache_dir().glob("*") if path.is_dir())
    found = {folder.name: _files(folder) for folder in folders}
    rows = [(name, f"{len(files):,}", f"{size / 1e6:,.1f}") for name, (files, size) in found.items()]
    terminal().print(str(cache_dir()), soft_wrap=True)
    terminal().print(plain_table(("", "files", "MB"), rows, left=("",)))
    for folder in _code_elsewhere():
        files, size = _files(folder)
        terminal().print(f"{folder}: {counted(len(files), 'file')}, {size / 1e6:,.1f} MB", soft_wrap=True)
    if "NUMBA_CACHE_DIR" in os.environ:
        print_note(f"compiled code goes to {os.environ['NUMBA_CACHE_DIR']}, as NUMBA_CACHE_DIR says")


@cache_app.command("clear")
def clear_cache(
    data: Annotated[bool, typer.Option("--data", help="Data sets too, which are then fetched again.")] = False,
):
    """Remove compiled code; the next call compiles it again."""
    from rcmviz.data.registry import cache_dir

    usual = [path for path in cache_dir().glob("*") if path.is_dir() and (data or path.name == "kernels")]
    elsewhere = [path for folder in _code_elsewhere() for path in folder.iterdir() if DIGEST.fullmatch(path.name)]
    folders = usual + elsewhere
    for folder in folders:
        files, size = _files(folder)
        shutil.rmtree(folder)
        terminal().print(f"removed {folder}: {counted(len(files), 'file')}, {size / 1e6:,.1f} MB", soft_wrap=True)
    if not folders:
        terminal().print(f"{cache_dir()}: nothing to remove", soft_wrap=True)


def _code_elsewhere():
    """Folders with compiled code other than the usual one: NUMBA_CACHE_DIR, and the temporary one of this user."""
    from rcmviz.data.registry import cache_dir

    usual = cache_dir() / "kernels"
    folders = code_folders(os.environ.get("NUMBA_CACHE_DIR"))
    return [folder for folder in folders if folder != usual and os.access(folder, os.R_OK | os.X_OK)]


def _files(folder):
    """(Files of a folder, their size in bytes)."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return files, sum(path.stat().st_size for path in files)
