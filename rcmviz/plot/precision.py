"""Figures on the trust in answers: precision against the share answered, risk against coverage, reliability.

Every function takes ``answers``, a mapping from a method's name to its (confidence, correct), both (N,), or to a list
of such pairs, one per seed: then each seed is a thin line and their mean a thick one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from rcmviz.core.shared import checks
from rcmviz.evaluation import confidence as measure
from rcmviz.evaluation.bootstrap import bootstrap
from rcmviz.plot import style
from rcmviz.plot.style import escape_label, percent

SHARES = np.linspace(0.005, 1, 200)  # where curves of several seeds, and bands, are evaluated
FIRST = 0.02  # below this share a curve hangs on a handful of words and does not set the scale
DASHES = ("solid", "dash", "dot", "dashdot")


def precision_recall(answers: Mapping, *, target: float = 0.99, band: bool = False) -> go.Figure:
    """Plot precision against the share answered, the most confident answers first.

    Parameters
    ----------
    answers : mapping of str
        ``{name: (confidence, correct)}``, arrays of shape (N,), or a list of such pairs, one per seed.
    target : float
        Precision of the dotted line.
    band : bool
        Add the 95 % bootstrap interval of each method that has one pair.

    Returns
    -------
    plotly.graph_objects.Figure
        The figure.

    Raises
    ------
    ValueError
        There are no answers.

    Examples
    --------
    >>> import rcmviz as rv
    >>> figure = rv.plot.precision_recall({"RCMS": ([0.9, 0.6, 0.4], [True, True, False])})
    """
    checks.number("target", target, "a precision from 0 to 1")
    figure = _curves(answers, lambda precision: precision, band)
    figure.add_hline(y=target, line={"dash": "dot", "color": style.QUIET, "width": 1})
    subtitle = f"surest answers first; dotted: {percent(target)} right"
    style.apply_style(figure, "How many can be answered, and how many of those are right", subtitle, height=460)
    return _set_layout(figure, "share answered", "precision", low=_lowest(figure))


def risk_coverage(answers: Mapping, *, band: bool = False) -> go.Figure:
    """Plot risk, the share of the answers that is wrong, against coverage, the share answered.

    Parameters
    ----------
    answers : mapping of str
        As for ``precision_recall``.
    band : bool
        Add the 95 % bootstrap interval of each method that has one pair.

    Returns
    -------
    plotly.graph_objects.Figure
        The figure.

    Raises
    ------
    ValueError
        There are no answers.

    Notes
    -----
    Risk and coverage as in Geifman and El-Yaniv (2017).

    Examples
    --------
    >>> import rcmviz as rv
    >>> figure = rv.plot.risk_coverage({"RCMS": ([0.9, 0.6, 0.4], [True, True, False])})
    """
    figure = _curves(answers, lambda precision: 1 - precision, band)
    style.apply_style(figure, "Risk against coverage", "share of wrong answers; lower is better", height=460)
    figure.update_yaxes(rangemode="tozero")
    return _set_layout(figure, "coverage: share answered", "risk: share of the answers that is wrong")


def reliability(answers: Mapping, *, bins: int = 10, equal: str = "mass") -> go.Figure:
    """Plot accuracy against mean confidence; on the diagonal confidence is what it says.

    Parameters
    ----------
    answers : mapping of str
        As for ``precision_recall``; seeds are pooled.
    bins : int
        Number of bins.
    equal : {"mass", "width"}
        Bins of equally many answers, or of equal width.

    Returns
    -------
    plotly.graph_objects.Figure
        The figure; the area of a point is its share of the answers.

    Raises
    ------
    ValueError
        There are no answers, or the bins are malformed.

    Examples
    --------
    >>> import rcmviz as rv
    >>> figure = rv.plot.reliability({"RCMS": ([0.9, 0.6, 0.4], [True, True, False])}, bins=2)
    """
    figure = go.Figure()
    figure.add_scatter(
        x=[0, 1],
        y=[0, 1],
        mode="lines",
        hoverinfo="skip",
        showlegend=False,
        line={"dash": "dot", "color": style.QUIET, "width": 1},
    )
    for look in _styles(answers):
        confidence, correct = (np.concatenate(column) for column in zip(*look.pairs, strict=True))
        _add_reliability(figure, look, measure.reliability(confidence, correct, bins, equal))
    subtitle = f"{bins} bins of equal {equal}; ECE is the mean distance to the diagonal"
    style.apply_style(figure, "Is confidence what it says?", subtitle, height=460)
    figure.update_yaxes(range=[-0.02, 1.04])
    figure.update_layout(legend={"orientation": "v", "x": 0.98, "y": 0.03, "yanchor": "bottom"})  # no curve comes there
    return _set_layout(figure, "mean confidence", "share that is right")


def _add_reliability(figure, look, table):
    share, name = table.count / table.count.sum(), escape_label(look.name)
    figure.add_scatter(
        x=table.confidence,
        y=table.accuracy,
        name=f"{name} (ECE {table.error:.3f})",
        mode="lines+markers",
        line=look.line,
        marker={"symbol": look.symbol, "size": 6 + 40 * np.sqrt(share / np.pi), "opacity": 0.85},
        hoverinfo="text",
        hovertext=[
            f"{name}: {n:,} answers, {percent(c)} sure, {percent(a)} right"
            for n, c, a in zip(table.count, table.confidence, table.accuracy, strict=True)
        ],
    )


def _curves(answers, shown, band):
    """One line per method through ``shown(precision)``; of seeds a thin one each, and a thick one for the mean."""
    figure = go.Figure()
    checks.switch("band", band)
    for look in _styles(answers):
        pairs, line = look.pairs, look.line
        curves = [measure.precision_curve(*pair) for pair in pairs]
        if len(pairs) > 1:
            for answered, precision in curves:
                figure.add_scatter(
                    x=answered,
                    y=shown(precision),
                    mode="lines",
                    line=line | {"width": 1},
                    opacity=0.35,
                    hoverinfo="skip",
                    showlegend=False,
                )
            curves = [(SHARES, np.mean([measure.precision_at(*pair, SHARES) for pair in pairs], axis=0))]
        elif band:
            _add_band(figure, line["color"], pairs[0], shown)
        _add_curve(figure, look.name, line, *curves[0], shown)
    return figure


def _add_curve(figure, name, line, answered, precision, shown):
    points = zip(answered, precision, strict=True)
    figure.add_scatter(
        x=answered,
        y=shown(precision),
        name=escape_label(name),
        mode="lines",
        line=line,
        hoverinfo="text",
        hovertext=[f"{escape_label(name)}: {percent(x)} answered, {percent(y)} of them right" for x, y in points],
    )


def _add_band(figure, colour, pair, shown):
    interval = bootstrap(lambda *drawn: measure.precision_at(*drawn, SHARES), *pair, draws=400)
    figure.add_scatter(
        x=np.concatenate([SHARES, SHARES[::-1]]),
        y=shown(np.concatenate([interval.high, interval.low[::-1]])),
        fill="toself",
        mode="none",
        fillcolor=colour,
        opacity=0.15,
        hoverinfo="skip",
        showlegend=False,
    )


def _pairs(answers):
    """{name: list of (confidence, correct) as arrays}; ValueError for none."""
    if not isinstance(answers, Mapping) or not answers:
        raise ValueError("there are no answers to draw: give at least one method")
    wanted = "a pair (confidence, correct), or a list of such pairs"
    listed = {
        name: [found] if isinstance(found, tuple) else checks.as_list(f"answers[{name!r}]", found, wanted)
        for name, found in answers.items()
    }
    if not all(isinstance(pair, (tuple, list)) and len(pair) == 2 for found in listed.values() for pair in found):
        raise ValueError(f"answers: give for each name {wanted}")
    return {name: [tuple(map(np.asarray, pair)) for pair in found] for name, found in listed.items()}


class _Look(NamedTuple):
    """The look of a method, with its name and its pairs (confidence, correct)."""

    name: str
    pairs: list
    line: dict
    symbol: str


def _styles(answers):
    """The ``_Look`` of each method; beyond four lines differ in their dashes too."""
    named = _pairs(answers)
    for m, ((name, pairs), (colour, symbol)) in enumerate(
        zip(named.items(), style.styles_of_names(named), strict=True)
    ):
        yield _Look(name, pairs, {"color": colour, "dash": DASHES[m // 4 % 4], "width": 2.5}, symbol)


def _lowest(figure):
    """The start of the axis of precision: a little below the lowest point that more than a handful of words decide."""
    points = [np.asarray(one.y)[np.asarray(one.x) >= FIRST] for one in figure.data if one.mode == "lines"]
    return max(0.0, np.floor(20 * np.concatenate(points).min(initial=0.95) - 0.5) / 20)


def _set_layout(figure, x, y, low=None):
    figure.update_xaxes(title_text=x, tickformat=".0%", range=[0, 1.005])
    figure.update_yaxes(title_text=y, tickformat=".0%")
    if low is not None:
        figure.update_yaxes(range=[low, 1 + 0.04 * (1 - low)])
    return figure
