"""The data sets that rcmviz knows: where they come from, who to thank, and how to tell that a file is the right one.

Example:
    >>> [dataset.name for dataset in list_datasets()]
    ['ocr']
"""

from __future__ import annotations

import gzip
import hashlib
import os
import zlib
from dataclasses import dataclass
from pathlib import Path

import platformdirs


@dataclass(frozen=True)
class DataSet:
    """One data set.

    Attributes:
        name: what the user types.
        title: one line that says what it is.
        filename: name of the file in ``<folder>/<name>/``.
        url: public origin.
        size: bytes of our copy, for the progress bar of a server that does not tell.
        licence: what is known of it.
        citation: who to cite.
        records_sha256: fingerprint of the records; see ``records_sha256``.
    """

    name: str
    title: str
    filename: str
    url: str
    size: int
    licence: str
    citation: str
    records_sha256: str


_DATASETS = (
    DataSet(
        name="ocr",
        title="Kassel's handwritten words: 6,877 words, 52,152 letters of 16 x 8 pixels, 10 folds",
        filename="letter.data.gz",
        url="http://ai.stanford.edu/~btaskar/ocr/letter.data.gz",
        size=1_132_503,
        licence="none stated by the origin: for experiments on your own machine, do not pass it on",
        citation="R. Kassel, A Comparison of Approaches to On-line Handwritten Character Recognition, MIT, 1995; "
        "B. Taskar, C. Guestrin, D. Koller, Max-Margin Markov Networks, NIPS 2003",
        records_sha256="5c505ba7fa462afc0f053d8baeaf3a866a81c9f60ffb4dfec46f5cc8d0a6e820",
    ),
)


def list_datasets() -> list[DataSet]:
    """Return all data sets, by name."""
    return sorted(_DATASETS, key=lambda dataset: dataset.name)


def dataset_named(name: str) -> DataSet:
    """Return the data set of this name.

    Raises:
        ValueError: for an unknown name.
    """
    for dataset in _DATASETS:
        if dataset.name == name:
            return dataset
    known = ", ".join(dataset.name for dataset in list_datasets())
    raise ValueError(f"there is no data set {name!r}: the known ones are {known}")


def cache_dir() -> Path:
    """Return the folder of this user where downloads go."""
    return Path(platformdirs.user_cache_dir("rcmviz"))


def find(name: str) -> Path | None:
    """Return the file of a data set on this machine: in ``$RCMVIZ_DATA/<name>``, else in the cache, else None.

    A file that somebody has unpacked (without ``.gz``) counts too.

    Raises:
        ValueError: for an unknown name.
    """
    dataset = dataset_named(name)
    own = os.environ.get("RCMVIZ_DATA")
    folders = [Path(own), cache_dir()] if own else [cache_dir()]
    for folder in folders:
        for filename in (dataset.filename, dataset.filename.removesuffix(".gz")):
            path = folder / name / filename
            if path.is_file():
                return path
    return None


def records_sha256(path: Path) -> str:
    """Return a fingerprint of the words in a ``letter.data.gz``, whatever their order and their ids.

    The file's own hash would not do: copies that circulate have renumbered ids and another order of the words.
    Each word is hashed (fold, letters, pixels), the digests are sorted and hashed again. A file that cannot be read
    as letters has the fingerprint "unreadable".
    """
    try:
        lines = gzip.decompress(path.read_bytes()).splitlines()
        letters = sorted((line.split(b"\t", 6) for line in lines), key=lambda fields: int(fields[0]))
        digests = sorted(_word_digests(letters))
    except (OSError, EOFError, zlib.error, ValueError, IndexError):
        return "unreadable"
    return hashlib.sha256(b"".join(digests)).hexdigest()


def _word_digests(letters: list[list[bytes]]) -> list[bytes]:
    digests = []
    word = hashlib.sha256()
    for _, letter, next_id, _, _, fold, pixels in letters:
        word.update(b"%s %s %s\n" % (fold, letter, pixels.replace(b"\t", b"")))
        if next_id == b"-1":
            digests.append(word.digest())
            word = hashlib.sha256()
    return [*digests, word.digest()]  # the last: what no word's end follows, nothing in a sound file
