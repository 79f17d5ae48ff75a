"""Serves the application: by uvicorn, with Streamlit's configuration in a file.

``streamlit run`` opens the socket itself, without naming its protocol, and asyncio then leaves Nagle's algorithm on
(uvicorn#3149): each file of a first view waits 40 ms for the browser to confirm its headers. Given a host and a port,
uvicorn lets asyncio open the socket, which switches the algorithm off. Without ``streamlit run`` Streamlit reads its
options from files only.
"""

import json
import sys
import tomllib

from rcmviz.classroom.open_files import backlog, raise_limit

PING_SECONDS = "30"  # as Streamlit asks of uvicorn
LARGEST_MESSAGE = "8000000"  # bytes of a websocket's message, unpacked


def server_command(launcher, folder, files=None, **options):
    """Write Streamlit's configuration to ``folder``, where the server is to run; return the server's command.

    ``launcher`` is the application's file, whose own configuration holds but for the ``options`` of its section
    ``server``, such as ``port`` and ``address``. ``files`` is how many files it may open, if not as many as here.
    """
    config = tomllib.loads((launcher.parent / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    config["server"] |= options
    (folder / ".streamlit").mkdir()
    (folder / ".streamlit" / "config.toml").write_text("\n".join(_toml(config)) + "\n", encoding="utf-8")
    return [
        sys.executable,
        "-m",
        "uvicorn",
        f"{launcher.stem}:app",
        "--app-dir",
        str(launcher.parent),
        "--host",
        config["server"]["address"],
        "--port",
        str(config["server"]["port"]),
        "--http",
        "rcmviz.classroom.connections:LimitedConnection",
        "--backlog",
        str(backlog(files or raise_limit())),
        "--ws-max-size",
        LARGEST_MESSAGE,
        "--ws",
        "websockets-sansio",
        "--ws-per-message-deflate",
        str(config["server"]["enableWebsocketCompression"]),
        "--ws-ping-interval",
        PING_SECONDS,
        "--ws-ping-timeout",
        PING_SECONDS,
    ]


def _toml(table, name=""):
    """Lines of TOML; JSON writes its texts, numbers, truth values and lists as TOML does."""
    if name:
        yield f"[{name}]"
    for key, value in table.items():
        if not isinstance(value, dict):
            yield f"{key} = {json.dumps(value, ensure_ascii=False)}"
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _toml(value, f"{name}.{key}".lstrip("."))
