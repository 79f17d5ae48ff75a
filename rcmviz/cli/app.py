"""The command `app`: the application in a browser."""

import logging
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

import rcmviz


def open_app(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port on this machine.")] = 8501,
    browser: Annotated[bool, typer.Option(help="Open a browser.")] = True,
):
    """Open the application on 127.0.0.1."""
    launcher = application_file()
    options = {"port": port, "address": "127.0.0.1", "headless": str(not browser).lower()}
    command = [sys.executable, "-m", "streamlit", "run", launcher.name]
    for name, value in options.items():
        command += [f"--server.{name}", str(value)]
    raise typer.Exit(subprocess.run(command, cwd=launcher.parent, check=False).returncode)


def application_file():
    """The launcher: `app.py` beside the package in a checkout, in `rcmviz/application` in an installed wheel."""
    package = Path(rcmviz.__file__).parent
    for candidate in (package / "application" / "app.py", package.parent / "app.py"):
        if candidate.is_file():
            return candidate
    raise ValueError("the application is not installed; install rcmviz from its wheel, or run it in a checkout")


def from_application(module):
    """A module of the application, ``pages.…``: what a command asks of the application without its server."""
    folder = str(application_file().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    logging.getLogger("streamlit").setLevel(logging.ERROR)  # it would say that no browser is there
    return import_module(module)
