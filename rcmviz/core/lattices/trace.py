"""The trace: what was proposed at each position, with which mass, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from rcmviz.core.lattices import printed
from rcmviz.core.lattices.fitting import check_trace
from rcmviz.core.lattices.lattice import Lattice, spell
from rcmviz.core.lattices.table_text import to_text
from rcmviz.core.methods import METHODS
from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin, freeze
from rcmviz.core.shared.logs import log_sum

if TYPE_CHECKING:
    import pandas
    import pyarrow

FATES = ("kept", "merged", "joined", "dropped")


@dataclass(frozen=True, eq=False)
class Trace(CopyableMixin):
    """A builder's candidates at each position, with their masses and fates.

    M candidates in all. Contexts are selected at the positions i = 1 … T−1. The arrays are read-only.

    Parameters
    ----------
    lattice : Lattice
        The lattice that it explains.
    offset : ndarray of int, shape (T+1,)
        The candidates of position i are ``offset[i]`` … ``offset[i+1] − 1``.
    context : ndarray of int, shape (M,)
        The context of column i−1 that the candidate extends.
    label : ndarray of int, shape (M,)
        Index of the label that extends it.
    log_mass : ndarray of shape (M,)
        Log forward mass in nats, before anything is merged.
    key : ndarray of shape (M,)
        What the candidates of a position are ranked by, the highest first.
    kept : ndarray of bool, shape (M,)
        Whether the candidate became a context of its own.
    into : ndarray of int, shape (M,)
        The context of column i that carries its mass, −1 where it was dropped.
    log_z_so_far : ndarray of shape (T+1,)
        Log of the forward mass after 0 … T labels.
    settings : dict
        The builder's arguments: method, budget, passes and others.
    log_emit : ndarray of shape (T, Y), optional
        Log emissions in nats, as edited: the part of the scores that the windows do not give. None in files of before.
    earlier : tuple of Trace, optional
        The passes before this one, the first one first, if ``rv.rcms`` recorded them (``record="passes"``). Files
        do not hold them.

    Notes
    -----
    Expanding, ranking and merging are those of Steinhardt and Liang (2015, §4); ``docs/data.md`` describes the
    columns with an example.

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
    >>> _, trace = rv.rcms(model, [[0.5, 0.0]] * 3, budget=1)
    >>> trace.reason(1)
    '`b` is 2nd of 2 by mass, budget 1, so its 0.38 is merged into `*`'
    """

    lattice: Lattice
    offset: np.ndarray
    context: np.ndarray
    label: np.ndarray
    log_mass: np.ndarray
    key: np.ndarray
    kept: np.ndarray
    into: np.ndarray
    log_z_so_far: np.ndarray
    settings: dict
    log_emit: np.ndarray | None = None
    earlier: tuple[Trace, ...] | None = None

    def __post_init__(self):
        check_trace(self)
        freeze(self)

    def __repr__(self):
        return f"<{printed.about_trace(self)}>"

    def __str__(self):
        return printed.fates_text(self)

    def _repr_html_(self):
        return printed.fates_html(self)

    @property
    def passes(self) -> tuple[Trace, ...]:
        """The traces of all passes that were recorded, this one last."""
        return (*(self.earlier or ()), self)

    def candidates(self, i: int) -> slice:
        """Candidates of a position.

        Parameters
        ----------
        i : int
            The position, 1 … T−1.

        Returns
        -------
        slice
            Their rows in the columns of the trace.

        Raises
        ------
        ValueError
            No contexts are selected at this position.
        """
        if not 1 <= checks.index("i", i) < self.lattice.T:
            raise ValueError(
                f"position {i} has no candidates: contexts are selected at positions 1 to {self.lattice.T - 1}"
            )
        return slice(int(self.offset[i]), int(self.offset[i + 1]))

    def position_of(self, m: int) -> int:
        """Position at which a candidate was proposed.

        Parameters
        ----------
        m : int
            Row of the candidate.

        Returns
        -------
        int
            The position, 1 … T−1.
        """
        if not 0 <= checks.index("m", m) < len(self.key):
            raise ValueError(f"candidate {m}: the trace has the candidates 0 to {len(self.key) - 1:,}")
        return int(np.searchsorted(self.offset, m, side="right")) - 1

    def labels_of(self, m: int) -> tuple[str, ...]:
        """Labels that a candidate would remember.

        Parameters
        ----------
        m : int
            Row of the candidate.

        Returns
        -------
        tuple of str
            Their names, the oldest first.
        """
        position = self.position_of(m)
        return self._extended_name(self.lattice.context(int(self.context[m])), position, self.label[m])

    def _extended_name(self, context, position, y):
        """The names of a context extended by column y at a position."""
        whole = (*context, self.lattice.name_of(position - 1, y))
        return whole[-self._cap :] if self._cap else whole

    @property
    def _cap(self):
        """The longest context that can exist: n where contexts equal in their last n labels are joined, else 0."""
        return self.settings["order"] if self.settings.get("deduplicate") else 0

    def fate(self, i: int) -> np.ndarray:
        """The fate of each candidate of a position.

        Parameters
        ----------
        i : int
            The position, 1 … T−1.

        Returns
        -------
        ndarray of int
            0 kept, 1 merged into an ancestor, 2 joined with an equal one, 3 dropped.
        """
        rows = self.candidates(i)
        into, kept = self.into[rows], self.kept[rows]
        grown = self.lattice.length[self.context[rows]] + 1
        if self._cap:
            grown = np.minimum(grown, self._cap)
        same = (into >= 0) & (self.lattice.length[into] == grown)
        return np.select([kept, into < 0, same], [0, 3, 2], default=1)

    def rank(self, i: int) -> np.ndarray:
        """Rank of each candidate of a position by its key.

        Parameters
        ----------
        i : int
            The position, 1 … T−1.

        Returns
        -------
        ndarray of int
            1 for the highest key; ties go to the lower context, then to the lower label.
        """
        key = self.key[self.candidates(i)]
        rank = np.empty(len(key), dtype=np.int64)
        rank[np.argsort(-key, kind="stable")] = np.arange(1, len(key) + 1)
        return rank

    @property
    def ranked_by(self) -> str:
        """The ranking key of candidates: ``"mass"``, ``"pass"``, ``"rule"`` or ``"queue"``.

        ``"mass"`` is a candidate's forward mass, with that of the equal ones that join it; ``"pass"``, where there are
        several passes, that times the backward message of the pass before, an estimate of its posterior; ``"rule"`` the
        score of the selection rule that ``settings["select"]`` names; ``"queue"`` the score of a search and its bound
        on the rest.
        """
        if METHODS[self.settings["method"]].searches:
            return "queue"
        if self.settings.get("passes", 1) > 1:
            return "pass"
        return "rule" if "select" in self.settings else "mass"

    @property
    def ranking(self) -> str:
        """What candidates are ranked by, in words: ``"mass"``, or the name of a selection rule."""
        words = {"pass": "estimated posterior", "queue": "score and bound", "mass": "mass"}
        return words.get(self.ranked_by) or str(self.settings["select"])

    def key_share(self, i: int) -> np.ndarray:
        """The ranking key of each candidate of a position, as a share of the sum of all.

        Parameters
        ----------
        i : int
            The position, 1 … T−1.

        Returns
        -------
        ndarray
            Shares that sum to 1, exp of ``key`` up to a factor; zeros where all keys are. With several passes they
            estimate the posterior of the candidates.
        """
        key = self.key[self.candidates(i)]
        total = log_sum(key)
        return np.exp(key - total) if total > -np.inf else np.zeros(len(key))

    def share(self, i: int) -> np.ndarray:
        """Mass of each candidate as a share of all that was proposed at its position.

        Parameters
        ----------
        i : int
            The position, 1 … T−1.

        Returns
        -------
        ndarray
            Shares that sum to 1; zeros where nothing has any mass.
        """
        log_mass = self.log_mass[self.candidates(i)]
        total = self.log_mass_of(i)
        return np.exp(log_mass - total) if total > -np.inf else np.zeros(len(log_mass))

    def log_mass_of(self, i: int) -> float:
        """Log of all the mass that was proposed at a position.

        Parameters
        ----------
        i : int
            The position, 1 … T−1.

        Returns
        -------
        float
            Log mass in nats.
        """
        return float(log_sum(self.log_mass[self.candidates(i)]))

    def table(self, i: int, most: int | None = None) -> pandas.DataFrame:
        """Candidates of a position as a table, in the order in which they were proposed.

        Parameters
        ----------
        i : int
            The position, 1 … T−1.
        most : int, optional
            Only those of so high a rank, from 1 on; all where it is left out.

        Returns
        -------
        pandas.DataFrame
            Columns ``context`` (tuple of labels, the candidate itself), ``log_mass`` in nats, ``mass`` (share of the
            position), ``log_key`` and ``key`` (what it was ranked by, see ``ranked_by``, in nats up to a constant, and
            as a share of the position), ``rank``, ``kept``, ``fate`` and ``into`` (tuple of labels, None where
            dropped).

        Raises
        ------
        ValueError
            No contexts are selected at this position.

        Examples
        --------
        >>> import rcmviz as rv
        >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
        >>> lattice, trace = rv.rcms(model, [[0.5, 0.0]] * 3, budget=1)
        >>> trace.table(1)[["context", "rank", "fate", "into"]].values.tolist()
        [[('a',), 1, 'kept', ('a',)], [('b',), 2, 'merged', ()]]
        """
        import pandas

        return pandas.DataFrame(self.columns(i, most))

    def columns(self, i: int, most: int | None = None) -> dict[str, list]:
        """The columns of ``table`` as lists: less work where no data frame is needed.

        Parameters
        ----------
        i : int
            The position, 1 … T−1.
        most : int, optional
            Only those of so high a rank, from 1 on; all where it is left out.

        Returns
        -------
        dict of lists, one entry per candidate
            The columns of ``table``, by name.

        Raises
        ------
        ValueError
            No contexts are selected at this position.

        Examples
        --------
        >>> import rcmviz as rv
        >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
        >>> lattice, trace = rv.rcms(model, [[0.5, 0.0]] * 3, budget=1)
        >>> trace.columns(1)["fate"]
        ['kept', 'merged']
        """
        first, rank, fate, share = self.candidates(i).start, self.rank(i), self.fate(i), self.share(i)
        chosen = np.flatnonzero(rank <= (len(rank) if most is None else checks.whole("most", most, 1)))
        rows = first + chosen
        came, into = self.context[rows].tolist(), self.into[rows].tolist()
        names = {c: self.lattice.context(c) for c in {*came, *into} - {-1}}
        return {
            "context": [
                self._extended_name(names[c], i, y) for c, y in zip(came, self.label[rows].tolist(), strict=True)
            ],
            "log_mass": self.log_mass[rows].tolist(),
            "mass": share[chosen].tolist(),
            "log_key": self.key[rows].tolist(),
            "key": self.key_share(i)[chosen].tolist(),
            "rank": rank[chosen].tolist(),
            "kept": self.kept[rows].tolist(),
            "fate": [FATES[f] for f in fate[chosen].tolist()],
            "into": [names.get(c) for c in into],
        }

    def budget(self, i: int) -> int | None:
        """Budget at a position.

        Parameters
        ----------
        i : int
            The position, 1 … T−1.

        Returns
        -------
        int or None
            How many contexts were to be kept; None where all are, or where a queue over all positions has one for all.
        """
        if METHODS[self.settings["method"]].searches:
            return None
        changed = dict(self.settings.get("budgets") or {})
        return changed.get(checks.index("i", i), self.settings.get("budget"))

    def reason(self, m: int) -> str:
        """A sentence on why a candidate was kept, merged, joined or dropped.

        Parameters
        ----------
        m : int
            Row of the candidate.

        Returns
        -------
        str
            One sentence.
        """
        i = self.position_of(m)
        place = m - int(self.offset[i])
        rank, share, key = int(self.rank(i)[place]), float(self.share(i)[place]), float(self.key_share(i)[place])
        name, fate, into = star(self.labels_of(m), i), int(self.fate(i)[place]), int(self.into[m])
        return self.sentence(i, name, fate, rank, share, into, key=key)

    def sentence(
        self, i: int, name: str, fate: int, rank: int, share: float, into: int, *, key: float | None = None
    ) -> str:
        """The sentence of ``reason`` from values at hand.

        Parameters
        ----------
        i : int
            The position, 1 … T−1.
        name : str
            Name of the candidate, such as ``*ol``.
        fate : int
            What became of it, as in ``fate``.
        rank : int
            Its rank.
        share : float
            Its share of the position's mass.
        into : int
            The context that carries its mass, −1 where it was dropped.
        key : float, optional
            Its share of all keys, which the sentence tells where several passes rank by more than the mass.

        Returns
        -------
        str
            One sentence.
        """
        checks.text("name", name), checks.index("rank", rank), checks.index("into", into)
        checks.number("share", share, "a share of the mass")
        rows, budget = self.candidates(i), self.budget(i)
        total, outcome = rows.stop - rows.start, FATES[checks.whole("fate", fate, 0, len(FATES) - 1)]
        entry = METHODS[self.settings["method"]]
        if entry.draws:
            fallen = "was drawn" if outcome == "kept" else "was not drawn"
            return f"`{name}` is {ordinal(rank)} of {total} and {fallen}: its share is {share:.2g}"
        stands = f"`{name}` is {ordinal(rank)} of {total} by {self.ranking}"
        stands += f" ({key:.2g})" if self.ranked_by == "pass" and key is not None else ""
        stands += f", budget {budget}" if budget else ""
        if outcome in ("merged", "dropped") and not share:
            stands = f"`{name}` is impossible here"
        elif name in self._edit_names("forbid", i):
            stands += ", but forbidden"
        elif budget and outcome == "kept" and rank > budget:
            stands += (
                ", but pinned" if name in self._edit_names("pin", i) else ", but moves up for one that is forbidden"
            )
        elif budget and outcome in ("merged", "dropped") and rank <= budget:
            stands += ", but yields to a pinned one"
        own = f"mass of {share:.2g}" if self.ranked_by in ("pass", "rule") else f"{share:.2g}"
        carrier = self.lattice.name(into) if into >= 0 else None
        method = entry.full_title
        if entry.searches and (share or outcome == "kept"):
            became = "was popped and extended" if outcome == "kept" else "was never popped, so nothing was built on it"
            return f"{stands} and {became}: its share is {share:.2g}"
        return {
            "kept": f"{stands}, so it keeps its own {own}",
            "dropped": f"{stands}, so its {own} is dropped: {method} loses this output permanently",
            "merged": f"{stands}, so its {own} is merged into `{carrier}`",
            "joined": f"`{name}` equals another candidate in its last {self.settings.get('order', 'n')} labels, "
            f"so its {own} joined `{carrier}`",
        }[outcome]

    def _edit_names(self, kind, i):
        """Names of the contexts pinned (with the prefixes that this pins) or forbidden at position i."""
        edits = [(p, tuple(what)) for p, what in self.settings.get(kind) or () if not isinstance(what, str)]
        if kind == "pin":
            edits = [(p - cut, what[: len(what) - cut]) for p, what in edits for cut in range(len(what))]
        return {star(what, i) for p, what in edits if p == i}

    def to_json(self, path: str | PathLike | None = None) -> str:
        """The lattice and its trace as versioned JSON, described in ``docs/data.md``.

        Parameters
        ----------
        path : str or path, optional
            File to write the text to.

        Returns
        -------
        str
            The text, which ``read_trace`` reads.
        """
        return to_text(path, self.lattice, self)

    def to_arrow(self) -> pyarrow.Table:
        """All positions as one Arrow table; needs ``pip install pyarrow``.

        Returns
        -------
        pyarrow.Table
            One row per candidate: ``position``, from 1, and the columns of ``table``.

        Raises
        ------
        ValueError
            Arrow is not installed.
        """
        from rcmviz.core.lattices.trace_arrow import arrow_table

        return arrow_table(self)

    def to_parquet(self, path: str | PathLike) -> None:
        """Write the table of ``to_arrow`` as a Parquet file; needs ``pip install pyarrow``.

        Parameters
        ----------
        path : str or path
            The file.

        Raises
        ------
        ValueError
            Arrow is not installed.
        """
        from rcmviz.core.lattices.trace_arrow import write_parquet

        write_parquet(self, path)


def star(labels, i):
    """``*ol`` as people write it: a star where some of the i labels are forgotten."""
    return ("" if labels and len(labels) == i else "*") + spell(labels)


def ordinal(number):
    """``1st``, ``2nd``, ``3rd``, ``4th`` …"""
    suffix = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"
