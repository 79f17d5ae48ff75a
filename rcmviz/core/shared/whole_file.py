"""Files written whole or not at all."""

import errno
import hashlib
import os
import re
import secrets
import shutil
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path

LEFT_FOR = 3_600  # seconds after which a part is abandoned
LONGEST_NAME = 130  # bytes: encrypted folders allow 143, others 255, and a part has ten more
# Of a folder where nothing can be written or renamed, though the file itself can be: another user's, a mounted file.
FOLDER_FAULTS = errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY, errno.EXDEV


class TornError(OSError):
    """A file was overwritten in part; what should be in it is elsewhere."""


@contextmanager
def whole_file(path):
    """A binary file written next to ``path`` and then renamed to it: a write that is cut off leaves the old file.

    The file keeps its mode, owner, attributes and links. If it has several names (hard links), or its folder cannot be
    written, the new content is written whole elsewhere, then into the file itself: a kill at that moment can cut it
    off, a full disk cannot. Parts that a killed process left an hour ago or more are removed. OSError, with the name
    of the file, if it cannot be written.
    """
    path = _check_path(path)
    target = Path(os.path.realpath(path))  # a link keeps its target
    part = None
    try:
        if path.exists() and not path.is_file():  # a device such as /dev/null would be replaced by a file
            raise OSError(errno.EINVAL, "not a file")
        old = os.stat(target) if target.exists() else None
        if old and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        _sweep(target)
        part, file = _new_part(target, old)
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if not _is_renamed(part, target, old):
            _overwrite(target, part)
    except BaseException as error:
        if part is not None and not isinstance(error, TornError):
            part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror or str(error), str(path)) from None  # by the name that was given
        raise


def _check_path(path):
    from rcmviz.core.shared import checks  # numpy: the command line shows its help without it

    return Path(checks.path("path", path))


def _new_part(target, old):
    """(Path, open file) of a part next to the target; among the temporary files if only the target can be written."""
    part = target.with_name(f"{_part_prefix(target)}{secrets.token_hex(4)}")
    mode = 0o600 if old else 0o666
    try:
        return part, open(part, "xb", opener=lambda name, flags: os.open(name, flags, mode))
    except OSError as error:
        if not old or error.errno not in FOLDER_FAULTS:
            raise
    number, name = tempfile.mkstemp(prefix="rcmviz.")
    return Path(name), os.fdopen(number, "wb")


def _part_prefix(target):
    """The prefix of the names of the target's parts."""
    name = target.name
    if len(os.fsencode(name)) > LONGEST_NAME:
        name = hashlib.sha256(os.fsencode(name)).hexdigest()[:32]
    return f".{name}."


def _is_renamed(part, target, old):
    """Whether the part is in the target's place, as what the target was; if not, both are as they were."""
    try:
        if old:
            if old.st_nlink > 1 or part.parent != target.parent:
                return False
            new = os.stat(part)
            if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
                os.chown(part, old.st_uid, old.st_gid)
            shutil.copystat(target, part)  # mode and extended attributes
            os.utime(part)
        os.replace(part, target)
    except OSError as error:
        if not old or error.errno not in FOLDER_FAULTS:
            raise
        return False
    return True


def _overwrite(target, part):
    """Copy a part into the target; a disk that is full leaves the target as it was."""
    with open(part, "rb") as source, open(target, "r+b") as file:
        size, before = os.fstat(source.fileno()).st_size, os.fstat(file.fileno()).st_size
        try:  # the longer part comes first: it alone takes space
            source.seek(before)
            file.seek(before)
            shutil.copyfileobj(source, file)
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            os.truncate(target, before)
            raise
        try:
            source.seek(0)
            file.seek(0)
            _copy(source, file, min(size, before))
            file.truncate(size)
            file.flush()
            os.fsync(file.fileno())
        except OSError as error:
            raise TornError(error.errno, f"{error.strerror}; the new content is whole in {part}") from None
    part.unlink()


def _copy(source, file, size):
    """Copy ``size`` bytes."""
    while size > 0:
        piece = source.read(min(size, 1_000_000))
        file.write(piece)
        size -= len(piece)


def _sweep(target):
    """Remove the parts of ``target`` whose writer was killed: old ones, for another process may be writing one now."""
    leftover = re.compile(re.escape(_part_prefix(target)) + "[0-9a-f]{8}")
    with suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            if leftover.fullmatch(entry.name) and time.time() - entry.stat().st_mtime > LEFT_FOR:
                os.unlink(entry.path)


def write_text(path, text):
    """Write a text as UTF-8, whole or not at all as ``whole_file``; into a device or a pipe as it is."""
    path = _check_path(path)
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    with whole_file(path) as file:
        file.write(text.encode("utf-8"))
