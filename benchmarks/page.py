"""The figures in docs/benchmarks.md: stored in benchmarks/stored.json, written below the heading "One run"."""

import json
from datetime import date
from pathlib import Path

from benchmarks.cases import MODULES, load_case
from benchmarks.report import format_cell
from rcmviz.experiments.provenance import commit_of, machine

ROOT = Path(__file__).parents[1]
STORED, PAGE = ROOT / "benchmarks" / "stored.json", ROOT / "docs" / "benchmarks.md"
HEADING = "## One run\n"
KEPT = ("row", "figure", "value", "compared with", "ratio")
PEER = "compared with"


def write_page(file=None):
    """Store the figures that ``--json`` wrote to ``file``, if any, and write the page from all stored figures."""
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    if file is not None:
        origin = {"date": date.today().isoformat(), "commit": commit_of(ROOT)["commit"], "machine": machine()}
        for name, found in json.loads(file.read_text(encoding="utf-8")).items():
            lines = [{key: line[key] for key in KEPT if key in line} for line in found["lines"]]
            stored[name] = origin | {"lines": lines}
        STORED.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(text[: text.index(HEADING)] + render_figures(stored), encoding="utf-8")


def render_figures(stored):
    """Return the part of the page below the heading, with a table for each stored case."""
    usual = _origin(next(iter(stored.values())))
    parts = [f"{HEADING}\n{usual}. In brackets: the ratio to the row or bound that is named.\n"]
    for name in MODULES:
        if name in stored:
            case, origin = load_case(name), _origin(stored[name])
            table = (_range_table if case.group else _case_table)(stored[name]["lines"])
            note = "" if origin == usual else f" ({origin})"
            parts.append(f"`{name}`{note}:\n\n{table}\n")
    return "\n".join(parts)


def _origin(found):
    return f"{found['date']}, commit {found['commit']}, {found['machine']}"


def _case_table(lines):
    """Return a column for each figure; a line for each if few rows have the same figures."""
    rows = dict.fromkeys(line["row"] for line in lines)
    figures = dict.fromkeys(line["figure"] for line in lines)
    if 2 * len(lines) < len(rows) * len(figures):
        cells = [[f"{line['row']}, {line['figure']}", _value_text(line), line.get(PEER, "")] for line in lines]
        return _markdown(["", "", PEER], cells)
    bounds = {figure: {line.get(PEER) for line in lines if line["figure"] == figure} for figure in figures}
    bounds = {figure: peers.pop() for figure, peers in bounds.items() if len(peers) == 1 and "bound" in str(peers)}
    heads = [f"{figure}, {bounds[figure]}" if bounds.get(figure) else figure for figure in figures]
    cells = []
    for row in rows:
        found = {line["figure"]: line for line in lines if line["row"] == row}
        peers = dict.fromkeys(line[PEER] for figure, line in found.items() if PEER in line and not bounds.get(figure))
        values = [_value_text(found[figure]) if figure in found else "" for figure in figures]
        cells.append([row, *values, ", ".join(peers)])
    if not any(line[-1] for line in cells):
        return _markdown(["", *heads], [line[:-1] for line in cells])
    return _markdown(["", *heads, PEER], cells)


def _range_table(lines):
    """Return the least and the largest ratio to the best case of each method and number of labels."""
    found = {}
    for line in lines:
        found.setdefault(", ".join(line["row"].split(", ")[:2]), []).append(line["ratio"])
    rows = [[row, format_cell(min(ratios)), format_cell(max(ratios))] for row, ratios in found.items()]
    return _markdown(["× the best case", "least", "most"], rows)


def _value_text(line):
    ratio = f" ({line['ratio']:.2g})" if "ratio" in line else ""
    return f"{format_cell(line['value'])}{ratio}"


def _markdown(heads, rows):
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [heads, ["---"] * len(heads), *rows])
