"""Download a data set: in pieces, resumed after a break, checked before it gets its name.

While it comes the file is called ``<name>.part``. A file that is not the data set is kept as ``<name>.rejected``. No
more is fetched than a copy of the data set can have, and an address of https leads to no other.
"""

from __future__ import annotations

import http.client
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from rcmviz.data import registry

CHUNK = 1 << 16
TIMEOUT_SECONDS = 30.0
ATTEMPTS = 4
PAUSE_SECONDS = 0.5  # before the first new attempt; doubled before each further one

Progress = Callable[[int, int], None]


class DownloadError(ValueError):
    """A data set could not be fetched; the message says why and what to do."""


class _Interrupted(Exception):
    """The transfer broke off: worth another attempt."""


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows to http and https only, and from https to https only."""

    def redirect_request(self, request, response, code, message, headers, to):  # noqa: D102
        if not to.startswith(("https://",) if request.full_url.startswith("https://") else ("https://", "http://")):
            raise DownloadError(
                f"{request.full_url}: the server leads to {to!r}, which is not followed; pass another address"
            )
        return super().redirect_request(request, response, code, message, headers, to)


_OPENER = urllib.request.build_opener(_Redirects)


def get(name: str, url: str | None = None, on_progress: Progress | None = None) -> Path:
    """Return the main file of a data set, all its files fetched into the user's cache unless they are here already.

    Args:
        name: a name from ``list_datasets``.
        url: another place to fetch it from, http or https, for a data set of one file; the file has to be the same.
        on_progress: called with (bytes so far, bytes in all) after each piece.

    Raises:
        ValueError: for an unknown name.
        DownloadError: if the server cannot be reached or breaks off again and again, the file is not the data
            set, no server has it, or the disk refuses it.

    Example:
        >>> path = get("ocr", on_progress=lambda done, total: print(f"{done} of {total} bytes"))  # doctest: +SKIP
    """
    dataset = registry.dataset_named(name)
    if url is not None:
        dataset = _with_url(dataset, url)
    before = 0
    for file in dataset.files:
        if registry.find(name, file.filename) is None:
            rest = dataset.size - before - file.size
            _get_file(dataset, file, _shift_progress(on_progress, before, rest))
        before += file.size
    return registry.need(name)


def _with_url(dataset: registry.DataSet, url: str) -> registry.DataSet:
    """The data set with another address for its one file."""
    if len(dataset.files) > 1:
        raise DownloadError(f"{dataset.name} has {len(dataset.files)} files: fetch it without another address")
    return replace(dataset, files=(replace(dataset.files[0], url=url),))


def _shift_progress(on_progress: Progress | None, before: int, rest: int) -> Progress:
    """Progress of one file counted as progress of the whole data set."""
    if on_progress is None:
        return lambda done, total: None
    return lambda done, total: on_progress(before + done, before + total + rest)


def _get_file(dataset: registry.DataSet, file: registry.DataFile, on_progress: Progress) -> None:
    if file.url is None:
        raise DownloadError(registry.absent(dataset, file.filename))
    if not file.url.startswith(("http://", "https://")):
        raise DownloadError(f"{file.url!r} is not an http or https address")
    path = registry.cache_dir() / dataset.name / file.filename
    part = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if _size(part) > file.most:  # of another file
            part.unlink()
        _fetch(file, _manual_remedy(dataset, file), part, on_progress)
        _verify(dataset, file, part, path)
    except OSError as error:
        raise DownloadError(
            f"cannot write {part}: {error.strerror or error}; free some disk, set XDG_CACHE_HOME to a folder that can "
            f"be written, or RCMVIZ_DATA to one that holds {dataset.name}/{file.filename}"
        ) from error


def _manual_remedy(dataset: registry.DataSet, file: registry.DataFile) -> str:
    return f"fetch it by hand to $RCMVIZ_DATA/{dataset.name}/{file.filename}"


def _fetch(file: registry.DataFile, by_hand: str, part: Path, on_progress: Progress) -> None:
    """Fetch into the part file; attempts that get further than any before do not count."""
    furthest, failures = _size(part), 0
    while True:
        try:
            return _attempt(file, by_hand, part, on_progress)
        except _Interrupted as reason:
            failures = 1 if _size(part) > furthest else failures + 1
            furthest = max(furthest, _size(part))
            if failures == ATTEMPTS:
                raise DownloadError(
                    f"{file.url}: {reason}, {ATTEMPTS} times without progress; the part on disk is kept, so try "
                    f"again later, or {by_hand}"
                ) from reason
        time.sleep(PAUSE_SECONDS * 2 ** (failures - 1))


def _attempt(file: registry.DataFile, by_hand: str, part: Path, on_progress: Progress) -> None:
    """One request, from where the part file ends."""
    have = _size(part)
    headers = {"User-Agent": "rcmviz", "Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
    try:
        response = _OPENER.open(urllib.request.Request(file.url, headers=headers), timeout=TIMEOUT_SECONDS)
    except urllib.error.HTTPError as error:
        return _handle_status(error, file, by_hand, part)
    except (OSError, http.client.HTTPException) as error:
        raise _Interrupted(f"cannot be reached ({getattr(error, 'reason', error)})") from error
    with response:
        start = have if _resumes_at(response, have) else 0
        promised = response.headers.get("Content-Length", "")
        total = start + int(promised) if promised.isdecimal() else None
        if total is not None and total > file.most:
            raise _size_error(file, f"promises {total:,} bytes", part)
        done = _save(response, part, start, file.most, lambda done: on_progress(done, total or max(done, file.size)))
    if done > file.most:
        raise _size_error(file, "does not end", part)
    if total is not None and done < total:
        raise _Interrupted(f"the server promised {total} bytes and broke off after {done}")


def _handle_status(error: urllib.error.HTTPError, file: registry.DataFile, by_hand: str, part: Path) -> None:
    """The meaning of an error status: the part is all there is, try again, or give up."""
    with error:
        if error.code == 416 and error.headers.get("Content-Range") == f"bytes */{_size(part)}":
            return
        if error.code == 416:
            part.unlink(missing_ok=True)
            raise _Interrupted("the server has less than before, so the download starts again") from error
        if error.code >= 500 or error.code == 429:
            raise _Interrupted(f"the server answers {error.code} {error.reason}") from error
        raise DownloadError(
            f"{file.url}: the server answers {error.code} {error.reason}; pass another address, or {by_hand}"
        ) from error


def _resumes_at(response: http.client.HTTPResponse, have: int) -> bool:
    """Whether the answer continues the part; a server without Range sends the whole file."""
    return response.status == 206 and response.headers.get("Content-Range", "").startswith(f"bytes {have}-")


def _size_error(file: registry.DataFile, how: str, part: Path) -> DownloadError:
    part.unlink(missing_ok=True)
    return DownloadError(
        f"{file.url}: the server {how}, and a copy of {file.filename} has {file.most:,} at most; nothing of it is "
        "kept: pass another address"
    )


def _save(
    response: http.client.HTTPResponse, part: Path, start: int, most: int, on_progress: Callable[[int], None]
) -> int:
    """Write the answer to the part file from byte ``start`` and return its new length; stops beyond ``most``."""
    done = start
    with part.open("r+b" if start else "wb") as file:
        file.seek(start)
        while done <= most and (piece := _read(response)):
            file.write(piece)
            done += len(piece)
            on_progress(done)
    return done


def _read(response: http.client.HTTPResponse) -> bytes:
    try:
        return response.read(CHUNK)
    except (OSError, http.client.HTTPException) as error:  # only the network: the disk is written elsewhere
        raise _Interrupted(f"the connection broke ({error})") from error


def _verify(dataset: registry.DataSet, file: registry.DataFile, part: Path, path: Path) -> None:
    """Give the part its name where its records are the data set's, else set it aside."""
    if file.is_sound(part):
        os.replace(part, path)
        return
    rejected = path.with_name(path.name + ".rejected")
    os.replace(part, rejected)
    raise DownloadError(
        f"what {file.url} sent is not the data set {dataset.name!r} (it has another hash); it is kept as "
        f"{rejected}: look at it, then try again or pass another address"
    )


def _size(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0
