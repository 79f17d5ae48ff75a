"""The flow of mass: a river of contexts from the first position to the last, and the lost mass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from rcmviz.core.inference.followed_mass import follow_beginning
from rcmviz.core.inference.infer import posterior, viterbi
from rcmviz.core.inference.mass_columns import Column, choose_columns
from rcmviz.core.inference.proposals import Proposals, proposals
from rcmviz.core.inference.verdict import contexts_along
from rcmviz.core.lattices.lattice import Lattice, spell
from rcmviz.core.lattices.printed import method_name
from rcmviz.core.lattices.trace import Trace
from rcmviz.core.shared import checks
from rcmviz.plot import style
from rcmviz.plot.style import escape_label, percent

MOST_METHODS = 3
CONTEXTS = 40  # bars per column
LEAST = 5e-4  # of the height: thinner parts are not drawn
THICK = 0.1  # of a position: half of a bar's width
GAP = 0.05  # of the height, above lost or forgotten mass
STEPS = np.linspace(0.0, 1.0, 13)
SMOOTH = STEPS * STEPS * (3 - 2 * STEPS)


class _River(NamedTuple):
    """The drawing of one run: its columns, per position the links between bars, and the mass left."""

    lattice: Lattice
    columns: list[Column]
    links: list[np.ndarray]
    tops: list[np.ndarray]
    heights: list[np.ndarray]
    left: np.ndarray


def mass_flow(runs: Trace | Mapping[str, Trace], *, gold: Sequence[str] | None = None) -> go.Figure:
    """Plot where the mass of one to three methods goes, from the first position to the last.

    Parameters
    ----------
    runs : Trace or mapping of str to Trace
        The trace of a run, or ``{name: trace}`` of up to three on the same input.
    gold : sequence of str, length T, optional
        The right labels; the mass that comes from them is green.

    Returns
    -------
    plotly.graph_objects.Figure
        The figure. The height of a bar is the share of all mass that a context has; hatched is what was dropped so far.

    Raises
    ------
    ValueError
        No output is possible, the traces belong to different inputs, or the gold has another length.

    Notes
    -----
    The mass that a method has left is the product of what it kept of its own candidates at each position. The light
    contexts of a position share a bar.

    Examples
    --------
    >>> import rcmviz as rv
    >>> problem = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0}), [[0.5, 0.0]] * 4
    >>> traces = {"beam 1": rv.beam(*problem, budget=1)[1], "RCMS 1": rv.rcms(*problem, budget=1)[1]}
    >>> figure = rv.plot.mass_flow(traces, gold="abab")
    """
    named = {method_name(runs): runs} if isinstance(runs, Trace) else _named_runs(runs)
    _check(named)
    gold = None if gold is None else checks.texts("gold", gold)
    rivers = [_river(trace, gold) for trace in named.values()]
    titles = [_title(name, river) for name, river in zip(named, rivers, strict=True)]
    figure = make_subplots(1, len(rivers), subplot_titles=titles, shared_yaxes=True, horizontal_spacing=0.03)
    looks = style.styles_of_names(named)
    for m, (river, (colour, _)) in enumerate(zip(rivers, looks, strict=True), start=1):
        _draw(figure, river, colour, gold, m)
    _set_layout(figure, rivers)
    return figure


def _named_runs(runs):
    checks.instance("runs", runs, Mapping, "a trace, or a mapping of names to traces")
    return dict(runs)


def _check(named):
    if not 1 <= len(named) <= MOST_METHODS:
        raise ValueError(f"{len(named)} runs: the figure shows one to three")
    lattices = [checks.instance("runs", trace, Trace, "rcmviz.Trace").lattice for trace in named.values()]
    for name, lattice in zip(named, lattices, strict=True):
        if lattice.T != lattices[0].T or lattice.labels != lattices[0].labels:
            raise ValueError(f"run {name!r}: other positions or labels than the first; show one input")


def _river(trace: Trace, gold: tuple[str, ...] | None) -> _River:
    lattice = trace.lattice
    if gold is not None and len(gold) != lattice.T:
        raise ValueError(f"gold has {len(gold)} labels, the lattice has {lattice.T} positions; give one label each")
    forward = posterior(lattice).forward
    steps = [proposals(lattice, trace, forward, i) for i in range(1, lattice.T + 1)]
    way = [None] * lattice.T if gold is None else contexts_along(lattice, gold)
    columns = choose_columns(
        lattice, steps, [{c for c in way[i : i + 1] if c is not None} for i in range(lattice.T)], CONTEXTS
    )
    left, links, heights = [1.0], [], [np.ones(1)]
    for i, found in enumerate(steps, start=1):
        after = columns[i] if i < lattice.T else None
        links.append(_links(columns[i - 1], after, found) * left[-1])
        heights.append(links[-1][:, 1:].sum(axis=0))
        left.append(left[-1] if links[-1][:, 0].sum() == 0 else heights[-1].sum())
    tops = [_tops(column, height) for column, height in zip([*columns, None], heights, strict=True)]
    return _River(lattice, columns, links, tops, heights, np.array(left))


def _links(before: Column, after: Column | None, found: Proposals) -> np.ndarray:
    """Share of the mass from each bar to each bar (bars before, 1 + bars after); column 0 is dropped mass."""
    origin = before.places_of(found.context)
    into = np.minimum(found.into, 0) if after is None else after.places_of(found.into)
    width = 1 + (1 if after is None else after.bars)
    flat = np.bincount(origin * width + into + 1, found.share, minlength=before.bars * width)
    return flat.reshape(before.bars, width)


def _tops(column: Column | None, heights: np.ndarray) -> np.ndarray:
    """Upper edge of each bar, 1 + GAP at the top; the root stands at the bottom."""
    tops = 1 + GAP - np.concatenate([[0.0], np.cumsum(heights)[:-1]])
    if column is not None and column.position and len(column.shown) and column.lattice.length[column.ids[-1]] == 0:
        tops[-1] = heights[-1]
    return tops


def _draw(figure: go.Figure, river: _River, colour: str, gold: tuple[str, ...] | None, m: int) -> None:
    T = river.lattice.T
    flows, sinks, bars = _Shape(), _Shape(), _Shape()
    for i in range(T):
        _add_flows(river, i, flows, sinks)
        for top, height in zip(river.tops[i], river.heights[i], strict=True):
            bars.add_box(i, top, height)
    for top, height in zip(river.tops[T], river.heights[T], strict=True):
        bars.add_box(T, top, height)
    _add_lost(figure, river, m)
    for shape, opacity, edge in ((sinks, 0.12, 0), (flows, 0.4, 0), (bars, 1.0, 0.75)):
        figure.add_scatter(**shape.trace(colour, opacity, edge), row=1, col=m)
    if gold is not None:
        figure.add_scatter(**_gold_shape(river, gold).trace(style.GREEN, 0.75), row=1, col=m)
    _add_hover(figure, river, m)


class _Shape:
    """Polygons of one colour as the corners of one trace."""

    def __init__(self) -> None:
        self.x: list[float | None] = []
        self.y: list[float | None] = []

    def add(self, x: np.ndarray, y: np.ndarray) -> None:
        self.x += [*x.tolist(), float(x[0]), None]
        self.y += [*y.tolist(), float(y[0]), None]

    def add_box(self, i: int, top: float, height: float) -> None:
        x0, x1 = i - THICK, i + THICK
        self.add(np.array([x0, x1, x1, x0]), np.array([top, top, top - height, top - height]))

    def add_ribbon(self, i: int, start: tuple[float, float], end: tuple[float, float], inset: float = THICK) -> None:
        """From (top, height) at position i to that at the next."""
        x = i + inset + (1 - 2 * inset) * STEPS
        upper = start[0] + (end[0] - start[0]) * SMOOTH
        lower = start[0] - start[1] + (end[0] - end[1] - start[0] + start[1]) * SMOOTH
        self.add(np.concatenate([x, x[::-1]]), np.concatenate([upper, lower[::-1]]))

    def trace(self, colour: str, opacity: float, edge: float = 0) -> dict:
        line = {"width": edge, "color": style.PAPER}
        look = {"mode": "lines", "fill": "toself", "fillcolor": colour, "opacity": opacity, "line": line}
        return {"x": self.x, "y": self.y, "hoverinfo": "skip", "showlegend": False} | look


def _add_flows(river: _River, i: int, flows: _Shape, sinks: _Shape) -> None:
    links = river.links[i]
    out = links.sum(axis=1)
    used, filled = np.zeros(len(links)), np.zeros(links.shape[1] - 1)
    sunk = 1 - river.left[i + 1]
    for k in range(len(links)):
        for into in [*range(1, links.shape[1]), 0]:
            mass = links[k, into]
            if mass <= 0:
                continue
            height = river.heights[i][k] * mass / out[k]
            start = (river.tops[i][k] - used[k], height)
            used[k] += height
            if into:
                end = (river.tops[i + 1][into - 1] - filled[into - 1], mass)
                filled[into - 1] += mass
            else:
                end, sunk = (sunk, mass), sunk - mass
            if max(mass, height) >= LEAST:
                (flows if into else sinks).add_ribbon(i, start, end)


def _add_lost(figure: go.Figure, river: _River, m: int) -> None:
    lost = 1 - river.left
    if lost[-1] < LEAST:
        return
    x, y = [0.0], [0.0]
    for i in range(len(lost) - 1):
        x += (i + THICK + (1 - 2 * THICK) * STEPS).tolist()
        y += (lost[i] + (lost[i + 1] - lost[i]) * SMOOTH).tolist()
    end = float(len(lost) - 1)
    figure.add_scatter(
        x=[*x, end + 0.5, end + 0.5, 0.0],
        y=[*y, lost[-1], 0.0, 0.0],
        mode="lines",
        fill="toself",
        line={"width": 0},
        fillcolor=style.GRID,
        fillpattern={"shape": "/", "fgcolor": style.LINE, "bgcolor": style.GRID, "size": 6, "solidity": 0.2},
        hoverinfo="skip",
        showlegend=False,
        row=1,
        col=m,
    )


def _gold_shape(river: _River, gold: tuple[str, ...]) -> _Shape:
    """The mass that comes from the right beginning, as far as it is kept."""
    shape, lattice = _Shape(), river.lattice
    way = contexts_along(lattice, gold)
    last = (river.tops[0][0], 1.0)
    for i, c in enumerate(way[1:], start=1):
        if c is None:
            shape.add_ribbon(i - 1, last, (1 - river.left[i], 0.0), inset=0.0)
            break
        share = follow_beginning(lattice, gold[:i])[c]
        place = river.columns[i].place_of(c) if i < lattice.T else 0
        thick = max(float(river.heights[i][place] * share), 2 * LEAST)
        end = (float(river.tops[i][place]), thick)
        shape.add_ribbon(i - 1, last if i > 1 else (last[0], thick), end, inset=0.0)
        last = end
    return shape


def _add_hover(figure: go.Figure, river: _River, m: int) -> None:
    x, y, text = [], [], []
    for column, tops, heights in zip(river.columns, river.tops[:-1], river.heights[:-1], strict=True):
        for c, top, height in zip(column.ids, tops, heights, strict=True):
            name = river.lattice.name(c) if c >= 0 else f"{column.rest:,} more"
            x.append(column.position)
            y.append(top - height / 2)
            text.append(f"<b>{escape_label(name)}</b><br>{percent(height)} of all mass")
    figure.add_scatter(
        x=x,
        y=y,
        mode="markers",
        marker={"opacity": 0, "size": 12},
        hovertext=text,
        hoverinfo="text",
        showlegend=False,
        row=1,
        col=m,
    )


def _title(name: str, river: _River) -> str:
    best, left = viterbi(river.lattice), river.left[-1]
    lost = "none is lost" if left > 1 - 1e-9 else f"{percent(1 - left)} of the mass is lost"
    output = escape_label(spell(best.labels))
    return f"<b>{escape_label(name)}</b>: {output}, {percent(np.exp(best.log_prob))} sure; {lost}"


def _set_layout(figure: go.Figure, rivers: list[_River]) -> None:
    style.apply_style(figure, "Where the mass goes", "a full column is all mass; hatched: dropped so far", height=420)
    figure.update_annotations(font_size=13)
    figure.update_yaxes(range=[-0.01, 1 + GAP + 0.01], showgrid=False, tickvals=[], title_text="")
    T = rivers[0].lattice.T
    each = max(1, T // 20)
    figure.update_xaxes(
        title_text="position", range=[-0.2, T + 0.5], showgrid=False, tickvals=list(range(0, T + 1, each))
    )
    figure.update_yaxes(title_text="share of all mass", row=1, col=1)
