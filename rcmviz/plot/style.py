"""The look that all figures share: colours, fonts, margins, escaping."""

from __future__ import annotations

import html

import plotly.graph_objects as go

from rcmviz.core.methods import METHODS

# Okabe and Ito's palette: distinct with every common kind of colour blindness; a pattern or a mark is always second.
BLUE, VERMILLION, GREEN, SKY, PURPLE = "#0072B2", "#D55E00", "#009E73", "#56B4E9", "#CC79A7"
METHOD_COLOURS = (BLUE, VERMILLION, GREEN, PURPLE)
OWN, ABSORBED, SUBTREE = BLUE, SKY, "#D6E6F2"
INK, QUIET, GHOST, LINE, GRID, PAPER = "#1B2733", "#56616D", "#6B7682", "#9AA5B1", "#E6EAEE", "#FFFFFF"
MASS_SCALE = [[0.0, "#E3EEF7"], [0.35, "#8FBEDD"], [0.7, "#2B7BB9"], [1.0, "#08306B"]]

SANS = "Inter, 'Source Sans 3', 'Segoe UI', 'DejaVu Sans', sans-serif"
MONO = "'JetBrains Mono', 'Source Code Pro', 'DejaVu Sans Mono', monospace"

# What the masses of a position are shares of.
SHARE_OF = {"forward": "forward mass, of all proposed", "posterior": "posterior mass, of all outputs"}

ROW_PIXELS = 22
MARGIN = {"l": 56, "r": 32, "t": 72, "b": 56}


def method_colour(kind: str) -> str:
    """The colour of a method, those beyond the palette sharing its last."""
    return METHOD_COLOURS[: list(METHODS).index(kind) + 1][-1]


def escaped(token: str) -> str:
    """A label as Plotly shall print it: Plotly reads pseudo-HTML (`<s>` would vanish) and `$…$` as TeX."""
    return html.escape(token, quote=False).replace("$", "&#36;")


def styled(figure: go.Figure, title: str, subtitle: str = "", *, height: int, width: int | None = None) -> go.Figure:
    """The figure with our title, fonts, colours and size (pixels); `title` and `subtitle` are escaped already."""
    small = f"<br><span style='font-size:12px;color:{QUIET}'>{subtitle}</span>" if subtitle else ""
    figure.update_layout(
        title={
            "text": title + small,
            "x": 0,
            "xref": "container",
            "xanchor": "left",
            "pad": {"l": 16, "t": 14},
            "y": 0.99,
            "yanchor": "top",
            "font": {"size": 17, "color": INK},
        },
        font={"family": SANS, "size": 12, "color": INK},
        paper_bgcolor=PAPER,
        plot_bgcolor=PAPER,
        height=height,
        width=width,
        margin=MARGIN,
        hoverlabel={"bgcolor": PAPER, "bordercolor": LINE, "font": {"family": SANS, "size": 12, "color": INK}},
        legend={"orientation": "h", "x": 1, "xanchor": "right", "y": 1, "yanchor": "bottom", "traceorder": "normal"},
        bargap=0.25,
    )
    figure.update_xaxes(gridcolor=GRID, zeroline=False, linecolor=LINE, title_font_size=12, title_font_color=QUIET)
    figure.update_yaxes(gridcolor=GRID, zeroline=False, linecolor=LINE, title_font_size=12, title_font_color=QUIET)
    return figure


def percent(share: float) -> str:
    """A share of the mass for people: 99.5 %, 45 %, 3.1 %, 0.04 %, <0.01 %."""
    points = 100 * share
    if points >= 1:
        return f"{points:.0f} %" if 10 <= points < 99 else f"{points:.1f} %"
    if points >= 0.01:
        return f"{points:.2f} %"
    return "0 %" if share <= 0 else "<0.01 %"
