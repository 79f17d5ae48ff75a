"""Figures of precision, risk and reliability show the numbers of rcmviz.evaluation.confidence."""

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.evaluation.confidence import precision_at, precision_curve
from rcmviz.evaluation.confidence import reliability as reliability_table
from rcmviz.plot.precision import SHARES


def pair(seed=0, N=80):
    random = np.random.default_rng(seed)
    confidence = random.random(N) ** 0.3
    return confidence, random.random(N) < confidence


def named(figure, name):
    (found,) = [one for one in figure.data if one.name and one.name.startswith(name)]
    return found


def test_a_curve_is_the_precision_curve_and_risk_is_the_rest():
    answers = {"RCMS 10": pair(0), "beam 10": pair(1)}
    answered, precision = precision_curve(*answers["beam 10"])
    drawn = named(rv.plot.precision_recall(answers), "beam 10")
    np.testing.assert_allclose(drawn.x, answered)
    np.testing.assert_allclose(drawn.y, precision)
    np.testing.assert_allclose(named(rv.plot.risk_coverage(answers), "beam 10").y, 1 - precision)


def test_seeds_are_thin_lines_and_their_mean_a_thick_one():
    pairs = [pair(seed) for seed in range(3)]
    figure = rv.plot.precision_recall({"RCMS 10": pairs})
    assert [one.line.width for one in figure.data] == [1, 1, 1, 2.5]
    mean = np.mean([precision_at(*one, SHARES) for one in pairs], axis=0)
    np.testing.assert_allclose(named(figure, "RCMS 10").y, mean)


def test_a_band_holds_its_curve():
    figure = rv.plot.precision_recall({"RCMS 10": pair()}, band=True)
    band, curve = figure.data
    high, low = np.split(np.asarray(band.y), [len(SHARES)])
    inside = np.interp(SHARES, curve.x, curve.y)
    assert np.mean((low[::-1] <= inside + 1e-9) & (inside <= high + 1e-9)) > 0.95


@pytest.mark.parametrize("equal", ["mass", "width"])
def test_the_reliability_diagram_shows_its_bins_and_error(equal):
    figure = rv.plot.reliability({"RCMS 10": [pair(0), pair(1)]}, bins=5, equal=equal)
    pooled = [np.concatenate(column) for column in zip(pair(0), pair(1), strict=True)]
    table = reliability_table(*pooled, 5, equal)
    drawn = named(figure, "RCMS 10")
    np.testing.assert_allclose(drawn.y, table.accuracy)
    assert f"ECE {table.error:.3f}" in drawn.name


def test_names_are_escaped_and_nothing_is_refused():
    for draw in (rv.plot.precision_recall, rv.plot.risk_coverage, rv.plot.reliability):
        figure = draw({"<b>bold</b>": pair(), **{f"m{k}": pair(k) for k in range(6)}})
        assert "<b>bold" not in figure.to_json().encode().decode("unicode_escape")
        assert len({(one.line.color, one.line.dash) for one in figure.data if one.name}) == 7
        with pytest.raises(ValueError, match="give at least one method"):
            draw({})
