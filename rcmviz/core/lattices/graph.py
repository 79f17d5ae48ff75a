"""A lattice as a networkx graph, for everything that graph tools do and rcmviz does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcmviz.core.lattices.lattice import Lattice
from rcmviz.core.shared import checks

if TYPE_CHECKING:
    import networkx


def to_networkx(lattice: Lattice) -> networkx.MultiDiGraph:
    """The lattice as a graph: contexts are nodes, arcs are edges keyed by label.

    Parameters
    ----------
    lattice : Lattice
        What a builder returned.

    Returns
    -------
    networkx.MultiDiGraph
        Nodes carry ``name`` (such as ``"*ol"``), ``column``, ``length`` and ``parent`` (least ancestor or None), edges
        ``label`` and ``score`` in nats. Arcs that are dropped or impossible are left out.

    Examples
    --------
    >>> import rcmviz as rv
    >>> lattice, _ = rv.beam(rv.NgramModel.from_windows("ab", 1, {}), [[0.1, 0.0]] * 2, budget=1)
    >>> graph = rv.to_networkx(lattice)
    >>> [(graph.nodes[u]["name"], label, graph.nodes[v]["name"]) for u, v, label in graph.edges(keys=True)]
    [('*', 'a', 'a'), ('a', 'a', '*'), ('a', 'b', '*')]
    """
    import networkx
    import numpy as np

    graph = networkx.MultiDiGraph(labels=checks.lattice(lattice).labels)
    for i in range(lattice.T + 1):
        for c in range(lattice.offset[i], lattice.offset[i + 1]):
            parent = int(lattice.parent[c])
            graph.add_node(
                c, name=lattice.name(c), column=i, length=int(lattice.length[c]), parent=None if parent < 0 else parent
            )
    possible = (lattice.target >= 0) & (lattice.score > -np.inf)
    column = np.repeat(np.arange(lattice.T + 1), np.diff(lattice.offset))
    for c, y in np.argwhere(possible).tolist():
        label = lattice.name_of(column[c], y)
        graph.add_edge(c, int(lattice.target[c, y]), key=label, label=label, score=float(lattice.score[c, y]))
    return graph
