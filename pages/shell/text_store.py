"""Texts too long for a link: this computer keeps them, and the link has a name that cannot be guessed.

A text is in memory while the server runs and in a file of the user's cache, so that its link works after a restart.
Both stores are limited, and old texts are deleted. The prefix of a name says that other computers do not have the text.
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

LONGEST = 6_000  # characters of a text in a link; browsers and servers refuse addresses of some ten thousand
PREFIX = "only-here."
MOST, MOST_BYTES, DAYS = 40, 60_000_000, 14
GONE = (
    "the text of this link is too long for an address and is kept only on the computer where the link was made, "
    f"for {DAYS} days; get it as a file (Save and share writes it), or open it here again"
)
_NAME = re.compile(re.escape(PREFIX) + r"[A-Za-z0-9_-]{32}")


class TextStore:
    """Texts by name, in memory and in ``folder()``: at most ``most`` of ``most_bytes`` for ``days``."""

    def __init__(self, folder, most=MOST, most_bytes=MOST_BYTES, days=DAYS):
        self.folder, self.most, self.most_bytes, self.days = folder, most, most_bytes, days
        self._texts, self._names, self._lock = OrderedDict(), {}, Lock()
        self.writes = True  # False while a class shares this server: in memory only

    def keep(self, text):
        """Store a text and return its name; the same text has the same name."""
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
        """Return the text of a name; ValueError if it is missing or expired."""
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
        """Clear the memory."""
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
        """Return the text of a file and reset its age; None if it is missing or expired."""
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
        """Write a file that only this user can read; a disk error leaves the text in memory only."""
        try:
            self.folder().mkdir(mode=0o700, parents=True, exist_ok=True)
            with whole_file(self._path(name)) as file:
                os.chmod(file.fileno(), 0o600)
                file.write(text.encode())
            self._tidy()
        except OSError:
            pass

    def _tidy(self):
        """Delete expired files, and the oldest files above the limits."""
        now, room = time.time(), self.most_bytes
        found = [(path.stat(), path) for path in self.folder().iterdir() if _NAME.fullmatch(path.name)]
        newest = sorted(found, key=lambda entry: -entry[0].st_mtime)
        for number, (status, path) in enumerate(newest):
            room -= status.st_size
            if number and (number >= self.most or room < 0 or now - status.st_mtime > self.days * 86_400):
                path.unlink(missing_ok=True)

    def _path(self, name):
        """Return the path of a file; None if ``keep`` cannot have issued the name, which may be a path."""
        return self.folder() / name if _NAME.fullmatch(name) else None


TEXTS = TextStore(lambda: Path(registry.cache_dir()) / "kept")


def shorten(text):
    """Return a text for a link: the text itself, or the name under which it is kept."""
    return text if len(text) <= LONGEST else TEXTS.keep(text)


def expand(text):
    """Return the text that ``shorten`` has replaced; ValueError if it is missing or expired."""
    return TEXTS.find(text) if is_stored_name(text) else text


def is_stored_name(text):
    """Whether a link has a name instead of the text."""
    return text.startswith(PREFIX)
