"""The verdict on an input: ok, refused (an error of rcmviz that names the fault), or a finding."""

from __future__ import annotations

import linecache
import traceback
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
OURS = tuple(str(ROOT / folder) + "/" for folder in ("rcmviz", "pages"))
MOST_LOOKED_AT = 20_000  # values of an answer
OK, REFUSED = "ok", "refused"


def verdict_of(error: Exception | None, answer: Any) -> str:
    """Return ``OK``, ``REFUSED``, or the finding as a line."""
    if error is None:
        return "not a number among the answers" if has_nan(answer) else OK
    if is_ours(error):
        return REFUSED
    if isinstance(error, AssertionError):
        return f"not as it should be: {str(error)[:200]}"
    return f"{type(error).__name__}, {place_of(error)}"


def is_ours(error: Exception) -> bool:
    """Whether an error is a ValueError raised by rcmviz, or an OSError that names a file."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    raised = linecache.getline(last.filename, last.lineno or 0).lstrip().startswith("raise")
    by_us = isinstance(error, ValueError) and raised and last.filename.startswith(OURS) and bool(str(error))
    return by_us or (isinstance(error, OSError) and error.filename is not None)


def place_of(error: Exception) -> str:
    """Return the last line of rcmviz in an error's traceback."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(OURS)]
    return f"{Path(frames[-1].filename).relative_to(ROOT)}, line {frames[-1].lineno}" if frames else "outside"


def has_nan(answer: Any) -> bool:
    """Whether an answer contains NaN at any depth."""
    waiting, looked_at = [answer], 0
    while waiting and looked_at < MOST_LOOKED_AT:
        value = waiting.pop()
        looked_at += 1
        if isinstance(value, float):
            if value != value:
                return True
        elif isinstance(value, np.ndarray):
            if value.dtype.kind in "fc" and np.isnan(value).any():
                return True
        elif isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, (list, tuple)):
            waiting.extend(value)
        elif is_dataclass(value) and not isinstance(value, type):
            waiting.extend(getattr(value, field.name) for field in fields(value))
    return False
