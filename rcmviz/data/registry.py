"""The data sets that rcmviz knows: where they come from, who to thank, and how to tell that a file is the right one.

Example:
    >>> [dataset.name for dataset in list_datasets()]
    ['ocr', 'ud_ewt', 'tatoeba', 'europarl', 'cmudict', 'speech', 'wikitext2']
"""

from __future__ import annotations

import gzip
import hashlib
import os
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from rcmviz.cache_folders import user_folder

UNREADABLE = "unreadable"  # the fingerprint of a file that is damaged
MOST = 100_000_000  # unpacked bytes by default


def content_sha256(path: Path, most: int = MOST) -> str:
    """Return the SHA-256 of a file's content, unpacked if it is gzip.

    A file that cannot be unpacked, or has more than ``most`` bytes in it, has the fingerprint "unreadable".
    """
    digest = hashlib.sha256()
    try:
        for piece in _pieces(path, most):
            digest.update(piece)
    except (OSError, EOFError, zlib.error, ValueError):
        return UNREADABLE
    return digest.hexdigest()


def _pieces(path: Path, most: int) -> Iterator[bytes]:
    """A file's content, packed or not, piece by piece; ValueError as soon as it is more than ``most`` bytes."""
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    done = 0
    with gzip.open(path) if packed else path.open("rb") as file:
        while piece := file.read(1 << 20):
            done += len(piece)
            if done > most:
                raise ValueError(f"more than {most:,} bytes")
            yield piece


def records_sha256(path: Path, most: int = MOST) -> str:
    """Return a fingerprint of the words in a ``letter.data``, packed or not, whatever their order and their ids.

    The file's own hash would not do: copies that circulate have renumbered ids and another order of the words.
    Each word is hashed (fold, letters, pixels), the digests are sorted and hashed again. A file that cannot be read
    as letters, or has more than ``most`` bytes in it, has the fingerprint "unreadable".
    """
    try:
        lines = b"".join(_pieces(path, most)).splitlines()
        letters = sorted((_Letter(*line.split(b"\t", 6)) for line in lines), key=lambda letter: int(letter.id))
        digests = sorted(_word_digests(letters))
    except (OSError, EOFError, zlib.error, ValueError, TypeError):
        return UNREADABLE
    return hashlib.sha256(b"".join(digests)).hexdigest()


class _Letter(NamedTuple):
    """A line of the file; ``pixels`` with tabs between."""

    id: bytes
    letter: bytes
    next_id: bytes
    word_id: bytes
    position: bytes
    fold: bytes
    pixels: bytes


def _word_digests(letters: list[_Letter]) -> list[bytes]:
    digests = []
    word = hashlib.sha256()
    for one in letters:
        word.update(b"%s %s %s\n" % (one.fold, one.letter, one.pixels.replace(b"\t", b"")))
        if one.next_id == b"-1":
            digests.append(word.digest())
            word = hashlib.sha256()
    return [*digests, word.digest()]  # the last: what no word's end follows, nothing in a sound file


@dataclass(frozen=True)
class DataFile:
    """One file of a data set.

    Attributes:
        filename: its name in ``<folder>/<name of the data set>/``; packed or unpacked copies of it count too.
        size: bytes that come over the line, for the progress bar of a server that does not tell.
        sha256: what ``fingerprint`` says of a sound copy.
        url: public origin; None if no server has this very file.
        fingerprint: how a copy is recognised: by its content, packed or not, up to this number of bytes.
        unpacked: bytes that are in it at most, where it comes packed.
    """

    filename: str
    size: int
    sha256: str
    url: str | None = None
    fingerprint: Callable[[Path, int], str] = content_sha256
    unpacked: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The names that the file may have."""
        plain = self.filename.removesuffix(".gz")
        other = plain if plain != self.filename else f"{self.filename}.gz"
        return self.filename, other

    @property
    def most(self) -> int:
        """Bytes that a copy has at most, packed or not: no more is ever fetched or unpacked."""
        return max(self.size, self.unpacked)

    def is_sound(self, path: Path) -> bool:
        """Whether this file exists, with the right content."""
        return self.fingerprint(path, self.most) == self.sha256


@dataclass(frozen=True)
class DataSet:
    """One data set, of one file or several.

    Attributes:
        name: what the user types.
        title: one line that says what it is.
        files: its files, the main one first.
        licence: as far as known.
        citation: who to cite.
        by_hand: how to make the file where it cannot be fetched; any text like it does for experiments.
    """

    name: str
    title: str
    files: tuple[DataFile, ...]
    licence: str
    citation: str
    by_hand: str = ""

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(file.size for file in self.files)

    def file_named(self, filename: str | None = None) -> DataFile:
        """Return a file by its name or its unpacked name, the main one by default.

        Raises:
            ValueError: where the data set has no such file.
        """
        for file in self.files:
            if filename is None or filename in file.names:
                return file
        known = ", ".join(file.filename for file in self.files)
        raise ValueError(f"the data set {self.name!r} has no file {filename!r}: it has {known}")


_EWT = "https://raw.githubusercontent.com/UniversalDependencies/UD_English-EWT/15d613d8447b3478787d4c278730a1e48a945efb"
_WIKITEXT = (
    "https://raw.githubusercontent.com/pytorch/examples/77f55b912142e11fcfdf5b530231fb9c52f181e8/word_language_model/"
    "data/wikitext-2"
)
_SPEECHOCEAN = "https://raw.githubusercontent.com/jimbozhang/speechocean762/613968e3b0b789fc33936fb5eba1973176ba7d11"
_DATASETS = (
    DataSet(
        name="ocr",
        title="Kassel's handwritten words: 6,877 words, 52,152 letters of 16 x 8 pixels, 10 folds",
        files=(
            DataFile(
                filename="letter.data.gz",
                size=1_132_503,
                sha256="5c505ba7fa462afc0f053d8baeaf3a866a81c9f60ffb4dfec46f5cc8d0a6e820",
                url="https://ai.stanford.edu/~btaskar/ocr/letter.data.gz",
                fingerprint=records_sha256,
                unpacked=15_000_000,  # 14,557,249, and some for longer ids and ends of lines
            ),
        ),
        licence="none stated by the origin: for experiments on your own machine, do not pass it on",
        citation="R. Kassel, A Comparison of Approaches to On-line Handwritten Character Recognition, MIT, 1995; "
        "B. Taskar, C. Guestrin, D. Koller, Max-Margin Markov Networks, NIPS 2003",
    ),
    DataSet(
        name="ud_ewt",
        title="Universal Dependencies English Web Treebank: 12,544 tagged sentences to learn from, 2,001 to test on",
        files=(
            DataFile(
                filename="en_ewt-ud-train.conllu",
                size=14_203_025,
                sha256="3fb78e2b55482c8ee00caa653af436c88c9e5bc9a73ce26e4ae3ddc79d2b7e7b",
                url=f"{_EWT}/en_ewt-ud-train.conllu",
            ),
            DataFile(
                filename="en_ewt-ud-dev.conllu",
                size=1_805_545,
                sha256="531a54ff90d6ab12201c5a50c3e78e6ddac4de69abc4bce5d275d3cd29efe2b6",
                url=f"{_EWT}/en_ewt-ud-dev.conllu",
            ),
        ),
        licence="CC BY-SA 4.0",
        citation="N. Silveira et al., A Gold Standard Dependency Corpus for English, LREC 2014",
    ),
    DataSet(
        name="tatoeba",
        title="English sentences of Tatoeba, from the pairs of ManyThings.org: 194,942 short sentences, one per line",
        files=(
            DataFile(
                filename="eng.txt.gz",
                size=2_193_982,
                sha256="86acedb8d1854a71327dbae1be6f220ae89504ed0c301e1280e8f2ac269db210",
                unpacked=6_559_188,
            ),
        ),
        licence="CC BY 2.0; attribution: www.manythings.org/anki and tatoeba.org",
        citation="the contributors of tatoeba.org; C. Kelly, manythings.org",
        by_hand="take fra-eng.zip and deu-eng.zip from https://www.manythings.org/anki, keep of every line what stands "
        "before the first tab, drop repeated lines",
    ),
    DataSet(
        name="europarl",
        title="European Parliament in English: 180,000 lines, 5 million tokens, tokenised, in order of the documents",
        files=(
            DataFile(
                filename="en.txt.gz",
                size=8_804_299,
                sha256="b6bb39f892bc4ae0f5a7c812a713a054c084c7f9342a0e5cf187fdbb48bfa9d0",
                unpacked=27_766_086,
            ),
        ),
        licence='none stated; its authors are "not aware of any copyright restrictions of the material"',
        citation="P. Koehn, Europarl: A Parallel Corpus for Statistical Machine Translation, MT Summit 2005",
        by_hand="take the English side of Europarl v7 French-English from https://www.statmt.org/europarl and tokenise "
        "it as Moses does, one segment per line",
    ),
    DataSet(
        name="cmudict",
        title="The CMU Pronouncing Dictionary: 126,052 English words and how they sound, in ARPAbet",
        files=(
            DataFile(
                filename="cmudict.dict.gz",
                size=3_618_488,
                sha256="81917843c7f44ce2b094ac63873c2c7a4cf802040792c455ba3ca406891c3d22",
                url="https://raw.githubusercontent.com/cmusphinx/cmudict/0f8072f814306c5ee4fbf992ed853601b12c01f9/"
                "cmudict.dict",
            ),
        ),
        licence="2-clause BSD, Carnegie Mellon University",
        citation="The CMU Pronouncing Dictionary, Carnegie Mellon University, www.speech.cs.cmu.edu/cgi-bin/cmudict",
    ),
    DataSet(
        name="speech",
        title="Words and canonical phones of 5,000 recordings (speechocean762), and how phones change in conversation",
        files=(
            DataFile(
                filename="speechocean762_text-phone.gz",
                size=843_190,
                sha256="39ee4fc8719775c082e2ce563d3818306eb1c1a98f97077241cdc110a57c319d",
                url=f"{_SPEECHOCEAN}/resource/text-phone",
            ),
            DataFile(
                filename="speechocean762_train_text.gz",
                size=99_228,
                sha256="32073dd72e20edb4ad051b7b49979d5cab4c2158c2d6396a08e3dfad6ad9ffe1",
                url=f"{_SPEECHOCEAN}/train/text",
            ),
            DataFile(
                filename="speechocean762_test_text.gz",
                size=99_796,
                sha256="a0cf51d5f21b9e404b405672e85363e341dc2b8d510de41132d326f5f543382c",
                url=f"{_SPEECHOCEAN}/test/text",
            ),
            DataFile(
                filename="buckeye_counts_cmu.tsv.gz",
                size=9_009,
                sha256="ef205ef3f016e38476e55bd4aed6fb5aa8c746bad9094735ae830dd4a35ccf7f",
            ),
        ),
        licence="speechocean762: free for commercial and other use; the counts: academic and educational, please cite",
        citation="J. Zhang et al., speechocean762, Interspeech 2021; U. Cohen Priva, E. Gleason, Language 96(2), 2020; "
        "M. Pitt et al., Buckeye Corpus of Conversational Speech, 2007",
        by_hand="take metadata/aligned-buckeye-counts.python.cmu.txt.bz2 of https://github.com/ucpresearch/moredata at "
        "9f8a289 and write its counts above zero, the largest first: underlying, observed and count, with tabs "
        "between, below a line of these three words",
    ),
    DataSet(
        name="wikitext2",
        title="WikiText-2: articles of Wikipedia, 2.1 million words to learn from and 0.2 million to validate on",
        files=(
            DataFile(
                filename="train.txt",
                size=10_797_148,
                sha256="9e9fa1ad55b1c2c95b08e37dd8e653f638fac2c6de904b79e813611eefbc985f",
                url=f"{_WIKITEXT}/train.txt",
            ),
            DataFile(
                filename="valid.txt",
                size=1_121_681,
                sha256="f0737ed31fc1329026e95cb8b98e19c2a182c39c240ab909dc31abf2f8af58e8",
                url=f"{_WIKITEXT}/valid.txt",
            ),
        ),
        licence="CC BY-SA 3.0, as the articles; the copy fetched here states none",
        citation="S. Merity, C. Xiong, J. Bradbury, R. Socher, Pointer Sentinel Mixture Models, arXiv:1609.07843",
    ),
)


def list_datasets() -> list[DataSet]:
    """Return all data sets, that of the first page first."""
    return list(_DATASETS)


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
    """Return the folder of this user where downloads go; a temporary one if the user has no home folder."""
    return user_folder()


def find(name: str, filename: str | None = None) -> Path | None:
    """Return a file of a data set on this machine: in ``$RCMVIZ_DATA/<name>``, else in the cache, else None.

    By default it is the main file. A file packed or unpacked by the user counts too.

    Raises:
        ValueError: for an unknown name.
    """
    file = dataset_named(name).file_named(filename)
    own = os.environ.get("RCMVIZ_DATA")
    for folder in [Path(own), cache_dir()] if own else [cache_dir()]:
        for known_as in file.names:
            path = folder / name / known_as
            if path.is_file():
                return path
    return None


def need(name: str, filename: str | None = None) -> Path:
    """Return a file of a data set on this machine; one in the cache is checked before it is used.

    Files in ``$RCMVIZ_DATA`` are the user's own, and may be other texts.

    Raises:
        ValueError: for an unknown name, where the file is not here, and where the one in the cache is not the data
            set (any more); the message says what to do.
    """
    dataset, found = dataset_named(name), find(name, filename)
    if found is None:
        raise ValueError(absent(dataset, filename))
    own, file = os.environ.get("RCMVIZ_DATA"), dataset.file_named(filename)
    if not (own and found.is_relative_to(own)) and not _is_sound(file, found, found.stat().st_mtime_ns):
        raise ValueError(f"{found} is not the data set {name!r} (any more): remove it and run `rcmviz data get {name}`")
    return found


@cache
def _is_sound(file: DataFile, path: Path, changed: int) -> bool:
    """Whether a file exists with the time of its last change ``changed``: checked once."""
    return file.is_sound(path)


def absent(dataset: DataSet, filename: str | None = None) -> str:
    """Return what to do about a data set that is not on this machine."""
    file = dataset.file_named(filename)
    place = f"put it at $RCMVIZ_DATA/{dataset.name}/{file.filename}"
    if file.url is None:
        return f"{dataset.name} is not on this machine and cannot be fetched as one file: {dataset.by_hand}; {place}"
    return f"{dataset.name} is not on this machine; run `rcmviz data get {dataset.name}`, or {place}"
