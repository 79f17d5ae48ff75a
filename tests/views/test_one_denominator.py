"""The player's tree, its candidates, the table and the terminal show a context's mass by one denominator."""

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.core.inference.tree_rows import column_masses, kept_shares, linear_masses
from rcmviz.core.methods import BUILDERS
from rcmviz.views import Run, build_payload
from support.toy_runs import LABELS, model_and_emissions

FIELDS = ("labels", "rank", "mass", "fate", "into")


@pytest.mark.parametrize("kind", BUILDERS)
def test_tree_candidates_and_table_agree(kind):
    model, log_emit = model_and_emissions()
    budget = {"budget": 4} if BUILDERS[kind].has_budget else {}
    lattice, trace = getattr(rv, BUILDERS[kind].builder)(model, log_emit, **budget)
    columns = build_payload("abcdea", [Run(kind, lattice, trace)])["runs"][0]["columns"]
    for i in range(1, lattice.T):
        column, sent, table = columns[i], columns[i]["candidates"], trace.table(i)
        masses = dict(zip(table["rank"], table["mass"], strict=True))
        for labels, rank, mass, fate, into in zip(*(sent[key] for key in FIELDS), strict=True):
            name = tuple(LABELS[y] for y in labels)
            assert mass == pytest.approx(masses[rank], rel=1e-5)
            if fate == 0:
                absorbed = table[~table["kept"] & (table["into"] == name)]["mass"].sum()
                assert column["forward"][into] == pytest.approx(mass + absorbed, rel=1e-4, abs=1e-9)
        dropped = table[table["fate"] == "dropped"]["mass"].sum()
        assert sum(column["forward"]) + column["more"][1] + dropped == pytest.approx(1, abs=1e-4)
        printed = column_masses(lattice, i, linear_masses(lattice, "forward", trace))
        for labels, mass in zip(column["labels"], column["forward"], strict=True):
            assert mass == pytest.approx(printed[tuple(LABELS[y] for y in labels)], rel=1e-4, abs=1e-9)
        kept = table[table["kept"]]
        found = kept_shares(trace, i)
        np.testing.assert_allclose([found[name] for name in kept["context"]], kept["mass"])
