"""All positions at a glance: each label's posterior, the decoded labels, the gold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from rcmviz.core.inference.infer import Path, posterior, viterbi
from rcmviz.core.lattices.lattice import Lattice
from rcmviz.core.shared import checks
from rcmviz.plot import style
from rcmviz.plot.style import escape_label, percent

ALTERNATIVES = 3  # labels besides the decoded one that get a segment of their own
PALES = ("#A9B7C4", "#C6D0D9", "#DDE3E9")
REST = "#F1F3F5"


def strip(lattice: Lattice, gold: Sequence[str] | None = None) -> go.Figure:
    """Plot label posteriors by position: the decoded label below, the likeliest others above it.

    Parameters
    ----------
    lattice : Lattice
        What a builder returned.
    gold : sequence of str, length T, optional
        The right labels; wrong decoded labels are striped then.

    Returns
    -------
    plotly.graph_objects.Figure
        The figure.

    Raises
    ------
    ValueError
        The gold has another length than the lattice.

    Examples
    --------
    >>> import rcmviz as rv
    >>> lattice, _ = rv.rcms(rv.NgramModel.from_windows("ab", 1, {}), [[0.1, 0.0]] * 3, budget=1)
    >>> figure = rv.plot.strip(lattice, gold="aab")
    """
    table, path = np.asarray(posterior(lattice).label), viterbi(lattice)
    gold = None if gold is None else checks.texts("gold", gold)
    if gold is not None and len(gold) != lattice.T:
        raise ValueError(f"gold has {len(gold)} labels, the lattice has {lattice.T} positions; give one label each")
    wrong = np.array([gold is not None and label != gold[i] for i, label in enumerate(path.labels)])
    figure = go.Figure()
    for level, labels in enumerate(_rank_labels(table, np.asarray(path.indices))):
        tokens = [escape_label(lattice.name_of(i, y)) for i, y in enumerate(labels)]
        figure.add_bar(**_segment(tokens, table, labels, level, wrong))
    figure.add_bar(**_rest(table, _rank_labels(table, np.asarray(path.indices))))
    _set_layout(figure, path, gold, wrong)
    return figure


def _rank_labels(table: np.ndarray, decoded: np.ndarray) -> list[np.ndarray]:
    """Label numbers (T,) per level: the decoded label, then the others from likely to unlikely."""
    others = table.copy()
    others[np.arange(len(decoded)), decoded] = -1
    order = np.argsort(-others, axis=1, kind="stable")[:, : min(ALTERNATIVES, table.shape[1] - 1)]
    return [decoded, *order.T]


def _segment(tokens: Sequence[str], table: np.ndarray, labels: np.ndarray, level: int, wrong: np.ndarray) -> dict:
    positions = np.arange(1, len(labels) + 1)
    shares = table[positions - 1, labels]
    decoded = level == 0
    return {
        "x": positions,
        "y": shares,
        "name": "decoded" if decoded else f"alternative {level}",
        "marker": {
            "color": np.where(wrong, style.VERMILLION, style.BLUE) if decoded else PALES[level - 1],
            "pattern": {"shape": np.where(wrong, "/", "") if decoded else "", "fgcolor": style.PAPER, "solidity": 0.12},
            "line": {"color": style.PAPER, "width": 1.5},
        },
        "text": [token if share >= 0.08 else "" for token, share in zip(tokens, shares, strict=True)],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "textfont": {
            "family": style.MONO,
            "size": 17 if decoded else 13,
            "color": style.PAPER if decoded else style.INK,
        },
        "hovertext": [
            f"position {i}: P({t}) = {percent(p)}" for i, t, p in zip(positions, tokens, shares, strict=True)
        ],
        "hoverinfo": "text",
        "showlegend": False,
    }


def _rest(table: np.ndarray, levels: list[np.ndarray]) -> dict:
    rows = np.arange(len(table))
    rest = np.clip(1 - sum(table[rows, labels] for labels in levels), 0, 1)
    hover = [f"position {i + 1}: all other labels {percent(p)}" for i, p in enumerate(rest)]
    return {
        "x": rows + 1,
        "y": rest,
        "marker": {"color": REST},
        "hovertext": hover,
        "hoverinfo": "text",
        "showlegend": False,
    }


def _set_layout(figure: go.Figure, path: Path, gold: Sequence[str] | None, wrong: np.ndarray) -> None:
    confidence = f"decoded with confidence {percent(np.exp(path.log_prob))}"
    mistakes = (
        "" if gold is None else f" · {wrong.sum()} of {len(wrong)} labels wrong" if wrong.any() else " · all right"
    )
    style.apply_style(figure, "Label posteriors by position", confidence + mistakes, height=360)
    figure.update_layout(barmode="stack", bargap=0.12)
    figure.update_yaxes(title_text="posterior", tickformat=".0%", range=[0, 1])
    figure.update_xaxes(
        title_text="position, decoded label" + ("" if gold is None else ", gold label"),
        tickvals=list(range(1, len(wrong) + 1)),
        ticktext=[_tick(i, path.labels, gold) for i in range(len(wrong))],
        tickfont={"family": style.MONO, "size": 13},
    )
    figure.update_layout(margin={**style.MARGIN, "b": 84})


def _tick(i: int, decoded: Sequence[str], gold: Sequence[str] | None) -> str:
    lines = [str(i + 1), escape_label(decoded[i])]
    if gold is not None:
        lines.append(escape_label(gold[i]) if gold[i] == decoded[i] else f"<b>≠ {escape_label(gold[i])}</b>")
    return "<br>".join(lines)
