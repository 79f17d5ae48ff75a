"""The look that all figures share: colours, fonts, margins, escaping."""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Iterable

import plotly.graph_objects as go

from rcmviz.core.methods import METHODS

# Colours and symbols of the methods, in the order of the registry, as in the views (rcmviz/views/shared/methods.css).
HUES = (
    "#0b6bb0",
    "#b5530a",
    "#00704f",
    "#8a3f7d",
    "#7a5c00",
    "#00727d",
    "#a3264f",
    "#5b4fc4",
    "#7a4b2a",
    "#56701a",
    "#46597a",
    "#b0307f",
)
SHAPES = (
    "circle",
    "triangle-up",
    "square",
    "diamond",
    "triangle-down",
    "triangle-left",
    "triangle-right",
    "cross",
    "pentagon",
    "hexagon",
    "star-diamond",
    "hourglass",
)
COLOURS = dict(zip(METHODS, HUES, strict=False))
SYMBOLS = dict(zip(METHODS, SHAPES, strict=False))
SERIES_COLOURS = ("#1f6f6b", "#6a4fa0", "#8a4a5a", "#5f6670")  # of series other than methods, such as orders of a model
SERIES_SYMBOLS = ("circle-cross", "square-cross", "diamond-cross", "circle-x")
BLUE, VERMILLION, GREEN, PURPLE, SKY = *HUES[:4], "#56B4E9"
# Strategies of alignment that are beams; and the shares of the colour, the rest being ink, where a method comes again.
BEAMS = {"model": 0, "target": 1, "hybrid": 2}
AGAIN = (1.0, 0.55, 0.25)
OWN, ABSORBED, SUBTREE = BLUE, SKY, "#D6E6F2"
INK, QUIET, GHOST, LINE, GRID, PAPER = "#1B2733", "#56616D", "#6B7682", "#9AA5B1", "#E6EAEE", "#FFFFFF"
MASS_SCALE = [[0.0, "#E3EEF7"], [0.35, "#8FBEDD"], [0.7, "#2B7BB9"], [1.0, "#08306B"]]

SANS = "Inter, 'Source Sans 3', 'Segoe UI', 'DejaVu Sans', sans-serif"
MONO = "'JetBrains Mono', 'Source Code Pro', 'DejaVu Sans Mono', monospace"

# What the masses of a position are shares of.
SHARE_OF = {"forward": "forward mass, of all proposed", "posterior": "posterior mass, of all outputs"}

ROW_PIXELS = 22
MARGIN = {"l": 56, "r": 32, "t": 72, "b": 56}


def method_colour(kind: str, before: int = 0) -> str:
    """The colour of a method, as in the views; darker where ``before`` others of its kind are in the figure.

    >>> method_colour("rcms"), method_colour("target") == method_colour("beam", 1)
    ('#0b6bb0', True)
    """
    kind, first = ("beam", BEAMS[kind]) if kind in BEAMS else (kind, 0)
    share = AGAIN[min(first + before, len(AGAIN) - 1)]
    hue = COLOURS.get(kind, SERIES_COLOURS[0])
    parts = ([int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in (hue, INK))
    mixed = (round(share * own + (1 - share) * ink) for own, ink in zip(*parts, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def styles_of_names(names: Iterable[str]) -> list[tuple[str, str]]:
    """(Colour, symbol) of the method that each name begins with, such as "RCMS 10"; other names have those of series.

    >>> styles_of_names(["beam 5", "ours", "RCMS 10"])
    [('#b5530a', 'triangle-up'), ('#1f6f6b', 'circle-cross'), ('#0b6bb0', 'circle')]
    """
    kinds = [_kind_named(name) for name in names]
    series = iter(itertools.cycle(zip(SERIES_COLOURS, SERIES_SYMBOLS, strict=True)))
    return [
        next(series) if kind is None else _colour_and_symbol(kind, kinds[:m].count(kind))
        for m, kind in enumerate(kinds)
    ]


def _colour_and_symbol(kind, before):
    return method_colour(kind, before), SYMBOLS.get(kind, SERIES_SYMBOLS[0]) + ("-open" if before else "")


def _kind_named(name):
    """The method whose title, full title or kind a name begins with, the longest of them; else None."""
    known = {text.lower(): kind for kind, one in METHODS.items() for text in (kind, one.title, one.full_title)}
    said = str(name).lower()
    fits = (text for text in known if re.match(rf"{re.escape(text)}(?![a-z])", said))
    longest = max(fits, key=len, default=None)
    return None if longest is None else known[longest]


def escape_label(token: str) -> str:
    """A label as Plotly shall print it: Plotly reads pseudo-HTML (`<s>` would vanish) and `$…$` as TeX."""
    return html.escape(token, quote=False).replace("$", "&#36;")


def apply_style(
    figure: go.Figure, title: str, subtitle: str = "", *, height: int, width: int | None = None
) -> go.Figure:
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
