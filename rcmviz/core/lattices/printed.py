"""Prints lattices and traces, as text and as HTML without a style sheet.

A lattice shows the contexts of one column as a small tree, a trace what became of the candidates by position. Both are
only read by their columns and names here, so that their classes can import this module.
"""

from html import escape
from typing import NamedTuple

import numpy as np

from rcmviz.core.methods import METHODS, MethodChoice

ROWS = 12  # of a tree and of a table
BAR = 20  # characters of the longest bar
LEAST = 0.001  # share that is written as a number
FATES = ("position", "candidates", "kept", "merged", "joined", "dropped", "log Z so far")


class _Tree(NamedTuple):
    """Contexts as a tree: (name behind its branch, share of all outputs) by row, and a line on the ``rest``."""

    caption: str
    rows: list
    rest: str

    def bar(self, share):
        """Length of a row's bar relative to the largest."""
        return share / max(share for _, share in self.rows)


def about_lattice(lattice):
    """A line that describes a lattice."""
    return f"Lattice: {lattice.T:,} positions, {len(lattice.labels):,} labels, {lattice.C:,} contexts"


def about_trace(trace):
    """A line that describes a trace.

    >>> import rcmviz as rv
    >>> about_trace(rv.rcms(rv.NgramModel.from_windows("ab", 1, {}), [[0.5, 0.0]] * 3, budget=2)[1])
    'Trace: RCMS 2, 3 positions, 2 labels, 8 candidates'
    """
    lattice = trace.lattice
    return (
        f"Trace: {method_name(trace)}, {lattice.T:,} positions, {len(lattice.labels):,} labels, "
        f"{len(trace.context):,} candidates"
    )


def method_name(trace):
    """The name of a trace's method, with its budget: ``RCMS 10``."""
    kind = trace.settings["method"]
    return MethodChoice(kind, trace.settings.get("budget")).name if kind in METHODS else kind


def tree_text(lattice):
    """The column of a lattice where it is least sure, as text.

    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
    >>> print(tree_text(rv.rcms(model, [[0.5, 0.0]] * 3, budget=2)[0]))
    Lattice: 3 positions, 2 labels, 8 contexts
    Contexts after 2 labels, where it is least sure, with their share of all outputs:
      *       0.228  ████████████
      ├─ aa   0.386  ████████████████████
      └─ ab   0.386  ████████████████████
    """
    tree = _tree(lattice)
    width = max((len(name) for name, _ in tree.rows), default=0)
    lines = [
        f"  {name:<{width}}  {_number(share):>6}  {'█' * round(BAR * tree.bar(share))}" for name, share in tree.rows
    ]
    lines = about_lattice(lattice), tree.caption, *lines, f"  {tree.rest}"
    return "\n".join(line.rstrip() for line in lines if line.strip())


def tree_html(lattice):
    """The column of a lattice where it is least sure, as HTML."""
    tree = _tree(lattice)
    cells = [(code_html(name), escape(_number(share)), bar_html(tree.bar(share))) for name, share in tree.rows]
    return table_html(about_lattice(lattice), tree.caption, cells, tree.rest)


def line_html(thing):
    """The one-line text of an object, as HTML."""
    return code_html(repr(thing))


def code_html(text):
    """A text as it is, as HTML."""
    return f"<code>{escape(text)}</code>"


def fates_text(trace):
    """The fates of the candidates, by position, as text."""
    rows, rest = _fates(trace)
    widths = [max(map(len, column)) for column in zip(FATES, *rows, strict=True)]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in (FATES, *rows)]
    return "\n".join([about_trace(trace), *lines, *([rest] if rest else [])])


def fates_html(trace):
    """The fates of the candidates, by position, as HTML."""
    rows, rest = _fates(trace)
    return table_html(about_trace(trace), "What became of the candidates", rows, rest, FATES)


def _tree(lattice):
    """The ``_Tree`` of the column where a lattice is least sure."""
    from rcmviz.kernels.chain import sweep  # Numba is not for those who only read a file

    arcs = lattice.offset, lattice.target, lattice.score
    forward, backward = sweep.forward_sums(*arcs), sweep.backward_sums(*arcs)
    if backward[0] == -np.inf:
        return _Tree("No output is possible.", [], "")
    share = np.exp(forward + backward - backward[0])
    i = max(range(lattice.T), key=lambda i: round(_entropy(share[lattice.column(i)]), 9))
    column = lattice.column(i)
    ids = np.arange(column.start, column.stop)
    shown = set()
    for c in ids[np.argsort(-share[column], kind="stable")[:ROWS]].tolist():
        shown |= {c, *lattice.ancestors(c)}
    rows = [(branch + lattice.name(c), float(share[c])) for branch, c in _branches(lattice, shown, share)]
    rest = [c for c in ids.tolist() if c not in shown]
    caption = f"Contexts after {i} label{'s' * (i != 1)}, where it is least sure, with their share of all outputs:"
    left_out = f"… {len(rest):,} more, {_number(share[rest].sum())} together" if rest else ""
    return _Tree(caption, rows, left_out)


def _entropy(share):
    share = share[share > 0]
    return float(-(share * np.log(share)).sum())


def _branches(lattice, shown, share):
    """``[branch, context]`` of a set that holds all ancestors, depth first, the heavier context first."""
    children = {}
    for c in sorted(shown, key=lambda c: (-share[c], c)):
        children.setdefault(int(lattice.parent[c]), []).append(c)

    def below(c, before):
        ends = children.get(c, [])
        for k, child in enumerate(ends):
            last = k == len(ends) - 1
            yield before + ("└─ " if last else "├─ "), child
            yield from below(child, before + ("   " if last else "│  "))

    for root in children.get(-1, []):
        yield "", root
        yield from below(root, "")


def _fates(trace):
    """(rows of text, what was omitted)."""
    positions = range(1, trace.lattice.T)
    rows = []
    for i in positions[:ROWS]:
        counts = np.bincount(trace.fate(i), minlength=4).tolist()
        rows.append([f"{i}", *(f"{count:,}" for count in (sum(counts), *counts)), f"{trace.log_z_so_far[i]:.3f}"])
    left = len(positions) - len(rows)
    return rows, f"… {left:,} more positions" if left > 0 else ""


def _number(share):
    return f"{share:.3f}" if share >= LEAST else f"<{LEAST}"


def bar_html(part):
    """A bar, ``part`` of the longest, as HTML."""
    look = f"width:{BAR * part:.2f}ch;height:0.7em;background:#0b6bb0;border-radius:2px"
    return f'<div style="{look}" aria-hidden="true"></div>'


def table_html(title, caption, rows, rest, head=()):
    """A title, a table and a line below it; cells are HTML."""
    style = 'style="text-align:left;white-space:pre;padding:1px 12px 1px 0;border:0"'
    lines = [("th", head)] if head else []
    lines += [("td", row) for row in rows]
    body = "".join("<tr>" + "".join(f"<{tag} {style}>{cell}</{tag}>" for cell in row) + "</tr>" for tag, row in lines)
    below = f"<div>{escape(rest)}</div>" if rest else ""
    return (
        f"<div><b>{escape(title)}</b><div>{escape(caption)}</div>"
        f'<table style="border-collapse:collapse">{body}</table>{below}</div>'
    )
