"""The best prefix after i labels and the labels' shares, by enumeration of all prefixes."""

from fractions import Fraction

import pytest
from hypothesis import given

from problems.chain import build, cases, machine_of, problems_of
from rcmviz.core.inference.so_far import best_beginnings, label_shares


@problems_of(150)
@given(cases(plain=True, methods=("rcms", "beam", "exact"), pools=("generic",)))
def test_nothing_behind_the_position_is_known(case):
    problem, rule = case
    try:
        lattice, _ = build(problem, rule)
        shares, beginnings = label_shares(lattice), best_beginnings(lattice)
    except ValueError:
        return  # no output is possible
    machine = machine_of(problem, rule, lattice)
    for i in range(1, problem.T + 1):
        proposed = dict.fromkeys(problem.labels, Fraction(0))
        for context, mass in machine.forward(i - 1).items():
            for label in problem.labels:
                proposed[label] += mass * problem.arc(i - 1, context, label)
        total = sum(proposed.values())
        assert shares[i - 1] == pytest.approx([float(mass / total) for mass in proposed.values()], rel=1e-9)
        weights = {labels: weight for labels, weight, _ in machine.runs(0, (), i)}
        found = tuple(problem.labels[y] for y in beginnings[i - 1])
        assert float(weights[found] / max(weights.values())) == pytest.approx(1, rel=1e-9)
