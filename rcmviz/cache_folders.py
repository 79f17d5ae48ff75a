"""The folders that this user's files go to: compiled code, data sets, texts of links that are too long."""

import errno
import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

import platformdirs

LARGEST = 1_000_000  # bytes of a file of compiled code
LEAST_FREE = 16_000_000  # bytes of disk: with less, the files of compiled code may not fit


def user_folder():
    """The folder of rcmviz in the user's cache; a temporary one if the user has no home folder."""
    try:
        return usual_folder()
    except OSError:
        folder = temporary_folder()
    with suppress(OSError):
        _make_private(folder)
    return folder


def usual_folder():
    """The folder of rcmviz in the user's cache; OSError if the user has no home folder."""
    try:
        folder = Path(platformdirs.user_cache_dir("rcmviz"))
    except RuntimeError:  # current platformdirs
        folder = Path("~")
    if not folder.is_absolute():  # platformdirs of before: in a folder named ~
        raise OSError(errno.ENOENT, "this user has no home folder", "~/.cache")
    return folder


def temporary_folder():
    """The folder of this user among the system's temporary files; OSError if there is no place for those."""
    user = f"-{os.getuid()}" if hasattr(os, "getuid") else ""  # on Windows these files are the user's own anyway
    return Path(tempfile.gettempdir(), f"rcmviz{user}")


def choose_code_folder(chosen):
    """Choose where compiled code is kept.

    Parameters
    ----------
    chosen : str
        The user's choice, NUMBA_CACHE_DIR; empty for none.

    Returns
    -------
    folder : Path or None
        A folder that can be written; None if there is none.
    fault : str
        Why it is not the usual folder, or not the user's choice; empty if it is.
    """
    try:
        return _make_writable(Path(chosen) if chosen else usual_folder() / "kernels"), ""
    except OSError as error:
        fault = f"{error.filename}: {error.strerror}"
    try:
        folder = temporary_folder()
        _make_private(folder)
        return _make_writable(folder / "kernels"), fault
    except OSError:
        return None, fault


def code_folders(chosen):
    """The folders that may hold compiled code: the user's choice, the usual one, the temporary one."""
    folders = [Path(chosen)] if chosen else []
    for find in (usual_folder, temporary_folder):
        try:
            folders.append(find() / "kernels")
        except OSError:
            continue
    return list(dict.fromkeys(folders))


def _make_writable(folder):
    """The folder, made if need be; OSError with its name if no files of compiled code can be written there."""
    try:
        folder = folder.absolute()  # a command may change into another folder
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:  # a quota, or a limit of the shell, shows when one writes
            file.write(bytes(LARGEST))
            file.flush()
        if shutil.disk_usage(folder).free < LEAST_FREE:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(folder)) from None
    return folder


def _make_private(folder):
    """Make a folder that is this user's alone; PermissionError if it is not: code from others could do anything."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = folder.lstat()
    if hasattr(os, "getuid") and (
        not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077
    ):
        raise PermissionError(errno.EPERM, "belongs to another user", str(folder))
