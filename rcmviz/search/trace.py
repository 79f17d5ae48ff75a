"""The trace of a search, pop by pop: extensions, queue, dropped and joined items, and the bound on the rest."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rcmviz.core.shared.frozen import CopyableMixin, freeze

FATES = WAITING, POPPED, DROPPED, JOINED, IMPOSSIBLE = range(5)
FATE_NAMES = ("waiting", "popped", "dropped", "joined", "impossible")
NEVER = -1  # in place of the number of a pop


@dataclass(frozen=True, eq=False)
class SearchTrace(CopyableMixin):
    """Every hypothesis of a search with its fate, and every pop.

    N hypotheses, the start is number 0 and parents stand before their extensions; P pops. Logs are in nats where the
    problem's scores are.

    Attributes
    ----------
    hypotheses : sequence, length N
        The hypotheses themselves.
    parent : ndarray of int, shape (N,)
        The hypothesis that it extends, −1 for the start.
    depth : ndarray of int, shape (N,)
        How many steps it has.
    score, rest : ndarray of shape (N,)
        Its score so far, and the bound on what the rest can add; the queue is ordered by their sum.
    complete : ndarray of bool, shape (N,)
        Whether it was popped and found to be complete.
    fate : ndarray of int, shape (N,)
        What became of it at last: 0 waiting, 1 popped, 2 dropped as the queue was full, 3 joined with one of an equal
        context, 4 impossible.
    at : ndarray of int, shape (N,)
        The pop at which that happened, 0 … P−1; −1 for what still waits.
    into : ndarray of int, shape (N,)
        The hypothesis that it was joined with, −1 where it was not.
    pops : ndarray of int, shape (P,)
        The hypotheses in the order in which they were popped.
    queue : ndarray of int, shape (P,)
        How many waited after each pop, its extensions among them.
    bound : ndarray of shape (P,)
        No answer that was still to be found at a pop scores higher: the highest score + rest in the queue, or of what
        was dropped. Only a bound where the problem never rises.
    answers : tuple of int
        The complete hypotheses that were found, in that order.
    settings : dict
        The arguments of the search.
    name : callable
        The last step of a hypothesis in words.
    """

    hypotheses: Sequence[Any]
    parent: np.ndarray
    depth: np.ndarray
    score: np.ndarray
    rest: np.ndarray
    complete: np.ndarray
    fate: np.ndarray
    at: np.ndarray
    into: np.ndarray
    pops: np.ndarray
    queue: np.ndarray
    bound: np.ndarray
    answers: tuple[int, ...]
    settings: dict
    name: Callable[[Any], str]

    def __post_init__(self):
        freeze(self)

    def __len__(self):
        return len(self.pops)

    @property
    def total(self) -> np.ndarray:
        """The key of the queue, score + rest, shape (N,)."""
        return self.score + self.rest

    def steps(self, n: int) -> tuple[str, ...]:
        """The steps of a hypothesis, the first one first.

        Parameters
        ----------
        n : int
            Its number.

        Returns
        -------
        tuple of str
            Their names.
        """
        names = []
        while self.parent[n] >= 0:
            names.append(self.step(n))
            n = int(self.parent[n])
        return tuple(reversed(names))

    def step(self, n: int) -> str:
        """The last step of a hypothesis.

        Parameters
        ----------
        n : int
            Its number.

        Returns
        -------
        str
            Its name, empty for the start.
        """
        return str(self.name(self.hypotheses[n])) if self.parent[n] >= 0 else ""

    def extensions(self, p: int) -> np.ndarray:
        """Hypotheses that a pop added.

        Parameters
        ----------
        p : int
            The pop, 0 … P−1.

        Returns
        -------
        ndarray of int
            Their numbers.
        """
        first, last = np.searchsorted(self._creation_pops, [p, p + 1])
        return np.arange(1 + first, 1 + last)

    @property
    def _creation_pops(self):
        """The pop that made each hypothesis but the start, ascending."""
        return self.at[self.parent[1:]]

    def dropped(self, p: int) -> np.ndarray:
        """Hypotheses that were lost after a pop because the queue was full.

        Parameters
        ----------
        p : int
            The pop, 0 … P−1.

        Returns
        -------
        ndarray of int
            Their numbers, the highest first.
        """
        lost = np.flatnonzero((self.fate == DROPPED) & (self.at == p))
        return lost[np.lexsort((-self.depth[lost], -self.total[lost]))]

    def to_dict(self, most_listed: int = 12) -> dict:
        """The trace ready for JSON, kept small: numbers have six digits after the point.

        Parameters
        ----------
        most_listed : int
            How many extensions and how many dropped hypotheses of a pop are listed, the highest; those that are popped
            later are always listed.

        Returns
        -------
        dict
            ``settings``; ``nodes``, the listed hypotheses in columns ``parent`` (its place in the columns, −1 for the
            start), ``step``, ``score``, ``rest``, ``fate`` (its name), ``at`` (the pop of that fate, −1 while it waits)
            and ``into`` (what it was joined with, −1 else); ``pops``, a list of ``{"node", "queue", "bound",
            "extensions": [node …], "unlisted": how many possible ones are not listed, "dropped": [node …], "lost": how
            many were dropped in all, "joined": how many were joined}``; ``answers``, a list of nodes.
        """
        listed = [self._highest(self.extensions(p), most_listed) for p in range(len(self))]
        dropped = [self.dropped(p) for p in range(len(self))]
        named = {0}.union(*listed, *(lost[:most_listed].tolist() for lost in dropped))
        ids = np.array(sorted(named | {int(self.into[n]) for n in named} - {-1}))
        pops = []
        for p, (made, lost) in enumerate(zip(listed, dropped, strict=True)):
            fates = self.fate[self.extensions(p)]
            pops.append(
                {
                    "node": int(np.searchsorted(ids, self.pops[p])),
                    "queue": int(self.queue[p]),
                    "bound": round(float(self.bound[p]), 6),
                    "extensions": np.searchsorted(ids, made).tolist(),
                    "unlisted": int(np.count_nonzero(fates != IMPOSSIBLE)) - len(made),
                    "dropped": np.searchsorted(ids, lost[:most_listed]).tolist(),
                    "lost": len(lost),
                    "joined": int(np.count_nonzero((self.fate == JOINED) & (self.at == p))),
                }
            )
        answers = np.searchsorted(ids, self.answers).tolist()
        return {"settings": self.settings, "nodes": self._columns(ids), "pops": pops, "answers": answers}

    def _highest(self, made, most):
        """The ``most`` highest of the possible extensions and all popped ones, the highest first."""
        made = made[self.fate[made] != IMPOSSIBLE]
        ranked = made[np.argsort(-self.total[made], kind="stable")]
        return ranked[(np.arange(len(ranked)) < most) | (self.fate[ranked] == POPPED)].tolist()

    def _columns(self, ids):
        """The listed hypotheses; links become places among them."""
        links = self.parent[ids], self.into[ids]
        parent, into = (np.where(link < 0, -1, np.searchsorted(ids, link)) for link in links)
        return {
            "parent": parent.tolist(),
            "step": [self.step(n) for n in ids.tolist()],
            "score": self.score[ids].round(6).tolist(),
            "rest": self.rest[ids].round(6).tolist(),
            "fate": [FATE_NAMES[fate] for fate in self.fate[ids]],
            "at": self.at[ids].tolist(),
            "into": into.tolist(),
        }
