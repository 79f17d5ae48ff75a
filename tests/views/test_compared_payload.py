"""Payloads of several methods: distinct names, where they differ, results so far."""

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.views import build_payload
from support.toy_runs import model_and_emissions, runs_of


def test_a_method_may_occur_twice_under_distinct_names():
    run = runs_of()[0]
    names = [sent["name"] for sent in build_payload(None, [run, run, run])["runs"]]
    assert names == ["rcms", "rcms (2)", "rcms (3)"]


@pytest.mark.parametrize("seed", range(6))
def test_where_methods_part(seed):
    runs = runs_of(("rcms", "beam"), budget=3, seed=seed)
    found = build_payload(None, runs)["differences"]
    kept = [
        {c for c in map(run.lattice.context, range(*run.lattice.column(i).indices(run.lattice.C))) if c}
        for run in runs
        for i in range(1, 6)
    ]
    parted = [i for i in range(1, 6) if kept[i - 1] != kept[4 + i]]
    assert found["kept"] == (parted[0] if parted else None)
    one, other = (rv.viterbi(run.lattice).labels for run in runs)
    parted = [i for i, (a, b) in enumerate(zip(one, other, strict=True), 1) if a != b]
    assert found["output"] == (parted[0] if parted else None)


def test_twins_do_not_part():
    for kind in ("rcms", "exact"):
        run = runs_of((kind,))[0]
        assert build_payload(None, [run, run])["differences"] == {"kept": None, "output": None}


@pytest.mark.parametrize("kind", ["rcms", "beam", "exact"])
def test_so_far_knows_nothing_of_what_comes(kind):
    """The payload of a prefix does not depend on the rest of the word."""
    run = runs_of((kind,))[0]
    model, log_emit = _problem()
    log_emit[4:] = log_emit[4:, ::-1] * 2
    other = type(run)(kind, *getattr(rv, kind)(model, log_emit, **({} if kind == "exact" else {"budget": 4})))
    sent, changed = (build_payload(None, [each])["runs"][0]["soFar"] for each in (run, other))
    assert sent["path"][:4] == changed["path"][:4]
    for row, same in zip(sent["label"][:4], changed["label"][:4], strict=True):
        shared = dict(map(tuple, row)).keys() & dict(map(tuple, same)).keys()
        assert len(shared) >= 5
        assert all(dict(map(tuple, row))[y] == dict(map(tuple, same))[y] for y in shared)
    beginning = []
    for i, (kept, more) in enumerate(sent["path"], 1):
        beginning = beginning[:kept] + more
        assert len(beginning) == i
    assert beginning == build_payload(None, [run])["runs"][0]["path"]["labels"]
    assert all(sum(share for _, share in row) <= 1 + 1e-5 for row in sent["label"])


def _problem():
    model, log_emit = model_and_emissions()
    return model, np.array(log_emit)
