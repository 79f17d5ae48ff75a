"""The graph of a lattice has the lattice's contexts and arcs."""

import networkx
import numpy as np
import pytest

import rcmviz as rv


def test_best_way_through_the_graph_is_viterbi():
    rng = np.random.default_rng(5)
    windows = {(a, b, y): rng.normal() for a in "*ab" for b in "ab" for y in "ab"}
    model = rv.NgramModel.from_windows("ab", 2, windows)
    lattice, _ = rv.rcms(model, rng.normal(size=(5, 2)), budget=3)
    graph = rv.to_networkx(lattice)
    best = {0: 0.0}
    for node in networkx.topological_sort(graph):
        for _, into, data in graph.out_edges(node, data=True):
            best[into] = max(best.get(into, -np.inf), best.get(node, -np.inf) + data["score"])
    assert best[lattice.C - 1] == pytest.approx(rv.viterbi(lattice).log_score)
    assert graph.nodes[lattice.C - 1]["column"] == lattice.T
    assert all(graph.nodes[u]["column"] + 1 == graph.nodes[v]["column"] for u, v in graph.edges())
