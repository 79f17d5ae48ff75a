"""What a lattice and a trace print: shares of all outputs by enumeration, names in a tree, and what became of whom."""

import re

import pytest
from hypothesis import given

from problems.chain import build, cases, machine_of, problems_of
from rcmviz.core.trace import FATES, star

ROW = re.compile(r"^  (?P<branch>[│├└─ ]*)(?P<name>[*a-d]+) +(?P<share><?0?[\d.]+)(?:  █+)?$", re.M)


@problems_of(40)
@given(cases(plain=True, methods=("rcms", "beam", "exact"), pools=("generic",)))
def test_a_lattice_prints_the_shares_of_one_column(case):
    problem, rule = case
    lattice, _ = build(problem, rule)
    machine, text = machine_of(problem, rule, lattice), str(lattice)
    if not machine.z:
        assert text.endswith("No output is possible.")
        return
    i, rows = int(re.search(r"after (\d+) label", text)[1]), list(ROW.finditer(text))
    share = {star(context, i): float(mass) for context, mass in machine.context_mass(i).items()}
    assert max(share, key=share.get) in [row["name"] for row in rows]
    assert "more," in text or len(rows) == lattice.column(i).stop - lattice.column(i).start
    for k, row in enumerate(rows):
        said, real = row["share"], share.get(row["name"], 0.0)
        assert real < 0.001 if said == "<0.001" else float(said) == pytest.approx(real, abs=0.00051)
        above = [other["name"] for other in rows[:k] if len(other["branch"]) < len(row["branch"])]
        assert not row["branch"] or row["name"].endswith(above[-1].lstrip("*"))


@problems_of(40)
@given(cases(plain=True, methods=("rcms", "beam", "exact"), pools=("generic",)))
def test_a_trace_prints_what_became_of_the_candidates(case):
    _, trace = build(*case)
    lines = str(trace).splitlines()[2:]
    assert len(lines) == trace.lattice.T - 1
    for i, line in enumerate(lines, start=1):
        fates = trace.table(i)["fate"].tolist()
        counts = [len(fates), *(fates.count(fate) for fate in FATES)]
        assert line.split()[:-1] == [str(number) for number in (i, *counts)]
