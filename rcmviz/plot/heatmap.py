"""Contexts × positions: where the mass was at each step of a whole run."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from rcmviz.core.inference.tree_rows import Context, column_masses, context_name, linear_masses
from rcmviz.core.lattices.lattice import Lattice
from rcmviz.core.shared import checks
from rcmviz.plot import style
from rcmviz.plot.style import escape_label, percent

LOWEST = 1e-3  # the palest colour; lighter contexts are drawn as pale as this


def heatmap(lattice: Lattice, *, mass: str = "forward", limit: int = 60) -> go.Figure:
    """Plot the mass of every context at every position in logarithmic colours.

    Parameters
    ----------
    lattice : Lattice
        What a builder returned.
    mass : {"forward", "posterior"}
        Mass of the labels so far, or once the rest of the sequence is read.
    limit : int
        Largest number of rows, the heaviest contexts.

    Returns
    -------
    plotly.graph_objects.Figure
        The figure, its rows in suffix order (sorted from the right).

    Raises
    ------
    ValueError
        ``mass`` is neither forward nor posterior.

    Examples
    --------
    >>> import rcmviz as rv
    >>> lattice, _ = rv.rcms(rv.NgramModel.from_windows("ab", 1, {}), [[0.1, 0.0]] * 3, budget=1)
    >>> figure = rv.plot.heatmap(lattice)
    """
    checks.whole("limit", limit, 0)
    cells = _cells(lattice, linear_masses(lattice, mass))
    heaviest = sorted(cells, key=lambda row: -max(cells[row].values()))[:limit]
    rows = sorted(heaviest, key=lambda row: (row[1][::-1], row[0]))
    columns = list(range(1, lattice.T))
    shares = np.array([[cells[row].get(i, np.nan) for i in columns] for row in rows]).reshape(len(rows), len(columns))
    figure = go.Figure(_squares(rows, columns, shares))
    _set_layout(figure, rows, columns, mass, len(cells) - len(rows))
    return figure


def _cells(lattice: Lattice, mass: np.ndarray) -> dict[tuple[bool, Context], dict[int, float]]:
    """Per row (forgetful?, remembered labels) its share at each position; complete and forgetful contexts differ."""
    cells: dict[tuple[bool, Context], dict[int, float]] = {}
    for i in range(1, lattice.T):
        for context, share in column_masses(lattice, i, mass).items():
            cells.setdefault((len(context) < i, context), {})[i] = share
    return cells


def _row_name(row: tuple[bool, Context]) -> str:
    forgets, context = row
    return context_name(context, len(context) + forgets)


def _squares(rows: list, columns: list[int], shares: np.ndarray) -> go.Heatmap:
    hover = [
        [
            "" if np.isnan(share) else f"<b>{escape_label(_row_name(row))}</b> at position {i}<br>mass {percent(share)}"
            for i, share in zip(columns, line, strict=True)
        ]
        for row, line in zip(rows, shares, strict=True)
    ]
    ticks = [0.001, 0.01, 0.1, 1]
    return go.Heatmap(
        x=columns,
        y=list(range(len(rows))),
        z=np.log10(np.maximum(shares, LOWEST)),
        zmin=np.log10(LOWEST),
        zmax=0,
        colorscale=style.MASS_SCALE,
        xgap=2,
        ygap=2,
        hovertext=hover,
        hoverinfo="text",
        hoverongaps=False,
        colorbar={
            "title": {"text": "mass", "side": "top"},
            "tickvals": list(np.log10(ticks)),
            "thickness": 14,
            "ticktext": ["≤ .001", ".01", ".1", "1"],
            "outlinewidth": 0,
            "len": 0.9,
            "tickfont": {"size": 11},
        },
    )


def _set_layout(figure: go.Figure, rows: list, columns: list[int], mass: str, hidden: int) -> None:
    more = f"; {hidden:,} lighter contexts are not shown" if hidden else ""
    title, subtitle = f"{mass.capitalize()} mass of the contexts", f"rows in suffix order, logarithmic colours{more}"
    style.apply_style(figure, title, subtitle, height=150 + 16 * max(len(rows), 5))
    names = [escape_label(_row_name(row)) for row in rows]
    figure.update_yaxes(
        autorange="reversed",
        title_text="context",
        tickvals=list(range(len(rows))),
        ticktext=names,
        ticklabelstandoff=4,
        tickfont={"family": style.MONO, "size": 11},
    )
    figure.update_xaxes(title_text="position (labels read so far)", tickvals=columns, showgrid=False)
    figure.update_layout(margin={**style.MARGIN, "l": 120})
