"""A server whose command (``rcmviz app``) was killed ends too, and takes away what the command would have."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

PARENT_VARIABLE = "RCMVIZ_APP_PROCESS"  # of the environment: the process that started this server
FOLDER = "rcmviz-app-"  # begins the name of a server's own folder; no other one is removed
LOOK_SECONDS = 2.0


def end_without_parent(parent: int, folder: Path) -> None:
    """From now on end this process once its ``parent`` is gone, and remove the server's ``folder``."""
    threading.Thread(target=_watch, args=(parent, folder, time.sleep), name="parent", daemon=True).start()


def _watch(parent: int, folder: Path, pause: Callable[[float], object]) -> None:
    while os.getppid() == parent:
        pause(LOOK_SECONDS)
    if folder.name.startswith(FOLDER):
        shutil.rmtree(folder, ignore_errors=True)
    os.kill(os.getpid(), signal.SIGTERM)  # as the command would: browsers are notified, files are closed
