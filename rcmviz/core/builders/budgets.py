"""The smallest budget that is enough: one example run and judged with the budgets 1, 2, 3 ….

A larger budget need not be better: it keeps more histories, whose extensions can push the gold out later. So no budget
is skipped, and the smallest that works is the first that does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from numpy.typing import ArrayLike

from rcmviz.core.builders.blame import RIGHT, FullModel
from rcmviz.core.builders.build import build_lattice
from rcmviz.core.methods import BUILDERS, MOST_BUDGETS
from rcmviz.core.models.scores import Model
from rcmviz.core.shared import checks

WORK = 20_000_000  # candidates that are proposed in about a second
FEWEST_TRIED = 12  # where the gold is found at once: whether it is lost again is worth seeing


@dataclass(frozen=True)
class BudgetStrip:
    """The fate of the gold with the budgets 1, 2, 3 …, as ``budget_strip`` returns it.

    Attributes
    ----------
    method : str
        The method.
    verdicts : tuple of str
        Per budget, from 1 on: ``"right"``, ``"model error"`` or ``"search error"``.
    positions : tuple of int or None
        Per budget the position of the search error.
    keeps : tuple of bool
        Per budget whether the gold's contexts remember all that the model sees, whatever the output.
    complete : bool
        Whether every larger budget does what the last one does, for nothing is lost any more.
    """

    method: str
    verdicts: tuple[str, ...]
    positions: tuple[int | None, ...]
    keeps: tuple[bool, ...]
    complete: bool

    @property
    def smallest(self) -> int | None:
        """The smallest budget whose output is the gold; None where none of those tried gives it."""
        return self.verdicts.index(RIGHT) + 1 if RIGHT in self.verdicts else None

    @property
    def smallest_that_keeps(self) -> int | None:
        """The smallest budget that neither drops the gold nor merges it into less than the model sees; None if none."""
        return self.keeps.index(True) + 1 if True in self.keeps else None

    @property
    def is_monotone(self) -> bool:
        """Whether every budget from the smallest on, of those tried, gives the gold."""
        return self.smallest is None or set(self.verdicts[self.smallest - 1 :]) == {RIGHT}

    def stretches(self) -> list[tuple[int, int, str, int | None]]:
        """Equal neighbours together: (first budget, last budget, verdict, position).

        >>> verdicts, positions = ("search error", "right", "right"), (2, None, None)
        >>> BudgetStrip("beam", verdicts, positions, (False, True, True), complete=True).stretches()
        [(1, 1, 'search error', 2), (2, 3, 'right', None)]
        """
        found, first = [], 1
        for (verdict, position), group in groupby(zip(self.verdicts, self.positions, strict=True)):
            last = first + len(list(group)) - 1
            found.append((first, last, verdict, position))
            first = last + 1
        return found

    def to_dict(self) -> dict[str, Any]:
        """The stretches and the smallest budgets as plain values, ready for JSON."""
        return {
            "method": self.method,
            "stretches": [list(stretch) for stretch in self.stretches()],
            "tried": len(self.verdicts),
            "smallest": self.smallest,
            "keeps": self.smallest_that_keeps,
            "complete": self.complete,
        }


def budget_strip(
    model: Model,
    log_emit: ArrayLike | None,
    gold: Iterable[str],
    method: str = "rcms",
    *,
    most: int = MOST_BUDGETS,
    beyond: bool = True,
    **options: Any,
) -> BudgetStrip:
    """Run a method with the budgets 1, 2, 3 … and say whose fault it is each time; the first that is right is smallest.

    Parameters
    ----------
    model : NgramModel, HMM or another model
        The model.
    log_emit : array_like of shape (T, Y) or None
        Log emissions in nats; None for an ``HMM``, which has its own.
    gold : iterable of str, length T
        The right labels.
    method : str
        A method with a budget, one of ``rcmviz.core.methods.BUILDERS``.
    most : int
        The largest budget that is tried.
    beyond : bool
        Continue to twice the smallest budget (12 at least), to see whether the gold is lost again.
    **options
        Other arguments of the method's builder, the same for every budget.

    Returns
    -------
    BudgetStrip
        What became of the gold, budget by budget.

    Raises
    ------
    ValueError
        The method has no budget to choose, or an argument is malformed.

    Notes
    -----
    A larger budget can be worse, so none is left out: the first that gives the gold is the smallest. Without such a
    budget all up to ``most`` are tried, unless one loses nothing any more: all larger ones do what it does.

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 2.0})
    >>> strip = rv.budget_strip(model, [[0.0, 0.1], [0.1, 0.0]], "ab", "beam")
    >>> strip.verdicts, strip.smallest, strip.complete
    (('search error', 'right', 'right'), 2, True)
    """
    entry = BUILDERS[checks.choice("method", method, BUILDERS)]
    if not entry.has_budget:
        having = ", ".join(kind for kind, each in BUILDERS.items() if each.has_budget)
        raise ValueError(f"method {method!r} has no budget to choose; {having} have one")
    most = checks.whole("most", most, 1)
    judge = FullModel(model, log_emit, gold)
    # Else a column says nothing of what was lost.
    heaviest = not entry.searches and not entry.draws and options.get("passes", 1) == 1
    verdicts, positions, keeps, tried, complete = [], [], [], most, False
    for budget in range(1, most + 1):
        lattice, _ = build_lattice(method, model, log_emit, budget, record=False, **options)
        one = judge.blame(lattice)
        verdicts.append(one.verdict)
        positions.append(one.position)
        keeps.append(judge.keeps(lattice))
        complete = heaviest and _keeps_everything(lattice, budget, options.get("budgets") or {})
        if one.verdict == RIGHT and tried == most:
            tried = min(most, max(2 * budget, FEWEST_TRIED)) if checks.switch("beyond", beyond) else budget
        if complete or budget >= tried:
            break
    return BudgetStrip(method, tuple(verdicts), tuple(positions), tuple(keeps), complete)


def max_budget_in_a_second(log_emit):
    """The largest budget of a strip that takes about a second, where all are tried; 12 … 300."""
    return min(MOST_BUDGETS, max(FEWEST_TRIED, int((2 * WORK / log_emit.size) ** 0.5)))


def _keeps_everything(lattice, budget, budgets):
    """Whether every column that the budget is for has room left: then all candidates of any mass were kept."""
    columns = [lattice.length[lattice.column(i)] for i in range(1, lattice.T) if i not in budgets]
    return all((lengths > 0).sum() < budget for lengths in columns)
