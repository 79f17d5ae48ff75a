"""What the kernels on vectors of ``lane_contexts.py`` work in and with, as named tuples.

All arrays begin with a line of the cache: with AVX-512 a vector is one.
"""

from typing import NamedTuple

import numpy as np


class Address(NamedTuple):
    """Which row of the table scores a window."""

    powers: np.ndarray  # (n + 1,): Y^k
    base: np.ndarray  # (n + 1, n + 1): the first address of windows of k labels at position min(i, n)
    rows: np.ndarray  # the row of each address; empty where the table is dense


class Selection(NamedTuple):
    """Which contexts are kept, and how wide rows are."""

    budget: int
    merging: bool
    shift: int  # a row has 2^shift lanes
    labels: int
    first: int  # slot of the first context that is no root: 2 where candidates are merged, else 1


class Rows(NamedTuple):
    """Room of a thread: a row of lanes per slot, but for ``emit`` and ``shares``."""

    emit: np.ndarray  # (T, row): emissions of the word
    mass: np.ndarray  # candidates' masses
    kept: np.ndarray  # −1 where a candidate is not kept, else its slot in the next column
    own: np.ndarray  # the slot that a candidate leads to
    message: np.ndarray  # −1 where a candidate is not kept, else the message of its slot
    values: np.ndarray
    places: np.ndarray
    shares: np.ndarray  # (row,): posteriors of a position


class Columns(NamedTuple):
    """The contexts of all positions (T + 1, slots), or of one (slots,)."""

    chosen: np.ndarray  # candidates of the column before that are kept
    parent: np.ndarray
    row: np.ndarray  # where the table's row begins
    length: np.ndarray
    code: np.ndarray  # the number of the window among all of its length
    alpha: np.ndarray
    beta: np.ndarray
    choice: np.ndarray


class Space(NamedTuple):
    """The workspace of a thread."""

    rows: Rows
    columns: Columns
    size: np.ndarray  # (T + 1,): slots of each column that are taken, with slot 0


class Outputs(NamedTuple):
    """Results of all words; an empty array means that its result is not requested."""

    labels: np.ndarray  # (N,)
    scores: np.ndarray  # (W, 3): log Z, log score of the best, mean length
    posterior: np.ndarray  # (N · Y,)


class Panels(NamedTuple):
    """The table of order 1: sixteen labels of all rows after the other, ``[(y // 16 · Y + a) · 16 + y % 16]``."""

    start: np.ndarray  # (lanes,): weights of a first label
    forward: np.ndarray
    backward: np.ndarray  # transposed, for messages that go backward


class ExactSpace(NamedTuple):
    """The workspace of a thread for exact chains: a row of lanes for each word of a group."""

    emit: np.ndarray  # T · GROUP rows
    alpha: np.ndarray  # T · GROUP rows
    message: np.ndarray  # GROUP rows
    ahead: np.ndarray  # GROUP rows
    logs: np.ndarray  # (2 · GROUP,): the log of a product so far, and its factors that are not in that yet
    inverse: np.ndarray  # (2 · GROUP,): what messages are divided by, then posteriors
