"""Files of compiled code: damaged ones are removed before Numba reads them, and processes save one at a time.

Each folder has a list of its files with size, times and SHA-256, to which a process adds a line when it has saved one.
A file that the list lacks, or that is not as the list says, goes: cut off, overwritten, or of a process that was killed
before it had listed it. Numba compiles again what is missing. Numba renames files into place, so another process finds
a file whole or not at all. Only files whose times have changed are read, such as those of a cache that was copied.

Numba numbers the files of a kernel by its index. Of two processes that save at the same moment, each would read the
index before the other has written it, and the code of one would be listed as the other's. So a process holds a lock on
the list while it saves.
"""

import hashlib
import os
import threading
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import NamedTuple

from numba.core import event

try:
    import fcntl
except ImportError:  # Windows: processes that save at the same moment are not kept apart
    fcntl = None

LIST = "checksums"
SUFFIXES = ".nbi", ".nbc"  # an index, and compiled code


class _Saving(NamedTuple):
    """A kernel that Numba is about to save: how many locks were taken, its folder, and the folder's list, locked."""

    depth: int
    folder: str
    lock: AbstractContextManager


class _Line(NamedTuple):
    """A line of a folder's list."""

    name: str
    size: str
    changed: str
    entered: str
    digest: str


class CodeFiles(event.Listener):
    """Removes damaged files and lists those that Numba saves; it hears "numba:compile" and "numba:compiler_lock".

    Numba saves a kernel after it has announced the end of its compilation, and before it releases the lock that it
    took for this kernel. Kernels are compiled within others, and each takes the lock once more.
    """

    def __init__(self):
        self._checked = set()  # folders, by this process
        self._of_thread = threading.local()

    def remove_damaged(self, folder):
        """Remove the damaged files of a folder, once in a process, before the first kernel in it is loaded."""
        if folder in self._checked:
            return
        self._checked.add(folder)
        files = _files(folder)
        listed = _listed(folder) if files else {}
        copied = {}
        for name, state in files.items():
            known_state, digest = listed.get(name, (None, ""))
            if known_state == state:
                continue
            path = Path(folder, name)
            if known_state and known_state[0] == state[0] and _digest(path) == digest:
                copied[name] = state, digest
            else:
                with suppress(OSError):
                    path.unlink()
        _add(folder, copied)

    def on_start(self, event):
        if event.kind == "numba:compiler_lock":
            self._of_thread.depth = getattr(self._of_thread, "depth", 0) + 1

    def on_end(self, event):
        here = self._of_thread
        depth = getattr(here, "depth", 0)
        if event.kind == "numba:compile":
            folder = event.data["dispatcher"].stats.cache_path
            if folder in self._checked:
                here.saving = [*getattr(here, "saving", ()), _Saving(depth, folder, _locked_list(folder))]
            return
        here.depth = depth - 1
        while getattr(here, "saving", None) and here.saving[-1].depth >= depth:
            saving = here.saving.pop()
            with saving.lock:
                _list_saved(saving.folder)


CODE_FILES = CodeFiles()


def _locked_list(folder):
    """A folder's list, open and locked until it is closed; nothing is locked if it cannot be written."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        file = open(Path(folder, LIST), "ab")  # noqa: SIM115 closed by the caller
    except OSError:
        return nullcontext()
    if fcntl:
        fcntl.flock(file, fcntl.LOCK_EX)
    return file


def _list_saved(folder):
    """Add to a folder's list what it does not have yet."""
    listed = _listed(folder)
    saved = {name: state for name, state in _files(folder).items() if listed.get(name, (None,))[0] != state}
    _add(folder, {name: (state, _digest(Path(folder, name))) for name, state in saved.items()})


def _files(folder):
    """``{name: (size, time of its content, time of its entry)}`` of the files with compiled code in a folder."""
    found = {}
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(SUFFIXES):
                status = entry.stat()
                found[entry.name] = status.st_size, status.st_mtime_ns, status.st_ctime_ns
    return found


def _listed(folder):
    """``{name: (state, digest)}`` as a folder's list has it; a damaged line lists nothing."""
    found = {}
    with suppress(OSError):
        for line in Path(folder, LIST).read_text(encoding="utf-8", errors="replace").splitlines():
            with suppress(ValueError, TypeError):
                entry = _Line(*line.split("\t"))
                found[entry.name] = (int(entry.size), int(entry.changed), int(entry.entered)), entry.digest
    return found


def _add(folder, files):
    """Add lines to a folder's list in one write, so that those of several processes do not mix.

    Each begins with a line break: a line before it may have been cut off.
    """
    lines = ["\n" + "\t".join((name, *map(str, state), digest)) for name, (state, digest) in files.items() if digest]
    if lines:
        with suppress(OSError), open(Path(folder, LIST), "ab") as file:
            file.write("".join(lines).encode())


def _digest(path):
    """The SHA-256 of a file; empty if it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
