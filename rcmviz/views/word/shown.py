"""What people hand over to be shown: a lattice, a trace or both, as a builder returns them, or several of these."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from rcmviz.core.lattices.lattice import Lattice
from rcmviz.core.lattices.printed import method_name
from rcmviz.core.lattices.trace import Trace
from rcmviz.views.word.payload import Run

Shown: TypeAlias = Lattice | Trace | Run | tuple[Lattice, Trace]
ShownRuns: TypeAlias = Shown | Sequence[Shown] | Mapping[str, Shown]


def runs_of(shown: ShownRuns, trace: Trace | None = None) -> list[Run]:
    """The runs that are meant: one, several in a list, or several by name.

    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
    >>> lattice, trace = rv.rcms(model, [[0.0, 0.0]] * 3, budget=2)
    >>> [run.name for run in runs_of(lattice, trace)], [run.name for run in runs_of({"ours": trace})]
    (['RCMS 2'], ['ours'])

    ValueError for anything else.
    """
    if trace is not None:
        return [_run((shown, trace))]
    if isinstance(shown, Mapping):
        return [_run(one, name) for name, one in shown.items()]
    if isinstance(shown, (list, tuple)) and not _is_pair(shown):
        return [_run(one) for one in shown]
    return [_run(shown)]


def _is_pair(shown):
    return isinstance(shown, tuple) and tuple(map(type, shown)) == (Lattice, Trace)


def _run(shown, name=None):
    if isinstance(shown, Run):
        return replace(shown, name=name or shown.name)
    if isinstance(shown, Lattice):
        return Run(name or "lattice", shown, None)
    if isinstance(shown, Trace):
        shown = shown.lattice, shown
    if not _is_pair(shown):
        raise ValueError(f"{type(shown).__name__}: give a lattice and its trace, as a builder returns them, or a Run")
    lattice, trace = shown
    return Run(name or method_name(trace), lattice, trace)
