"""Files of compiled code: damaged ones are removed before Numba reads them, and what cannot be kept is not kept.

Each folder has a list of the SHA-256 of its files, to which a process adds a line when it has saved one. Before Numba
looks for a kernel, the kernel's files are compared with the list. A file that the list lacks, or that differs, goes:
cut off, overwritten, or of a process that was killed before it had listed it. Numba recompiles missing code.

Numba numbers the files of a kernel by its index. Of two processes that save at the same moment, each would read the
index before the other has written it, and the code of one would be listed as the other's. So a process holds a lock on
the list while it saves. After the first fault in saving, a process saves no more: an OSError at the end of a
compilation comes before Numba saves, and ``compat.py`` catches it.
"""

import errno
import hashlib
import os
import stat
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from numba.core import event

from rcmviz.kernels.notice import NOTICE

try:
    import fcntl
except ImportError:  # Windows: processes that save at the same moment are not kept apart
    fcntl = None

LIST = "checksums"
LARGEST_LIST = 10_000_000  # bytes
SUFFIXES = ".nbi", ".nbc"  # an index, and compiled code
LEFT_FOR = 3_600  # seconds after which a file that was being written is abandoned
WAITS = 10  # seconds for another process that saves


class CodeFiles(event.Listener):
    """Removes damaged files and lists those that Numba saves; it hears "numba:compile"."""

    def __init__(self):
        self.keeps = True  # until something cannot be saved
        self._sound = {}  # {path: state} of files that were compared with their list
        self._prefixes = {}  # {folder: beginnings of the names of its kernels' files}
        self._of_thread = threading.local()

    def enter(self, folder, prefix):
        """Say that a folder has files of a kernel, whose names begin so."""
        self._prefixes.setdefault(folder, set()).add(prefix)

    def are_sound(self, folder, prefix):
        """Remove the damaged files of a kernel; False if one stays, or if the folder cannot be read."""
        try:
            if not self._unsound(folder, prefix):
                return True
            with self._waiting(folder):  # another process may have saved a file that it has not listed yet
                unsound = self._unsound(folder, prefix)
        except OSError:
            return False
        removed = [_is_removed(Path(folder, name)) for name in unsound]
        return all(removed)

    @contextmanager
    def saving(self, dispatcher, folder, prefix):
        """While a kernel is compiled, and saved by Numba; what was saved is listed at the end."""
        stack = self._of_thread.__dict__.setdefault("stack", [])
        entry = {"dispatcher": dispatcher, "folder": folder, "list": None}
        stack.append(entry)
        try:
            yield
        finally:
            stack.pop()
            if entry["list"] is not None:
                with entry["list"] as file:
                    with suppress(OSError):  # unlisted code is recompiled
                        _list_saved(folder, self._of_kernel(folder, prefix), file)
                    _unlock(file)

    def on_start(self, event):
        pass

    def on_end(self, event):
        stack = self._of_thread.__dict__.get("stack")
        if stack and stack[-1]["dispatcher"] is event.data["dispatcher"]:
            if not self.keeps:
                raise OSError(errno.EIO, "compiled code is not kept")
            stack[-1]["list"] = _locked_list(stack[-1]["folder"])

    def give_up(self, error):
        """Keep nothing from now on, and write one note."""
        if self.keeps:
            self.keeps = False
            NOTICE.say_folder(None, f"{error.filename or 'compiled code'}: {error.strerror or error}")

    def _of_kernel(self, folder, prefix):
        """``{name: state}`` of a kernel's files, and of those that begin as no kernel's do."""
        others = tuple(self._prefixes.get(folder, set()) - {prefix})
        return {name: state for name, state in _files(folder).items() if not name.startswith(others)}

    def _unsound(self, folder, prefix):
        """The names of a kernel's files that differ from the list, and of abandoned ones."""
        files = self._of_kernel(folder, prefix)
        new = {name: state for name, state in files.items() if self._sound.get((folder, name)) != state}
        listed = _listed(folder) if new else {}
        unsound = []
        for name, state in new.items():
            if name in listed and _digest(Path(folder, name)) == listed[name]:
                self._sound[folder, name] = state
            elif name.endswith(SUFFIXES) or time.time() - state[1] / 1e9 > LEFT_FOR:
                unsound.append(name)
        return unsound

    @contextmanager
    def _waiting(self, folder):
        """While no other process saves, if that can be known."""
        try:
            file = _locked_list(folder)
        except OSError:
            yield
            return
        with file:
            yield
            _unlock(file)


CODE_FILES = CodeFiles()


def _locked_list(folder):
    """A folder's list, open and locked; OSError if it cannot be written, or if another process keeps it too long."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, LIST)
    file = open(_regular(path, os.O_RDWR | os.O_APPEND | os.O_CREAT), "ab", buffering=0)  # noqa: SIM115 closed by the caller
    until = time.monotonic() + WAITS
    while fcntl:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if time.monotonic() > until:
                file.close()
                raise OSError(errno.EAGAIN, "locked by another process", path) from None
            time.sleep(0.005)
        except OSError:  # a file system without locks
            break
    return file


def _unlock(file):
    if fcntl:
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_UN)  # closing is not enough if a process has been forked since


def _regular(path, flags):
    """The descriptor of a file that is opened; OSError for a folder, a pipe or a device, without waiting for it."""
    descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0), 0o666)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a file", str(path))
    return descriptor


def _read(path, most=None):
    """The content of a file; OSError if it is none, or larger than ``most`` bytes."""
    with open(_regular(path, os.O_RDONLY), "rb") as file:
        if most is not None and os.fstat(file.fileno()).st_size > most:
            raise OSError(errno.EFBIG, "too large", str(path))
        return file.read()


def _list_saved(folder, files, file):
    """Add to a folder's open list what it does not have yet, in one write.

    Each line begins with a line break: a line before it may have been cut off.
    """
    listed = _listed(folder)
    digests = {name: _digest(Path(folder, name)) for name in files if name.endswith(SUFFIXES)}
    lines = [f"\n{name}\t{digest}" for name, digest in digests.items() if digest and listed.get(name) != digest]
    file.write("".join(lines).encode())


def _files(folder):
    """``{name: state}`` of the files with compiled code in a folder; the state changes with the content."""
    found = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(SUFFIXES) or ".tmp." in entry.name:
                    with suppress(FileNotFoundError):
                        status = entry.stat(follow_symlinks=False)
                        found[entry.name] = status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino
    except FileNotFoundError:
        return {}
    return found


def _is_removed(path):
    """Whether a file is gone; what Numba does not read may stay."""
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return not path.name.endswith(SUFFIXES)
    return True


def _listed(folder):
    """``{name: digest}`` as a folder's list has it; a damaged line lists nothing."""
    try:
        content = _read(os.path.join(folder, LIST), LARGEST_LIST).decode("utf-8", "replace")
    except OSError:
        return {}
    parts = (line.split("\t") for line in content.splitlines())
    return {part[0]: part[1] for part in parts if len(part) == 2}


def _digest(path):
    """The SHA-256 of a file; empty if it cannot be read."""
    try:
        return hashlib.sha256(_read(path)).hexdigest()
    except OSError:
        return ""
