"""Samples from the tests' fixtures, and inputs as files for readers that take a path."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

FIXTURES = Path(__file__).parents[1] / "tests" / "fixtures"


def fixtures(pattern: str) -> dict[str, bytes]:
    """Return the files of earlier versions with this name."""
    found = {
        f"{path.parent.name}/{path.name}": path.read_bytes() for path in sorted(FIXTURES.glob(f"saved-*/{pattern}"))
    }
    assert found, pattern
    return found


@cache
def folder() -> Path:
    """Return a folder of this process, in memory if possible, deleted when it ends."""
    made = Path(tempfile.mkdtemp(prefix="rcmviz-fuzz-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def as_file(content: bytes, name: str) -> Path:
    """An input as a file of that name."""
    path = folder() / name
    path.write_bytes(content)
    return path


def saved_bytes(save) -> bytes:
    """Return the bytes that ``save(path)`` writes."""
    path = folder() / "saved"
    save(path)
    content = path.read_bytes()
    path.unlink()
    return content
