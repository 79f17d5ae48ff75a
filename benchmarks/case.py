"""The parts of a benchmark case."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

Figures = dict[str, float]  # costs: less is better; the unit is part of the name


class Case(NamedTuple):
    """One case: rows that are measured again and again, in turn.

    A row is a function of ``quick`` (small inputs, to see that everything runs) that makes its inputs and returns the
    function that measures once. Rows are called in a process that imports rcmviz from the checkout in question.
    """

    title: str
    rows: Mapping[str, Callable[[bool], Callable[[], Figures]]]
    repeats: int = 10  # unless --repeats says otherwise
    peers: frozenset[str] = frozenset()  # rows that do not use rcmviz: measured once for all checkouts
    compared: Mapping[str, str] = {}  # row → the row that its figures are divided by
    bounds: Mapping[str, float] = {}  # figure, or "row: figure" → the value that it is divided by
    group: Callable[[str], str] | None = None  # row → rows whose least figure all their figures are divided by
    summary: str = "least"  # of the repeats; "median" if the figure includes waiting
    is_fresh: bool = False  # each measurement has its own process
    warm: bool = True  # the first measurement is dropped
