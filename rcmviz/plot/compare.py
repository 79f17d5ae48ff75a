"""Methods side by side at one position: one tree for all, with ghosts where a method has no context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from rcmviz.core.inference.infer import posterior, viterbi
from rcmviz.core.inference.tree_rows import Tree, build_tree, column_masses, context_name, linear_masses
from rcmviz.core.lattices.lattice import Lattice, spell
from rcmviz.core.shared import checks
from rcmviz.plot import style
from rcmviz.plot.style import escape_label, percent, styles_of_names
from rcmviz.plot.tree import add_branches

MOST_METHODS = 4


def compare(lattices: Mapping[str, Lattice], i: int, *, mass: str = "forward", limit: int = 40) -> go.Figure:
    """Plot the contexts of two to four methods side by side, with their mass.

    Parameters
    ----------
    lattices : mapping of str to Lattice
        ``{name: lattice}`` of two to four methods on the same input.
    i : int
        Number of labels written, 1 … T−1.
    mass : {"forward", "posterior"}
        Mass of the labels so far, or once the rest of the sequence is read.
    limit : int
        Largest number of rows, about.

    Returns
    -------
    plotly.graph_objects.Figure
        The figure; a dotted row is a context that another method has and this one has not.

    Raises
    ------
    ValueError
        There is no such position, or the lattices cannot be compared.

    Examples
    --------
    >>> import rcmviz as rv
    >>> problem = rv.NgramModel.from_windows("ab", 1, {}), [[0.1, 0.0]] * 3
    >>> figure = rv.plot.compare({"RCMS": rv.rcms(*problem, 1)[0], "beam": rv.beam(*problem, 1)[0]}, 2)
    """
    _check(lattices, i)
    tree = build_tree([column_masses(one, i, linear_masses(one, mass)) for one in lattices.values()], limit)
    M = len(lattices)
    figure = make_subplots(1, 2 * M, column_widths=[0.55, 0.45] * M, horizontal_spacing=0.012, shared_yaxes=True)
    colours = [colour for colour, _ in styles_of_names(lattices)]
    for m, (name, lattice) in enumerate(lattices.items()):
        add_branches(figure, tree, i, 2 * m + 1, m, colours[m])
        _add_bars(figure, tree, i, m, name, colours[m])
        _head(figure, m, name, lattice, tree)
    _set_layout(figure, tree, i, M, mass)
    return figure


def label_posteriors(lattices: Mapping[str, Lattice], gold: Sequence[str]) -> go.Figure:
    """Plot the posterior probability of the gold label at every position, a bar per method.

    Parameters
    ----------
    lattices : mapping of str to Lattice
        ``{name: lattice}`` of the methods.
    gold : sequence of str, length T
        The right labels.

    Returns
    -------
    plotly.graph_objects.Figure
        The figure.

    Raises
    ------
    ValueError
        The gold has another length than a lattice.

    Examples
    --------
    >>> import rcmviz as rv
    >>> lattice, _ = rv.rcms(rv.NgramModel.from_windows("ab", 1, {}), [[0.1, 0.0]] * 3, budget=1)
    >>> figure = rv.plot.label_posteriors({"RCMS 1": lattice}, "aab")
    """
    _check_lattices(lattices)
    gold = checks.texts("gold", gold)
    figure, colours = go.Figure(), [colour for colour, _ in styles_of_names(lattices)]
    for m, (name, lattice) in enumerate(lattices.items()):
        if len(gold) != lattice.T:
            raise ValueError(f"gold has {len(gold)} labels, {name} has {lattice.T} positions; give one label each")
        indices = np.array(lattice.indices_of(gold))
        shares = np.where(indices >= 0, posterior(lattice).label[np.arange(lattice.T), indices], 0.0)
        shape = ("", "/", ".", "x")[m % 4]
        figure.add_bar(
            x=list(range(1, lattice.T + 1)),
            y=shares,
            name=escape_label(name),
            hoverinfo="text",
            hovertext=[
                f"{escape_label(name)}: P({escape_label(label)}) = {percent(p)}"
                for label, p in zip(gold, shares, strict=True)
            ],
            marker={
                "color": colours[m],
                "pattern": {"shape": shape, "fgcolor": style.PAPER, "solidity": 0.25},
            },
        )
    style.apply_style(figure, "Posterior of the gold label", "higher is better", height=340)
    figure.update_yaxes(title_text="posterior", tickformat=".0%", range=[0, 1])
    ticks = [f"{i}<br>{escape_label(label)}" for i, label in enumerate(gold, start=1)]
    figure.update_xaxes(title_text="position, gold label", tickvals=list(range(1, len(gold) + 1)), ticktext=ticks)
    return figure


def _check_lattices(lattices: Mapping[str, Lattice]) -> None:
    for name, lattice in checks.instance("lattices", lattices, Mapping, "a dict {name: lattice}").items():
        checks.lattice(lattice, f"lattices[{name!r}]")


def _check(lattices: Mapping[str, Lattice], i: int) -> None:
    _check_lattices(lattices)
    lengths = {lattice.T for lattice in lattices.values()}
    if not 1 <= len(lattices) <= MOST_METHODS:
        raise ValueError(f"{len(lattices)} methods; compare between 1 and {MOST_METHODS}")
    if len(lengths) > 1:
        raise ValueError(f"the lattices have {sorted(lengths)} positions; compare methods on the same word")
    last = max(lengths) - 1
    checks.whole("position", i, 1, last, f"contexts are selected at positions 1 to {last}")


def _add_bars(figure: go.Figure, tree: Tree, i: int, m: int, name: str, colour: str) -> None:
    rows = np.arange(len(tree.contexts))
    present = tree.present[m]
    own = np.where(present, tree.own[m], 0.0)
    below = np.where(present, tree.subtree[m] - own, 0.0)
    for width, opacity in ((own, 1.0), (np.maximum(below, 0), 0.22)):
        figure.add_bar(
            x=width,
            y=rows,
            orientation="h",
            marker={"color": colour, "line": {"width": 0}},
            opacity=opacity,
            hovertext=[
                f"{escape_label(name)}, {escape_label(context_name(key, i))}: {percent(share)}"
                for key, share in zip(tree.contexts, width, strict=True)
            ],
            hoverinfo="text",
            showlegend=False,
            row=1,
            col=2 * m + 2,
        )
    figure.add_scatter(
        x=own + np.maximum(below, 0),
        y=rows,
        mode="text",
        textposition="middle right",
        hoverinfo="skip",
        text=[f" {percent(p)}" if there else "" for p, there in zip(own, present, strict=True)],
        showlegend=False,
        textfont={"size": 11, "color": style.QUIET},
        cliponaxis=False,
        row=1,
        col=2 * m + 2,
    )


def _head(figure: go.Figure, m: int, name: str, lattice: Lattice, tree: Tree) -> None:
    path = viterbi(lattice)
    hidden = f" ({tree.present[m].sum()} shown)" if tree.hidden[m] else ""
    counts_text = f"{tree.present[m].sum() + tree.hidden[m]:,} contexts{hidden}"
    decoded = f"decodes “{escape_label(spell(path.labels))}”, {percent(np.exp(path.log_prob))}"
    figure.add_annotation(
        text=f"<b>{escape_label(name)}</b><br>{counts_text}; {decoded}",
        x=0,
        xref=f"x{2 * m + 1 if m else ''} domain",
        y=1,
        yref="paper",
        yanchor="bottom",
        xanchor="left",
        align="left",
        showarrow=False,
        font={"size": 13, "color": style.INK},
    )


def _set_layout(figure: go.Figure, tree: Tree, i: int, M: int, mass: str) -> None:
    R = len(tree.contexts)
    subtitle = "the same row is the same context; dotted: another method has it, this one does not"
    style.apply_style(figure, f"Contexts after {i} labels", subtitle, height=190 + style.ROW_PIXELS * max(R, 3))
    figure.update_layout(barmode="stack", margin={**style.MARGIN, "t": 116})
    figure.update_yaxes(range=[R - 0.4, -0.6], showgrid=False, showticklabels=False, showline=False)
    figure.update_yaxes(title_text="context", row=1, col=1)
    levels, widest = int(tree.depth.max(initial=0)), max(tree.subtree.max(initial=0.0), 1e-9)
    for m in range(M):
        figure.update_xaxes(
            range=[-0.25, max(levels + 1.6, 3)],
            showgrid=False,
            tickvals=list(range(levels + 1)),
            title_text="generations below the root",
            row=1,
            col=2 * m + 1,
        )
        figure.update_xaxes(
            range=[0, 1.3 * widest], tickformat=".0%", title_text=style.SHARE_OF[mass], nticks=4, row=1, col=2 * m + 2
        )
