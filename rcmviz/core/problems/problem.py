"""Small problems: a model, log emissions, perhaps gold labels, and of each position a picture, a token, a note.

A problem is everything that RCMS needs to run on one example, so it is what a person pastes into the application, sends
to a colleague or adds to a bug report. It is written as JSON (with its windows, or with the name of a shipped
model) and read from JSON, CSV and numpy's files: `problem_file.py`. `docs/data.md` describes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from rcmviz.core.lattices.lattice import Lattice
from rcmviz.core.lattices.printed import line_html
from rcmviz.core.lattices.trace import Trace
from rcmviz.core.models.model import NgramModel
from rcmviz.core.problems.problem_text import as_json
from rcmviz.core.shared import checks
from rcmviz.core.shared.whole_file import write_text

# Default cost of the repaired beam to enter the root. On Kassel's fold 5 word accuracy is .926
# for every weight from -12 to 0; at 0 its mean confidence (.894) is the nearest to that.
REPAIRED_ROOT_WEIGHT = 0.0


@dataclass(frozen=True, eq=False)
class Problem:
    """One example with its model, ready to run.

    Parameters
    ----------
    model : NgramModel
        The model.
    log_emit : ndarray of shape (T, Y)
        Log emissions in nats, −inf for an impossible label.
    gold : tuple of str, length T, optional
        The right labels.
    name : str
        Name of the problem.
    images : ndarray of shape (T, rows, columns), optional
        A picture of each position, 0 and 1.
    model_name : str, optional
        Name of the model where it is a shipped one.
    tokens : tuple of str, length T, optional
        What was observed at each position, as people read it: a word, a key, a frame.
    title : str
        What it shows, in a sentence.
    notes : dict of int to str
        A remark by position, from 1.

    Examples
    --------
    >>> import rcmviz as rv
    >>> problem = rv.Problem(rv.NgramModel.from_windows("ab", 1, {("a", "b"): 2.0}), np.array([[1.0, 0.0]] * 2))
    >>> lattice, trace = problem.run("rcms", 2)
    >>> rv.viterbi(lattice).labels
    ('a', 'b')
    """

    model: NgramModel
    log_emit: np.ndarray
    gold: tuple[str, ...] | None = None
    name: str = "problem"
    images: np.ndarray | None = None
    model_name: str | None = None
    tokens: tuple[str, ...] | None = None
    title: str = ""
    notes: Mapping[int, str] = field(default_factory=dict)

    def __post_init__(self):
        if not hasattr(self.model, "labels"):
            raise ValueError(f"model {self.model!r:.60}: give an n-gram model, or another one that has labels")
        wanted = "log_emit: give a row of numbers per position, all of one length"
        is_own = getattr(self.model, "choices", None) is not None  # candidates, which are not all labels
        rows = (
            checks.floats(self.log_emit, wanted)
            if is_own
            else checks.labelled("log_emit", self.log_emit, self.labels, wanted)
        )
        if not isinstance(self.log_emit, np.ndarray):
            object.__setattr__(self, "log_emit", rows)
        if rows.ndim != 2 or np.isnan(rows).any():
            raise ValueError(f"log_emit has shape {rows.shape}: give a row per position, logs and no NaN")
        for what in ("gold", "images", "tokens"):
            if getattr(self, what) is not None:
                checks.same_length(getattr(self, what), what, self.T, "positions")
        model_name = "" if self.model_name is None else self.model_name
        texts = {"name": [self.name], "title": [self.title], "model_name": [model_name]}
        for what, parts in (texts | {"tokens": () if self.tokens is None else self.tokens}).items():
            for part in parts:
                if not isinstance(part, str):
                    raise ValueError(f"{what}: {part!r:.60} is no text")
        if not isinstance(self.notes, Mapping):
            raise ValueError(f"notes {self.notes!r:.60}: give a dict of remarks by position")

    def __repr__(self):
        return f"<Problem {self.name!r}: {self.T:,} positions, {len(self.labels):,} labels, {self.model!r}>"

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the labels, in the order of the columns of ``log_emit``."""
        return tuple(self.model.labels)

    @property
    def T(self) -> int:
        """Number of positions."""
        return len(self.log_emit)

    def _repr_html_(self):
        return line_html(self)

    def run(
        self, method: str = "rcms", budget: int = 10, *, root_weight: float = REPAIRED_ROOT_WEIGHT, **options: Any
    ) -> tuple[Lattice, Trace | Any]:
        """Run a method by name.

        Parameters
        ----------
        method : str
            The method, one of ``rcmviz.core.methods.BUILDERS``.
        budget : int
            Contexts per position, the root not counted; exact inference has none.
        root_weight : float
            Log weight that the repaired beam adds where a path enters the root.
        **options
            Other arguments of the builder, such as ``pin`` and ``forbid``.

        Returns
        -------
        lattice : Lattice
            The lattice.
        trace : Trace or None
            Its trace, None with ``record=False``.

        Raises
        ------
        ValueError
            There is no such method, or the builder refuses an argument.
        """
        from rcmviz.core.builders.build import build_lattice

        log_emit = self.log_emit if self.model.choices is None else None  # an HMM brings its own
        return build_lattice(method, self.model, log_emit, budget, root_weight=root_weight, **options)

    def to_json(self, path: str | Path | None = None) -> str:
        """The problem as JSON, described in ``docs/data.md``.

        Parameters
        ----------
        path : str or path, optional
            File to write the text to.

        Returns
        -------
        str
            The text, which ``read_problem`` reads.

        Raises
        ------
        ValueError
            The model is no NgramModel, and these files hold no other.
        """
        if not isinstance(self.model, NgramModel):
            raise ValueError(
                f"a problem file holds windows or transitions, not {self.model!r}; keep a language model with lm.save"
            )
        text = as_json(self)
        if path is not None:
            write_text(path, text)
        return text
