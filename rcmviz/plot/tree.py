"""The context tree of one position: an indented row per context, its mass as a bar on the same row."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from rcmviz.core.inference.tree_rows import Tree, build_tree, column_masses, context_name, kept_shares, linear_masses
from rcmviz.core.lattices.lattice import Lattice
from rcmviz.core.lattices.trace import FATES, Trace
from rcmviz.core.methods import METHODS
from rcmviz.core.shared import checks
from rcmviz.plot import style
from rcmviz.plot.style import escape_label, percent


def context_tree(trace: Trace, lattice: Lattice, i: int, *, mass: str = "forward", limit: int = 60) -> go.Figure:
    """Plot the contexts of a position as a tree, and how much of the mass each carries.

    Parameters
    ----------
    trace : Trace
        The trace of the run.
    lattice : Lattice
        Its lattice.
    i : int
        Number of labels written, 1 … T−1.
    mass : {"forward", "posterior"}
        Mass of the labels so far, or once the rest of the sequence is read.
    limit : int
        Largest number of rows, about.

    Returns
    -------
    plotly.graph_objects.Figure
        The figure. A bar is dark for the context's own candidate, striped for what merging brought and pale for the
        contexts below it; posterior mass is not split.

    Raises
    ------
    ValueError
        There is no such position or mass.

    Examples
    --------
    >>> import rcmviz as rv
    >>> lattice, trace = rv.rcms(rv.NgramModel.from_windows("ab", 1, {}), [[0.1, 0.0]] * 3, budget=1)
    >>> figure = rv.plot.context_tree(trace, lattice, 2)
    """
    proposed = kept_shares(checks.instance("trace", trace, Trace, "rcmviz.Trace"), i)
    own = column_masses(lattice, i, linear_masses(lattice, mass, trace))
    tree = build_tree([own], limit)
    kept_part = tree.own[0] if mass == "posterior" else np.array([proposed.get(key, 0.0) for key in tree.contexts])
    figure = make_subplots(1, 2, column_widths=[0.42, 0.58], horizontal_spacing=0.01, shared_yaxes=True)
    add_branches(figure, tree, i, column=1)
    _add_bars(figure, tree, kept_part, mass)
    _set_layout(figure, tree, _title(trace, i), _summary(trace, i, tree), mass)
    return figure


def add_branches(figure: go.Figure, tree: Tree, i: int, column: int, method: int = 0, colour: str = style.OWN) -> None:
    """The indented tree: elbows from parent to child, a dot and a name per row; dotted where the method lacks it."""
    rows = np.arange(len(tree.contexts))
    present = tree.present[method]
    for is_there, dash in ((True, "solid"), (False, "dot")):
        x, y = _elbows(tree, rows[(present == is_there) & (tree.parent >= 0)])
        line = {"color": style.LINE, "width": 1.2, "dash": dash}
        figure.add_scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip", showlegend=False, row=1, col=column)
    names = [escape_label(context_name(key, i)) for key in tree.contexts]
    figure.add_scatter(
        x=tree.depth,
        y=rows,
        mode="markers+text",
        marker={"size": 7, "color": np.where(present, colour, style.PAPER), "line": {"color": colour, "width": 1}},
        text=names,
        textposition="middle right",
        textfont={"family": style.MONO, "size": 12, "color": list(np.where(present, style.INK, style.GHOST))},
        hovertext=[_hover(tree, r, i, method) for r in range(len(rows))],
        hoverinfo="text",
        cliponaxis=False,
        showlegend=False,
        row=1,
        col=column,
    )


def _elbows(tree: Tree, rows: np.ndarray) -> tuple[list, list]:
    """One poly-line for all elbows, broken by None: down from the parent, then right to the child."""
    x: list[float | None] = []
    y: list[float | None] = []
    for r in rows:
        above = tree.parent[r]
        x += [tree.depth[above], tree.depth[above], tree.depth[r], None]
        y += [above, r, r, None]
    return x, y


def _hover(tree: Tree, r: int, i: int, method: int) -> str:
    name = escape_label(context_name(tree.contexts[r], i))
    if not tree.present[method, r]:
        return f"<b>{name}</b><br>no context here; its outputs went elsewhere"
    own, subtree = tree.own[method, r], tree.subtree[method, r]
    return f"<b>{name}</b><br>own mass {percent(own)}<br>with the contexts below it {percent(subtree)}"


class _Bars(NamedTuple):
    """A part of all bars: its name, its width (rows,), and how it is filled."""

    name: str
    width: np.ndarray
    colour: str
    shape: str
    stroke: str


def _add_bars(figure: go.Figure, tree: Tree, kept_part: np.ndarray, mass: str) -> None:
    own, subtree, rows = tree.own[0], tree.subtree[0], np.arange(len(tree.contexts))
    parts = [_Bars("own candidate" if mass == "forward" else "own", kept_part, style.OWN, "", style.PAPER)]
    if mass == "forward":
        parts.append(_Bars("merged into it", own - kept_part, style.ABSORBED, "/", style.OWN))
    parts.append(_Bars("contexts below it", subtree - own, style.SUBTREE, "", style.PAPER))
    for part in parts:
        figure.add_bar(
            x=np.maximum(part.width, 0.0),
            y=rows,
            orientation="h",
            name=part.name,
            marker={
                "color": part.colour,
                "pattern": {"shape": part.shape, "fgcolor": part.stroke, "size": 5, "solidity": 0.25},
                "line": {"width": 0},
            },
            hovertext=[f"{escape_label(part.name)}: {percent(share)}" for share in part.width],
            hoverinfo="text",
            row=1,
            col=2,
        )
    figure.add_scatter(
        x=subtree,
        y=rows,
        mode="text",
        text=[f" {percent(own_mass)}" for own_mass in own],
        textposition="middle right",
        textfont={"size": 11, "color": style.QUIET},
        hoverinfo="skip",
        showlegend=False,
        cliponaxis=False,
        row=1,
        col=2,
    )


def _set_layout(figure: go.Figure, tree: Tree, title: str, subtitle: str, mass: str) -> None:
    R = len(tree.contexts)
    style.apply_style(figure, title, subtitle, height=150 + style.ROW_PIXELS * max(R, 3))
    figure.update_layout(barmode="stack")
    figure.update_yaxes(range=[R - 0.4, -0.6], showgrid=False, showticklabels=False, showline=False, ticks="")
    figure.update_yaxes(title_text="context", row=1, col=1)
    levels = int(tree.depth.max(initial=0))
    figure.update_xaxes(
        range=[-0.25, max(levels + 1.4, 3)],
        title_text="generations below the root",
        showgrid=False,
        dtick=1,
        tickvals=list(range(levels + 1)),
        row=1,
        col=1,
    )
    figure.update_xaxes(
        range=[0, 1.14 * max(tree.subtree.max(initial=0.0), 1e-9)],
        title_text=f"{style.SHARE_OF[mass]} (label: own)",
        tickformat=".0%",
        row=1,
        col=2,
    )


def _title(trace: Trace, i: int) -> str:
    settings = trace.settings
    method = METHODS[settings["method"]]
    budget = settings["budget"] if method.searches else trace.budget(i)
    within = f", budget {budget}" if method.has_budget else ""
    return f"Contexts after {i} of {trace.lattice.T} labels, {method.full_title}{within}"


def _summary(trace: Trace, i: int, tree: Tree) -> str:
    fates = np.bincount(trace.fate(i), minlength=len(FATES))
    counts_text = ", ".join(f"{count:,} {name}" for name, count in zip(FATES, fates, strict=True) if count)
    hidden = f" · {tree.hidden[0]:,} lighter contexts have no row" if tree.hidden[0] else ""
    return f"{fates.sum():,} candidates: {counts_text}{hidden}"
