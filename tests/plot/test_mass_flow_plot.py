"""The mass-flow figure: areas are shares of all mass, and its title has the library's numbers."""

import numpy as np
import pytest

import rcmviz as rv
from support.toy_runs import model_and_emissions


def area_of_bars(trace, column):
    """Summed heights of the boxes around a position."""
    total, corners = 0.0, []
    for x, y in zip(trace.x, trace.y, strict=True):
        if x is not None:
            corners.append((x, y))
            continue
        if abs(np.mean([corner[0] for corner in corners[:4]]) - column) < 0.05:
            total += max(corner[1] for corner in corners) - min(corner[1] for corner in corners)
        corners = []
    return total


@pytest.mark.parametrize("method", [rv.beam, rv.rcms, rv.recombining_beam])
def test_bars_and_lost_mass_add_up_to_all_mass(method):
    lattice, trace = method(*model_and_emissions(), budget=3)
    figure = rv.plot.mass_flow(trace, gold="abcdea")
    bars = max(figure.data, key=lambda one: one.line.width or 0)
    left = 1.0
    for i in range(1, lattice.T):
        left *= trace.share(i)[trace.into[trace.candidates(i)] >= 0].sum()
        assert area_of_bars(bars, i) == pytest.approx(left, abs=1e-9)
    title = figure.layout.annotations[0].text
    assert "".join(rv.viterbi(lattice).labels) in title
    assert ("none is lost" in title) == (method is rv.rcms)


def test_runs_stand_side_by_side_and_must_fit():
    problem = model_and_emissions()
    traces = {"beam": rv.beam(*problem, 3)[1], "RCMS": rv.rcms(*problem, 3)[1], "exact": rv.exact(*problem)[1]}
    assert len(rv.plot.mass_flow(traces).layout.annotations) == 3
    with pytest.raises(ValueError, match="0 runs"):
        rv.plot.mass_flow({})
    with pytest.raises(ValueError, match="2 labels"):
        rv.plot.mass_flow(traces, gold="ab")
    with pytest.raises(ValueError, match="show one input"):
        rv.plot.mass_flow(traces | {"exact": rv.exact(*model_and_emissions(length=4))[1]})
