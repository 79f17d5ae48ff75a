"""The regret of a run: for the tab "Regret", the column "exact share" and the sentence of Your own example."""

from functools import lru_cache

import rcmviz as rv
from pages.word import runs
from pages.word.edits import edits_of_method
from rcmviz.core.lattices.trace import star

DRAWS = 2_000  # weighted draws where exact inference is too large


@lru_cache(maxsize=64)
def regret_of(subject, method, options, edits):
    """The ``Regret`` of a method on a subject; None without a trace or an output, or if it keeps everything."""
    run, problem = runs.finished_run(subject, method, options, edits), runs.problem_of(subject)
    if not method.entry.selects or run.trace is None or not run.has_output:
        return None
    draws = None
    if not runs.allows_exact(problem):
        draws = rv.importance(problem.model, problem.log_emit, n=DRAWS)
    try:
        return rv.regret(problem.model, problem.log_emit, run.trace, problem.gold, draws=draws)
    except ValueError:  # the full model has no output
        return None


def regrets_of(settings):
    """The ``Regret`` of each method of a view, or None."""
    return [
        regret_of(settings.subject, method, settings.options, edits_of_method(settings.edits, number))
        for number, method in enumerate(settings.methods, 1)
    ]


def rows_of(regret):
    """The table of a regret by column: what should have been kept at each position, and what it cost."""
    rows = {name: [] for name in ("position", "regret", "should be kept", "instead of", "share", "share of the kept")}
    rows |= {"log Z": [], "gold": []}
    for position, (value, swap) in enumerate(zip(regret.by_position.tolist(), regret.swaps, strict=True), 1):
        cost, gold = regret.costs(swap) if swap else (None, None)
        names = (star(swap.discarded, position), star(swap.kept, position)) if swap else ("", "")
        shares = (swap.discarded_share, swap.kept_share) if swap else (None, None)
        for name, cell in zip(rows, (position, value, *names, *shares, cost, gold), strict=True):
            rows[name].append(cell)
    return rows


def repair_sentence(regret):
    """The smallest swap that repairs the answer, in a sentence; empty if there is none."""
    swap = regret.repair
    if swap is None:
        return ""
    kept, discarded = star(swap.kept, swap.position), star(swap.discarded, swap.position)
    return (
        f"Smallest repair: keep `{discarded}` instead of `{kept}` at position {swap.position}, "
        f"{swap.gap:.2g} of the ranking key apart."
    )
