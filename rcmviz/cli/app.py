"""The command `app`: the application in a browser."""

import errno
import os
import signal
import socket
import subprocess
import sys
import tempfile
import webbrowser
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

import rcmviz
from rcmviz.classroom.orphan import PARENT_VARIABLE
from rcmviz.cli.app_server import server_command

# A container is stopped, a terminal is closed.
ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


def open_app(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port on this machine.")] = 8501,
    browser: Annotated[bool, typer.Option(help="Open a browser.")] = True,
    host: Annotated[
        str, typer.Option(help="Address to listen at; 0.0.0.0 lets others of the network in.")
    ] = "127.0.0.1",
    class_: Annotated[bool, typer.Option("--class", help="Lead a class: others follow what you show.")] = False,
    base_path: Annotated[str, typer.Option(help="Path of the application behind a proxy, such as rcmviz.")] = "",
    allow_host: Annotated[
        list[str] | None, typer.Option(help="A further name that this server is called by; may be repeated.")
    ] = None,
    max_memory: Annotated[
        int | None, typer.Option(min=100, help="Megabytes that the work of all who are here may take; usually 2000.")
    ] = None,
):
    """Open the application on 127.0.0.1, or let a class in (docs/app.md)."""
    _need_streamlit()
    from rcmviz.classroom.address import own_names
    from rcmviz.jobs.memory import VARIABLE as MAX_MEMORY

    if max_memory is not None:
        os.environ[MAX_MEMORY] = str(max_memory)
    base = base_path.strip("/")
    options = {
        "port": port,
        "address": host,
        "baseUrlPath": base,
        "allowedHosts": [*own_names(host), *(allow_host or ())],
    }
    _check_address(host, port)
    place = {"host": host, "port": port, "base": f"/{base}" if base else ""}
    named = next((name for name in allow_host or () if "*" not in name), None)
    with tempfile.TemporaryDirectory(prefix="rcmviz-app-") as folder:
        command = server_command(application_file(), Path(folder), **options)
        raise typer.Exit(_serve(command, folder, place, browser, class_, named))


def _serve(command, folder, place, browser, class_, named):
    """The exit code of the server once it has ended; a class has a key of its own."""
    from rcmviz.classroom.room import KEY_VARIABLE, new_key
    from rcmviz.cli.classroom import announce, is_there, local_address, take_away

    key, file = new_key() if class_ else None, None
    environment = _environment() | {PARENT_VARIABLE: str(os.getpid())} | ({KEY_VARIABLE: key} if class_ else {})
    process = subprocess.Popen(command, cwd=folder, env=environment)
    before = {number: signal.signal(number, lambda *_: process.terminate()) for number in ENDING}
    try:
        if class_:
            file = announce(process, key, **place, browser=browser, named=named, folder=folder)
        elif browser and is_there(process, address := local_address(**place)):
            webbrowser.open(address)
        return _code(process.wait())
    except KeyboardInterrupt:  # the server hears it too
        return _code(process.wait())
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if file is not None:
            take_away(file)


def _environment():
    """The environment of the server, which runs in a folder of its own: a relative folder of data is made absolute."""
    own = os.environ.get("RCMVIZ_DATA")
    return os.environ | ({"RCMVIZ_DATA": os.path.abspath(own)} if own else {})


def _code(returned):
    """The exit code as in a shell: 128 plus the number of a signal, else the process's own."""
    return returned if returned >= 0 else 128 - returned


def _check_address(host, port):
    """ValueError where no server can listen."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                fault = f"port {port} is taken on this machine: choose another one with --port"
            else:
                fault = f"{host}, port {port}: no server can listen there ({error.strerror}); choose --host and --port"
            raise ValueError(fault) from None


def _need_streamlit():
    """ValueError where rcmviz was installed without its application."""
    if find_spec("streamlit") is None:
        raise ValueError("the application is not installed: pip install 'rcmviz[app]' brings it")


def application_file():
    """The launcher: `app.py` next to the package in a checkout, in `rcmviz/application` in an installed wheel."""
    package = Path(rcmviz.__file__).parent
    for candidate in (package / "application" / "app.py", package.parent / "app.py"):
        if candidate.is_file():
            return candidate
    raise ValueError("the application is not installed; install rcmviz from its wheel, or run it in a checkout")


def from_application(module):
    """A module of the application, ``pages.…``: what a command asks of the application without its server."""
    _need_streamlit()
    folder = str(application_file().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    os.environ.setdefault("STREAMLIT_LOGGER_LEVEL", "error")  # it would warn about a missing browser
    return import_module(module)
