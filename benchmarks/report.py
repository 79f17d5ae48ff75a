"""Tables of measurements."""

import math

from rich.table import Table

OTHER_RATIO = "other's ratio"
COLUMNS = ("row", "figure", "value", "other", "other / this", "median of pairs", "compared with", "ratio")


def table_of(case, lines):
    """A table of all lines; columns that no line fills are left out."""
    if case.group:
        return grid_of(case, lines)
    table = Table(title=case.title)
    columns = [name for name in COLUMNS if any(name in line for line in lines)]
    for name in columns:
        table.add_column(name, justify="left" if name in ("row", "figure", "compared with") else "right")
    shown = None
    for line in lines:
        cells = [format_cell(line.get(name)) for name in columns]
        if line["row"] == shown:
            cells[0] = ""
        shown = line["row"]
        table.add_row(*cells)
    return table


def grid_of(case, lines):
    """A table with a column for each figure, as ratios to the best case; the other checkout's in brackets."""
    table = Table("row", *dict.fromkeys(line["figure"] for line in lines), title=f"{case.title}, × the best case")
    rows = {}
    for line in lines:
        other = f" ({format_cell(line[OTHER_RATIO])})" if OTHER_RATIO in line else ""
        rows.setdefault(line["row"], []).append(format_cell(line["ratio"]) + other)
    for row, cells in rows.items():
        table.add_row(row, *cells)
    return table


def format_cell(value):
    """Return a figure with three digits, a text unchanged, and nothing for None and NaN."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
