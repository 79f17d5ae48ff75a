"""The training data and held-out data of the Learn page."""

import hashlib
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from pages.learn.checkpoint import DataSource
from pages.learn.drawn import draw
from pages.shell.computing import compute
from pages.shell.uploads import Uploads, keep_latest
from pages.word.words import kassel_words
from rcmviz.core.shared.packed import count_unpacked_bytes
from rcmviz.jobs.host import this_host
from rcmviz.jobs.memory import RESULT_CACHE
from rcmviz.sequences.encoding import Encoder
from rcmviz.sequences.file import MAX_BYTES, parse_sequences
from rcmviz.sequences.table import Sequences
from rcmviz.tasks import TEST_FOLD
from rcmviz.tasks.handwriting.letter_data import Word, word_sequences
from rcmviz.tasks.handwriting.pen import NOISE, pen_orders

HELD_OUT_WORDS = 200  # of the pen
HELD_OUT_WRITERS = 2**40  # added to the seed, so that held-out words have other writers
HELD_OUT_FOLD = 0  # of Kassel's; the test fold is not used, since this page is for choosing settings
HELD_OUT_SHARE = 0.2  # of an upload
BYTES_PER_SECOND = 2_000_000  # for a file of short lines, the slowest format
WORDS_PER_SECOND = 700  # drawn by the pen, estimated
MOST_UPLOADS = 8
GONE = "this upload is missing: the latest eight files of a browser are kept; upload it again"
LONGEST_NAME = 40  # characters of a sequence in a list
UPLOADS = Uploads(RESULT_CACHE.clear)  # digest → (name, bytes)


@dataclass(frozen=True, eq=False)
class LearnData:
    """``train`` and ``held_out`` Sequences with a ``description`` and ``info`` for models.

    Handwriting has the held-out ``words`` and ``links``, parameters of Step that show them; files have ``tokens``.
    """

    train: Sequences
    held_out: Sequences
    description: str
    info: dict
    words: tuple[Word, ...] | None = None
    links: tuple[dict, ...] | None = None
    tokens: tuple[list, ...] | None = None
    _single: dict = field(default_factory=dict, repr=False)

    def sequence(self, number):
        """Return one held-out sequence, the same object each time, since readings are cached by it."""
        return self._single.setdefault(number, self.held_out.take([number]))

    @cached_property
    def names(self):
        """The names of the held-out sequences in a list."""
        if self.words:
            return [word.letters for word in self.words]
        return [" ".join(tokens)[:LONGEST_NAME] for tokens in self.tokens]

    def shown(self, number):
        """Return the images, or tokens, of one held-out sequence."""
        return self.words[number].images if self.words else self.tokens[number]


def load_data(source):
    """Return the data of a source; ValueError says what to do."""
    if source.kind == "upload":
        UPLOADS.need(source.upload, GONE)
    return _load(source)


@RESULT_CACHE.memoized  # used at each view of a training
def _load(source):
    return {"pen": _pen, "kassel": _kassel, "upload": _upload}[source.kind](source)


def _pen(source):
    away = source.seed + HELD_OUT_WRITERS
    sets = (source.words, source.seed), (HELD_OUT_WORDS, away)
    seconds = (source.words + HELD_OUT_WORDS) / WORDS_PER_SECOND
    train, held_out = compute(seconds, draw, sets, source.noise)
    noise = {} if source.noise == NOISE else {"noise": f"{source.noise:g}"}  # as Step writes it in links
    links = [
        {"src": "pen", "word": text, "seed": str(writer)} | noise for text, writer in pen_orders(HELD_OUT_WORDS, away)
    ]
    description = (
        f"{len(train):,} words by the pen, each by its own writer; {len(held_out)} by other writers are held out."
    )
    return _handwriting(train, held_out, links, description)


def _kassel(_source):
    words = kassel_words()
    train = [word for word in words if word.fold not in (TEST_FOLD, HELD_OUT_FOLD)]
    held_out = [word for word in words if word.fold == HELD_OUT_FOLD]
    description = (
        f"{len(train):,} of Kassel’s words; the {len(held_out)} of fold {HELD_OUT_FOLD} are held out. "
        f"Fold {TEST_FOLD}, the paper’s test set, is not used: choose settings here, test them on Precision."
    )
    return _handwriting(train, held_out, [{"src": "kassel", "word": str(word.index)} for word in held_out], description)


def _handwriting(train, held_out, links, description):
    data = word_sequences(train), word_sequences(held_out)
    return LearnData(*data, description, {"grid": "8x4"}, tuple(held_out), tuple(links))


def keep_upload(name, content):
    """Read a file of labelled sequences and store it; returns its digest. ValueError says what is wrong."""
    digest = hashlib.sha256(content).hexdigest()[:16]
    keep_latest(UPLOADS, digest, (name, content), MOST_UPLOADS, lambda: load_data(DataSource("upload", upload=digest)))
    return digest


def _upload(source):
    name, content = UPLOADS[source.upload]
    file = compute(count_unpacked_bytes(content, MAX_BYTES) / BYTES_PER_SECOND, parse_sequences, content, name)
    _check_upload(name, file)
    encoder, data = Encoder.learn(file.X, file.y)
    order = np.random.default_rng(0).permutation(len(data))
    cut = max(1, int(HELD_OUT_SHARE * len(data)))
    train, held_out = np.sort(order[cut:]), np.sort(order[:cut])
    description = f"{len(train):,} sequences of {name}; {len(held_out):,}, drawn at random, are held out."
    description += "".join(f" {remark[0].upper()}{remark[1:]}." for remark in file.remarks)
    info = {"encoder": encoder.to_dict(), "columns": file.columns.to_dict()}
    column = file.columns.token or file.columns.features[0]
    tokens = tuple(file.column(column, number) for number in held_out)
    return LearnData(data.take(train), data.take(held_out), description, info, tokens=tokens)


def _check_upload(name, file):
    """Check an upload before its features are numbered, which takes more memory than the file."""
    if file.y is None:
        raise ValueError(f"{name}: no column of labels, which a training needs")
    if len(file) < 2:
        raise ValueError(f"{name}: only one sequence; give at least two, since some are held out")
    positions, most = sum(map(len, file.rows)), this_host().limits.positions
    if positions > most:
        raise ValueError(f"{name}: {positions:,} positions; the limit is {most:,}: upload a part of it")
