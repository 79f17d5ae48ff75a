"""Which contexts a tree shows and in which order: one row per context, the same rows for every method.

A column of a lattice is a set of suffixes, so it is a tree: the parent of a context is its longest proper suffix in the
set, the root forgets everything. Several methods at one position are drawn on the tree of the union of their sets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rcmviz.core.inference.infer import posterior
from rcmviz.core.inference.shares import forward_shares
from rcmviz.core.lattices.lattice import Lattice, spell
from rcmviz.core.lattices.trace import Trace
from rcmviz.core.shared import checks

Context = tuple[str, ...]  # the remembered labels, oldest first
MASSES = ("forward", "posterior")


@dataclass(frozen=True)
class Tree:
    """R rows in depth-first order, heavier siblings first, for M methods.

    `contexts` (R,), `depth` (R,), `parent` (R,) rows with -1 for none, `own` and `subtree` (M, R) masses,
    `present` (M, R), `hidden` (M,) how many contexts of a method have no row of their own.
    """

    contexts: tuple[Context, ...]
    depth: np.ndarray
    parent: np.ndarray
    own: np.ndarray
    subtree: np.ndarray
    present: np.ndarray
    hidden: np.ndarray


def linear_masses(lattice: Lattice, mass: str, trace: Trace | None = None) -> np.ndarray:
    """Per context (C,) a mass to add up inside a column: forward (a share of all that was proposed at its position,
    see ``shares.py``) or posterior (a share of all outputs)."""
    checks.choice("mass", mass, MASSES)
    table = posterior(lattice)
    return np.asarray(table.context) if mass == "posterior" else forward_shares(lattice, trace, table.forward)


def column_masses(lattice: Lattice, i: int, mass: np.ndarray) -> dict[Context, float]:
    """The contexts of column i with their `mass` (C,), one of ``linear_masses``."""
    column = lattice.column(i)
    return {tuple(lattice.context(c)): float(mass[c]) for c in range(column.start, column.stop)}


def kept_shares(trace: Trace, i: int) -> dict[Context, float]:
    """Per context of column i what its own candidate brought, as a share of all that was proposed; the rest of its
    forward mass was merged into it. Raises ValueError for a position without candidates."""
    rows = trace.candidates(i)
    share, kept, into = trace.share(i), trace.kept[rows], trace.into[rows]
    return {trace.lattice.context(int(c)): float(part) for c, part in zip(into[kept], share[kept], strict=True)}


def build_tree(columns: Sequence[Mapping[Context, float]], limit: int) -> Tree:
    """The tree of the union of the methods' contexts, at most about `limit` rows: the heaviest and their ancestors.

    What has no row of its own counts in the subtree of its nearest shown ancestor.
    """
    checks.whole("limit", limit, 0)
    heaviest = {key: max(column.get(key, 0.0) for column in columns) for column in columns for key in column}
    shown = _add_ancestors(sorted(heaviest, key=lambda key: (-heaviest[key], key))[:limit], heaviest)
    nested = [_nested_masses(column, shown) for column in columns]
    order = _depth_first(shown, {key: max(total[key] for total in nested) for key in shown})
    row = {key: r for r, key in enumerate(order)}
    parents = [_longest_suffix(key[1:], shown) if key else None for key in order]
    parent = np.array([-1 if key is None else row[key] for key in parents])
    depth = np.zeros(len(order), dtype=int)
    for r in range(len(order)):
        depth[r] = 0 if parent[r] < 0 else depth[parent[r]] + 1
    return Tree(
        contexts=tuple(order),
        depth=depth,
        parent=parent,
        own=np.array([[column.get(key, 0.0) for key in order] for column in columns]),
        subtree=np.array([[total[key] for key in order] for total in nested]),
        present=np.array([[key in column for key in order] for column in columns]),
        hidden=np.array([sum(key not in row for key in column) for column in columns]),
    )


def _longest_suffix(context: Context, among) -> Context | None:
    for start in range(len(context) + 1):
        if context[start:] in among:
            return context[start:]
    return None


def _add_ancestors(contexts: Sequence[Context], among) -> set[Context]:
    """The contexts and all their suffixes that are in `among`."""
    return {key[start:] for key in contexts for start in range(len(key) + 1) if key[start:] in among}


def _nested_masses(column: Mapping[Context, float], shown: set[Context]) -> dict[Context, float]:
    """Per shown context the mass of all contexts that end in it."""
    total = dict.fromkeys(shown, 0.0)
    for key, mass in column.items():
        for start in range(len(key) + 1):
            if key[start:] in total:
                total[key[start:]] += mass
    return total


def _depth_first(shown: set[Context], weight: Mapping[Context, float]) -> list[Context]:
    children: dict[Context | None, list[Context]] = {}
    for key in shown:
        children.setdefault(_longest_suffix(key[1:], shown) if key else None, []).append(key)
    order: list[Context] = []
    stack = [None]
    while stack:
        key = stack.pop()
        if key is not None:
            order.append(key)
        stack.extend(sorted(children.get(key, []), key=lambda k: (weight[k], k)))
    return order


def context_name(context: Context, i: int) -> str:
    """`*ol`: a star for forgotten labels, none for a complete history of i labels."""
    return ("*" if len(context) < i or i == 0 else "") + spell(context)
