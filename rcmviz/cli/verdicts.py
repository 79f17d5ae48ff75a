"""Whose fault it is, on the terminal: a line per method of one example, and the mistakes of `evaluate --verdicts`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isinf

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from rcmviz.core.builders.blame import MODEL_ERROR, RIGHT, VERDICTS, Blame
from rcmviz.core.lattices.lattice import spell
from rcmviz.evaluation.blame import Mistake, Verdicts

MOST_ROWS = 20  # mistakes of one method
STYLES = {"model error": "yellow", "search error": "red"}


def verdict_text(name: str, blame: Blame) -> Text:
    """Whose fault it is that one output of a method is not the gold."""
    text = Text(f"{name}: ").append(blame.verdict, style=STYLES.get(blame.verdict, "green"))
    if blame.position:
        text.append(f" at position {blame.position}, {blame.cause}")
    if blame.verdict == RIGHT or blame.is_tie:
        return text.append(f"; the full model scores {'both' if blame.is_tie else 'it'} {blame.gold_score:.3f}")
    ahead = "gold" if blame.margin > 0 else "output"
    if isinf(blame.margin):
        return text.append(f"; under the full model the {'output' if ahead == 'gold' else 'gold'} is impossible")
    return text.append(f"; the full model has the {ahead} {abs(blame.margin):.3f} ahead")


def counts(verdicts: Sequence[Verdicts]) -> Table:
    """One row per method: how many sequences have each verdict."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("method", no_wrap=True)
    for verdict in VERDICTS:
        table.add_column(verdict, justify="right", no_wrap=True)
    for one in verdicts:
        table.add_row(one.name, *(f"{one.counts[verdict]:,}" for verdict in VERDICTS))
    return table


def mistake_table(one: Verdicts, numbers: Sequence[int], most: int) -> RenderableType:
    """The mistakes of a method, search errors first, those by which most is lost at the top.

    ``numbers`` names each sequence as a person finds it; ``most`` is the largest budget that was tried. By column:
    where the gold fell, by how many nats the full model has it ahead, the smallest budget that gives it.
    """
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("number", "gold", "output", "blame", "at", "ahead", "budget"):
        table.add_column(name, justify="left" if name in ("gold", "output", "blame") else "right", no_wrap=True)
    ordered = sorted(one.mistakes, key=_order)
    for mistake in ordered[:MOST_ROWS]:
        found = mistake.blame
        table.add_row(
            str(numbers[mistake.number]),
            Text(spell(["?" if label is None else label for label in found.gold]), style="green"),
            spell(found.output or ()),
            Text(found.verdict, style=STYLES[found.verdict]),
            str(found.position or "-"),
            f"{found.margin:+.2f}",
            _smallest_text(mistake, most),
        )
    left = len(ordered) - MOST_ROWS
    rest = [Text(f"… {left:,} more mistakes: --json lists all", style="dim")] if left > 0 else []
    return Group(Text(f"{one.name}: {len(ordered):,} mistakes", style="bold"), table, *rest, Text(""))


def _order(mistake: Mistake) -> tuple[bool, float]:
    return mistake.blame.verdict == MODEL_ERROR, -abs(mistake.blame.margin)


def _smallest_text(mistake: Mistake, most: int) -> str:
    if mistake.smallest is not None:
        return f"{mistake.smallest:,}"
    return f"> {most:,}" if mistake.searched else "-"


def document(verdicts: Iterable[Verdicts], numbers: Sequence[int]) -> list[dict]:
    """The same as plain values, every mistake under the number that a person finds it by."""
    rows = [one.to_dict() for one in verdicts]
    for row in rows:
        for mistake in row["mistakes"]:
            mistake["number"] = numbers[mistake["number"]]
    return rows
