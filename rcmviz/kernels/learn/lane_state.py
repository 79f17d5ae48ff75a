"""What the kernels that train on vectors work in and with, as named tuples; ``lane_train.py`` says how."""

from typing import NamedTuple

import numpy as np

from rcmviz.kernels.chain.lane_state import Address, Space
from rcmviz.kernels.learn.weights import Group


class Rate(NamedTuple):
    """How far a step goes."""

    eta: float
    delta: float
    l2: float
    averaging: bool


class Index(NamedTuple):
    """Which row of weights an address has, and the address of each row; row 0 is that of who has none yet."""

    row: np.ndarray  # (A,); empty where each address is its row
    owner: np.ndarray  # (R,)
    used: np.ndarray  # (1,)


class Pile(NamedTuple):
    """The gradients of one example, whose rows are padded."""

    place: np.ndarray  # (A,): which of them is that of an address, from 1 on; 0 none yet
    addresses: np.ndarray  # (M,): whose they are
    gradient: np.ndarray  # M rows
    many: np.ndarray  # (1,)


class Parts(NamedTuple):
    """The same of windows and of features."""

    windows: Group | Index | Pile
    emission: Group | Index | Pile


class Windows(NamedTuple):
    """Scores of the windows of an example: their rows begin where those of their gradients do."""

    score: np.ndarray  # exponentials of scores, M rows
    far: np.ndarray  # (M,): the largest square of a score
    log: np.ndarray  # scores, M + 1 rows, the last all zeros
    shorter: np.ndarray  # (M,): row of the next shorter window, or NONE; empty if windows are single
    chain: np.ndarray  # room for additive windows


class Room(NamedTuple):
    """What a thread needs for one example in addition to the contexts."""

    log_emit: np.ndarray  # T rows
    label: np.ndarray  # (row,): shares of a position
    windows: Windows
    scale: np.ndarray  # (T,): one by each column's mass
    least: np.ndarray  # (T,): e^LOWEST times the largest score of a column
    piles: Parts


class ExactRoom(NamedTuple):
    """`Room` of exact chains: a row of scores for each state."""

    log_emit: np.ndarray
    label: np.ndarray
    windows: Windows  # single
    ahead: np.ndarray  # (row,)
    scale: np.ndarray
    emit: np.ndarray  # (T, row)
    alpha: np.ndarray  # (T, row)
    piles: Parts


class Ranking(NamedTuple):
    """What contexts are ranked by in a further pass."""

    ahead: np.ndarray  # a row per slot: what the pass before has seen ahead
    key: np.ndarray  # a row per slot
    image: np.ndarray  # (T + 1, slots): the slot of the pass before that a context's longest suffix had there


class Passes(NamedTuple):
    """What several passes need: the workspace of the pass before, whose rows are those of the last one."""

    before: Space
    ranking: Ranking
    count: int


class Model(NamedTuple):
    """Weights, their rows and how far a step goes."""

    weights: Parts
    indices: Parts
    address: Address
    most: int  # windows that one example may be the first to have
    rate: Rate
