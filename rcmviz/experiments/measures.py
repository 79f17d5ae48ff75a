"""Costs of a run, and summaries of many."""

import time
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from rcmviz.evaluation.bootstrap import standard_error
from rcmviz.experiments import tables


def time_task(task: Callable, *arguments, **options) -> tuple:
    """The result of the task, and its milliseconds of CPU time in this thread, which other programs change least."""
    begin = time.thread_time()
    result = task(*arguments, **options)
    return result, 1e3 * (time.thread_time() - begin)


def summary(values: Iterable[float]) -> dict:
    """``count``, ``mean``, its standard ``error``, ``median`` and the quartiles ``low``, ``high`` of many runs.

    >>> as_text(summary([1, 2, 3, 10])), as_text({"count": 1, "mean": 0.123, "error": 0.0, "median": 0.123}, 2)
    ('4 ± 2 (2)', '.12')
    """
    values = np.asarray(list(values), dtype=np.float64)
    found = {"mean": values.mean(), "error": standard_error(values)}
    found |= zip(("low", "median", "high"), np.percentile(values, [25, 50, 75]), strict=True)
    return {"count": len(values)} | {name: round(float(value), 4) for name, value in found.items()}


def summaries(runs: Iterable[Mapping]) -> dict[str, dict]:
    """The ``summary`` of every column of runs that tell the same things.

    >>> summaries([{"states": 2}, {"states": 4}])["states"]["mean"]
    3.0
    """
    runs = list(runs)
    return {name: summary(run[name] for run in runs) for name in runs[0]} if runs else {}


def as_text(found: Mapping, digits: int = 0) -> str:
    """Mean ± standard error (median); of one run its value."""
    mean = count_text(found["mean"], digits)
    if found["count"] == 1:
        return mean
    return f"{mean} ± {count_text(found['error'], digits)} ({count_text(found['median'], digits)})"


def count_text(value: float, digits: int = 0) -> str:
    """A number with commas; as ``tables.number_text`` below one.

    >>> count_text(1718.3), count_text(0.25, 1)
    ('1,718', '.2')
    """
    return f"{value:,.{digits}f}" if abs(value) >= 1 else tables.number_text(value, digits)
