"""The table of outcomes, and the findings with the commands that repeat them."""

from __future__ import annotations

from pathlib import Path

from fuzz.child import Tally
from fuzz.target import Target
from fuzz.verdict import OK, REFUSED

CORPUS = Path(__file__).with_name("corpus")
COLUMNS = (OK, REFUSED, "findings")


def corpus_of(target: Target) -> dict[str, bytes]:
    """Return the stored inputs of a target by file name."""
    return {path.name: path.read_bytes() for path in sorted((CORPUS / target.name).glob("*"))}


def table(tallies: dict[str, Tally], seconds: float) -> str:
    """Counts per target and their sum, as Markdown."""
    rows = [(name, tally.total, *(tally.counts[column] for column in COLUMNS)) for name, tally in tallies.items()]
    sums = [sum(row[k] for row in rows) for k in range(1, 5)]
    lines = ["| target | inputs | ok | refused | findings |", "|---|---:|---:|---:|---:|"]
    lines += [f"| {name} | " + " | ".join(f"{number:,}" for number in numbers) + " |" for name, *numbers in rows]
    lines.append(f"| **all {len(rows)}** | " + " | ".join(f"{number:,}" for number in sums) + " |")
    return "\n".join([*lines, "", f"{seconds:,.0f} s"])


def print_findings(target: Target, tally: Tally) -> None:
    """Each finding once, with the first inputs that led to it."""
    for verdict, seeds in tally.findings.items():
        times = f" ({len(seeds):,} times)" if len(seeds) > 1 else ""
        print(f"FINDING {target.name}{times}: {verdict}\n  python -m fuzz {target.name} --seed {seeds[0]}", flush=True)
