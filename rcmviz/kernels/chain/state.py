"""What the kernels of ``contexts.py`` and ``words.py`` work in and with, as named tuples."""

from typing import NamedTuple

import numpy as np


class RowAddress(NamedTuple):
    """Which row of a model scores a context."""

    powers: np.ndarray  # (n + 1,): Y^k
    base: np.ndarray  # (n + 1, n + 1): first address of contexts of k known labels at position min(i, n)
    keys: np.ndarray  # (R,): addresses that have a row, ascending; empty where the table is dense
    additive: bool  # whether a window without weights of its own scores as the next shorter one


class Rule(NamedTuple):
    """What becomes of the candidates that are not kept."""

    merging: bool  # their mass goes to their least ancestor; else it is lost
    root_proposes: bool
    cap: int  # labels that a context hands on
    root_weight: float  # log score of entering the root


class Pruning(NamedTuple):
    """Which candidates are kept."""

    budget: int
    deduplicate: bool  # candidates that no future can tell apart are joined
    rule: Rule


class States(NamedTuple):
    """The states of an exact chain at each position: its last min(i, n) labels."""

    rows: np.ndarray  # (T,): the first row of the table
    sizes: np.ndarray  # (T,): Y^min(i, n)


class StatesSpace(NamedTuple):
    """Arrays of one thread for exact chains of up to T positions and S states at each."""

    alpha: np.ndarray  # (T + 1, S)
    beta: np.ndarray  # (T + 1, S)
    work: np.ndarray  # (max(T, S),)
    message: np.ndarray  # (Y,)


class Workspace(NamedTuple):
    """Arrays of one thread for words of up to T positions and C contexts at each."""

    contexts: np.ndarray  # (T + 1, FIELDS, C)
    count: np.ndarray  # (T + 1,): contexts of each column
    alpha: np.ndarray  # (T + 1, C)
    beta: np.ndarray  # (T + 1, C + 1)
    best: np.ndarray  # (T + 1, C + 1): messages of maxima
    target: np.ndarray  # (T, C, Y)
    mass: np.ndarray  # (C, Y)
    key: np.ndarray  # (C, Y)
    chosen: np.ndarray  # (C - 1 + SLACK,)
    choice: np.ndarray  # (T, C): the best label of each context
    slot: np.ndarray  # a power of two of places
