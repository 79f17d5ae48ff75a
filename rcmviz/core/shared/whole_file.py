"""Files written whole or not at all."""

import errno
import os
import re
import secrets
import time
from contextlib import contextmanager, suppress
from pathlib import Path

LEFT_FOR = 3_600  # seconds after which a part belongs to nobody any more


@contextmanager
def whole_file(path):
    """A binary file written beside ``path`` and then put in its place: a write that is cut off leaves the old file.

    What a killed process left beside it an hour ago or more is swept. OSError, with the name of the file, where it
    cannot be written.
    """
    path = _checked(path)
    target = Path(os.path.realpath(path))  # a link goes on leading to its file
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    _sweep(target)
    try:
        if path.exists() and not path.is_file():  # a device such as /dev/null would be replaced by a file
            raise OSError(errno.EINVAL, "not a file")
        with open(beside, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
    except BaseException as error:
        beside.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror or str(error), str(path)) from None  # by the name that was given
        raise


def _checked(path):
    from rcmviz.core.shared import checks  # numpy: the command line shows its help without it

    return Path(checks.path("path", path))


def _sweep(target):
    """Remove the parts of ``target`` whose writer was killed: old ones, for another process may be writing one now."""
    leftover = re.compile(re.escape(f".{target.name}.") + "[0-9a-f]{8}")
    with suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            if leftover.fullmatch(entry.name) and time.time() - entry.stat().st_mtime > LEFT_FOR:
                os.unlink(entry.path)


def write_text(path, text):
    """Write a text as UTF-8, whole or not at all as ``whole_file``; into a device or a pipe as it is."""
    path = _checked(path)
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    with whole_file(path) as file:
        file.write(text.encode("utf-8"))
