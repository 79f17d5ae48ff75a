"""Texts that are too long for a link, kept by this computer under names that nobody can guess.

A name in a link stands for the text: in memory while the server runs, and in a file of the user's cache, so that a
reload or a restart still finds it. Both are bounded, and whatever is too old goes. Another computer does not know the
name, which its first word says.
"""

import hashlib
import os
import re
import secrets
import time
from collections import OrderedDict
from pathlib import Path
from threading import Lock

from rcmviz.core.shared.whole_file import whole_file
from rcmviz.data import registry

LONGEST = 6_000  # characters in a link; browsers and servers refuse addresses of some ten thousand
PREFIX = "only-here."
MOST, MOST_BYTES, DAYS = 40, 60_000_000, 14
GONE = (
    "what this link shows was too large for it and is kept only on the computer where the link was made, "
    f"for {DAYS} days; ask for the file instead (Save and share writes it), or open it here once more"
)
_NAME = re.compile(re.escape(PREFIX) + r"[A-Za-z0-9_-]{32}")


class Keeper:
    """Texts by name; ``folder()`` is where their files are, at most so many and of so many bytes."""

    def __init__(self, folder, most=MOST, most_bytes=MOST_BYTES, days=DAYS):
        self.folder, self.most, self.most_bytes, self.days = folder, most, most_bytes, days
        self._texts, self._names, self._lock = OrderedDict(), {}, Lock()
        self.writes = True  # False: in memory only, as long as strangers share this server

    def keep(self, text):
        """The name of a text, the same one for the same text."""
        digest = hashlib.sha256(text.encode()).digest()
        with self._lock:
            name = self._names.get(digest)
            if name in self._texts:
                self._texts.move_to_end(name)
                return name
            name = PREFIX + secrets.token_urlsafe(24)
            self._put(name, text, digest)
            if self.writes:
                self._write(name, text)
            return name

    def find(self, name):
        """The text of a name; ValueError where there is none (any more)."""
        with self._lock:
            if name in self._texts:
                self._texts.move_to_end(name)
                return self._texts[name]
            text = self._read(name)
            if text is None:
                raise ValueError(GONE)
            self._put(name, text, hashlib.sha256(text.encode()).digest())
            return text

    def forget(self):
        """Forget what is in memory."""
        with self._lock:
            self._texts.clear()
            self._names.clear()

    def _put(self, name, text, digest):
        self._texts[name], self._names[digest] = text, name
        while len(self._texts) > self.most or sum(map(len, self._texts.values())) > self.most_bytes:
            if len(self._texts) == 1:
                break
            self._texts.popitem(last=False)
        self._names = {digest: name for digest, name in self._names.items() if name in self._texts}

    def _read(self, name):
        """The text of a file, which is as young again as if it were new; None where there is none."""
        try:
            path = self._path(name)
            if path is None or time.time() - path.stat().st_mtime > self.days * 86_400:
                return None
            text = path.read_text(encoding="utf-8")
            os.utime(path)
            return text
        except (OSError, UnicodeDecodeError):
            return None

    def _write(self, name, text):
        """A file that only this user reads; where none can be written, memory has to do."""
        try:
            self.folder().mkdir(mode=0o700, parents=True, exist_ok=True)
            with whole_file(self._path(name)) as file:
                os.chmod(file.fileno(), 0o600)
                file.write(text.encode())
            self._tidy()
        except OSError:
            pass

    def _tidy(self):
        """Take away what is too old, and the oldest of what is too much."""
        now, room = time.time(), self.most_bytes
        found = [(path.stat(), path) for path in self.folder().iterdir() if _NAME.fullmatch(path.name)]
        newest = sorted(found, key=lambda entry: -entry[0].st_mtime)
        for number, (status, path) in enumerate(newest):
            room -= status.st_size
            if number and (number >= self.most or room < 0 or now - status.st_mtime > self.days * 86_400):
                path.unlink(missing_ok=True)

    def _path(self, name):
        """Where a file is or would be; None for what no ``keep`` gave out, such as a path."""
        return self.folder() / name if _NAME.fullmatch(name) else None


KEPT = Keeper(lambda: Path(registry.cache_dir()) / "kept")


def shortened(text):
    """What stands for a text in a link: itself, or the name that it is kept by."""
    return text if len(text) <= LONGEST else KEPT.keep(text)


def found(text):
    """The text that ``shortened`` stands for; ValueError where it is not here (any more)."""
    return KEPT.find(text) if is_name(text) else text


def is_name(text):
    """Whether a link has a name in place of the text."""
    return text.startswith(PREFIX)
