"""The trace: what was proposed at each position, with which mass, and what became of it."""

from dataclasses import dataclass

import numpy as np

from rcmviz.lattice import Lattice, freeze, spell

FATES = ("kept", "merged", "joined", "dropped")


@dataclass(frozen=True, eq=False)
class Trace:
    """Every candidate of every position (docs/data-model.md).

    ``lattice`` that it explains · ``offset (T+1,)``: candidates of position i = 1 … T−1 are ``offset[i]:offset[i+1]`` ·
    per candidate (M,): ``context`` of column i−1 extended by ``label``, forward ``log_mass`` before merging, ``key``
    that it was ranked by, ``kept``, ``into`` the context of column i that carries its mass (−1 dropped) · ``settings``
    · ``log_z_so_far (T+1,)`` log of the forward mass after i labels.
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

    def __post_init__(self):
        freeze(self)

    def candidates(self, i):
        """The candidates of position i = 1 … T−1 as a slice."""
        if not 1 <= i < self.lattice.T:
            raise ValueError(
                f"position {i} has no candidates: contexts are selected at positions 1 to {self.lattice.T - 1}"
            )
        return slice(int(self.offset[i]), int(self.offset[i + 1]))

    def position_of(self, m):
        """The position at which candidate m was proposed."""
        return int(np.searchsorted(self.offset, m, side="right")) - 1

    def labels_of(self, m):
        """What candidate m would remember, oldest first, as names."""
        return self._grown(self.lattice.context(int(self.context[m])), self.position_of(m), self.label[m])

    def _grown(self, context, position, y):
        """The names of a context extended by column y at a position."""
        whole = (*context, self.lattice.name_of(position - 1, y))
        return whole[-self._cap :] if self._cap else whole

    @property
    def _cap(self):
        """The longest context that can exist: n where contexts equal in their last n labels are joined, else 0."""
        return self.settings["order"] if self.settings.get("deduplicate") else 0

    def fate(self, i):
        """Fate of each candidate of position i, as indices into ``FATES``."""
        rows = self.candidates(i)
        into, kept = self.into[rows], self.kept[rows]
        grown = self.lattice.length[self.context[rows]] + 1
        if self._cap:
            grown = np.minimum(grown, self._cap)
        same = (into >= 0) & (self.lattice.length[into] == grown)
        return np.select([kept, into < 0, same], [0, 3, 2], default=1)

    def rank(self, i):
        """1 for the highest key of position i; ties to the lower context, then the lower label."""
        key = self.key[self.candidates(i)]
        rank = np.empty(len(key), dtype=np.int64)
        rank[np.argsort(-key, kind="stable")] = np.arange(1, len(key) + 1)
        return rank

    def share(self, i):
        """Mass of each candidate of position i as a share of all that was proposed there."""
        log_mass = self.log_mass[self.candidates(i)]
        total = self.log_mass_of(i)
        return np.exp(log_mass - total) if total > -np.inf else np.zeros(len(log_mass))

    def log_mass_of(self, i):
        """Log of all mass proposed at position i."""
        log_mass = self.log_mass[self.candidates(i)]
        highest = log_mass.max(initial=-np.inf)
        return highest + np.log(np.exp(log_mass - highest).sum()) if highest > -np.inf else -np.inf

    def table(self, i):
        """All candidates of position i = 1 … T−1 as a DataFrame, in the order in which they were proposed.

        Columns: ``context`` (tuple of labels, the candidate itself), ``log_mass``, ``mass`` (share of the position),
        ``rank``, ``kept``, ``fate``, ``into`` (tuple of labels, or None where dropped). ValueError for other positions.

        >>> import rcmviz as rv
        >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
        >>> lattice, trace = rv.rcms(model, [[0.5, 0.0]] * 3, budget=1)
        >>> trace.table(1)[["context", "rank", "fate", "into"]].values.tolist()
        [[('a',), 1, 'kept', ('a',)], [('b',), 2, 'merged', ()]]
        """
        import pandas

        rows = self.candidates(i)
        names, before = (
            {c: self.lattice.context(c) for c in range(*self.lattice.column(k).indices(self.lattice.C))}
            for k in (i, i - 1)
        )
        proposed = zip(self.context[rows].tolist(), self.label[rows].tolist(), strict=True)
        return pandas.DataFrame(
            {
                "context": [self._grown(before[c], i, y) for c, y in proposed],
                "log_mass": self.log_mass[rows],
                "mass": self.share(i),
                "rank": self.rank(i),
                "kept": self.kept[rows],
                "fate": [FATES[f] for f in self.fate(i)],
                "into": [names.get(int(c)) for c in self.into[rows]],
            }
        )

    def budget(self, i):
        """The budget at position i, or None where every context is kept."""
        changed = dict(self.settings.get("budgets") or {})
        return changed.get(i, self.settings.get("budget"))

    def reason(self, m):
        """Why candidate m fared as it did, in one sentence."""
        i = self.position_of(m)
        place = m - int(self.offset[i])
        rank, share = int(self.rank(i)[place]), float(self.share(i)[place])
        return self.sentence(i, star(self.labels_of(m), i), int(self.fate(i)[place]), rank, share, int(self.into[m]))

    def sentence(self, i, name, fate, rank, share, into):
        """``reason`` from values at hand: the candidate's name, fate (index into ``FATES``), rank, share, carrier."""
        total, budget = int(self.offset[i + 1] - self.offset[i]), self.budget(i)
        fate = FATES[fate]
        stands = f"`{name}` is {ordinal(rank)} of {total}" + (f", budget {budget}" if budget else "")
        if fate in ("merged", "dropped") and not share:
            stands = f"`{name}` is impossible here"
        elif name in self._edited("forbid", i):
            stands += ", but forbidden"
        elif budget and fate == "kept" and rank > budget:
            stands += ", but pinned" if name in self._edited("pin", i) else ", but moves up for one that is forbidden"
        elif budget and fate in ("merged", "dropped") and rank <= budget:
            stands += ", but gives way to one that is pinned"
        carrier = self.lattice.name(into) if into >= 0 else None
        return {
            "kept": f"{stands}, so it keeps its own {share:.2g}",
            "dropped": f"{stands}, so its {share:.2g} is dropped: beam search forgets this output for good",
            "merged": f"{stands}, so its {share:.2g} joined `{carrier}`",
            "joined": f"`{name}` equals another candidate in its last {self.settings['order']} labels, "
            f"so its {share:.2g} joined `{carrier}`",
        }[fate]

    def _edited(self, kind, i):
        """Names of the contexts pinned (with the prefixes that this pins) or forbidden at position i."""
        edits = [(p, tuple(what)) for p, what in self.settings.get(kind, ()) if not isinstance(what, str)]
        if kind == "pin":
            edits = [(p - cut, what[: len(what) - cut]) for p, what in edits for cut in range(len(what))]
        return {star(what, i) for p, what in edits if p == i}

    def to_json(self, path=None):
        """Write lattice and trace as versioned JSON; returns the text (docs/data-model.md)."""
        from rcmviz.store import trace_to_json

        return trace_to_json(self, path)


def star(labels, i):
    """``*ol`` as people write it: a star where some of the i labels are forgotten."""
    return ("" if labels and len(labels) == i else "*") + spell(labels)


def ordinal(number):
    """``1st``, ``2nd``, ``3rd``, ``4th`` …"""
    suffix = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"
