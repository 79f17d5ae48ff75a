"""The mass-flow payload: areas add up at every phase, and the poster has the library's numbers."""

import gzip
import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rcmviz as rv
from oracles.lattice_ways import ways_of
from rcmviz.core.inference.followed_mass import follow_beginning, follow_context
from rcmviz.core.methods import METHODS
from rcmviz.proposal import stochastic
from rcmviz.views import Run
from rcmviz.views.mass_flow.payload import build_mass_flow
from support.toy_runs import model_and_emissions

EXACT = 1e-9
ROUGH = 1e-5  # of one share in the end; their sum is exact
BUILDERS = {
    "exact": lambda model, emit, budget: rv.exact(model, emit),
    "beam": lambda model, emit, budget: rv.beam(model, emit, budget),
    "beam, equal contexts joined": lambda model, emit, budget: rv.beam(model, emit, budget, deduplicate=True),
    "recombining": lambda model, emit, budget: rv.recombining_beam(model, emit, budget),
    "rcms": lambda model, emit, budget: rv.rcms(model, emit, budget),
    "rcms, two passes": lambda model, emit, budget: rv.rcms(model, emit, budget, passes=2),
    "rcms, joined": lambda model, emit, budget: rv.rcms(model, emit, budget, deduplicate=True),
    "repaired": lambda model, emit, budget: rv.rcms(model, emit, budget, root_weight=0.0),
    "stochastic": lambda model, emit, budget: stochastic.stochastic_beam(model, emit, budget, seed=1),
}


@st.composite
def problems(draw):
    """A model of few labels, and emissions with ties and scores of −inf; at least one output stays possible."""
    labels = "abcd"[: draw(st.integers(2, 4))]
    length = draw(st.integers(1, 5))
    model, _ = model_and_emissions(seed=draw(st.integers(0, 99)), labels=labels, order=draw(st.integers(1, 3)))
    values = st.sampled_from([0.0, 0.0, 0.5, 1.5, -2.0, -30.0, -np.inf])
    rows = [draw(st.lists(values, min_size=len(labels), max_size=len(labels))) for _ in range(length)]
    for row in rows:
        row[draw(st.integers(0, len(labels) - 1))] = 0.25
    return model, np.array(rows), draw(st.sampled_from([1, 2, 3, 5, 200])), draw(st.integers(0, 10**6))


def payload_of(kind, problem):
    """Return the lattice, a gold output and the payload of a run; None if a beam lost every output."""
    model, emit, budget, seed = problem
    try:
        lattice, trace = BUILDERS[kind](model, emit, budget)
    except ValueError:
        return None
    rng = np.random.default_rng(seed)
    gold = tuple(lattice.labels[y] for y in rng.integers(0, len(lattice.labels), lattice.T))
    exact = rv.exact(model, emit)[0]
    return lattice, gold, build_mass_flow(None, [Run(kind, lattice, trace)], gold=gold, exact=exact)


def enumerated(lattice):
    """{labels: probability} of all outputs, each scored along its own way through the lattice."""
    names = [tuple(labels) for labels in itertools.product(lattice.labels, repeat=lattice.T)]
    found = {tuple(lattice.labels[y] for y in indices): p for indices, _, p in ways_of(lattice)}
    return dict.fromkeys(names, 0.0) | found


def parts_of(step):
    return list(zip(*(step["parts"][name] for name in ("origin", "into", "kept", "share", "candidate")), strict=True))


@pytest.mark.parametrize("kind", BUILDERS)
@settings(max_examples=25)
@given(problem=problems())
def test_mass_is_conserved_at_every_phase(kind, problem):
    if (found := payload_of(kind, problem)) is None:
        return
    run = found[2]["runs"][0]
    arrived = None
    for i, step in enumerate(run["steps"]):
        parts = parts_of(step)
        if not parts:  # nothing that was proposed has any mass
            continue
        assert sum(share for *_, share, _ in parts) == pytest.approx(1, abs=EXACT)  # grow, sort
        kept = sum(share for _, _, kept, share, _ in parts if kept)
        lost = sum(share for _, into, _, share, _ in parts if into < 0)
        merged = sum(share for _, into, kept, share, _ in parts if into >= 0 and not kept)
        assert kept + merged + lost == pytest.approx(1, abs=EXACT)  # cut, settle
        method = METHODS[run["method"]]
        if not method.drops:
            assert lost == 0
        elif not method.recombines and "joined" not in kind:
            assert merged == 0
        assert run["left"][i + 1] == pytest.approx(run["left"][i] * (1 - lost), abs=EXACT)
        if arrived is not None and kind != "repaired":  # settled mass grows next
            assert {origin for origin, *_ in parts} - {-1} <= {place for place, mass in arrived.items() if mass > 0}
        arrived = {}
        for _, into, _, share, _ in parts:
            arrived[into] = arrived.get(into, 0) + share
    assert run["left"][-1] + sum(lost_shares(run)) == pytest.approx(1, abs=EXACT)


def lost_shares(run):
    """Return the mass lost at each position as a share of all mass."""
    return [before - after for before, after in itertools.pairwise(run["left"])]


@pytest.mark.parametrize("kind", BUILDERS)
@settings(max_examples=25)
@given(problem=problems())
def test_bars_have_the_forward_masses_of_their_contexts(kind, problem):
    if (found := payload_of(kind, problem)) is None or kind == "repaired":
        return
    lattice, _, payload = found
    run = payload["runs"][0]
    if run["result"] is None:
        return
    forward = rv.posterior(lattice).forward
    for i in range(1, lattice.T):
        mass = {}
        for _, into, _, share, _ in parts_of(run["steps"][i - 1]):
            mass[into] = mass.get(into, 0) + share
        whole = sum(m for into, m in mass.items() if into >= 0)
        rest, rest_count = run["columns"][i]["rest"] or (-1, 0)
        names = {k: name_of(run, i, k, lattice.labels) for k in range(len(run["columns"][i]["origin"])) if k != rest}
        assert len(set(names.values())) + rest_count == lattice.column(i).stop - lattice.column(i).start
        own = np.exp(forward[lattice.column(i)] - np.logaddexp.reduce(forward[lattice.column(i)]))
        for k, name in names.items():
            c = lattice.find(i, name)
            assert mass.get(k, 0) / whole == pytest.approx(own[c - lattice.column(i).start], abs=1e-8)


@pytest.mark.parametrize("kind", BUILDERS)
@settings(max_examples=25)
@given(problem=problems())
def test_end_shares_are_what_enumeration_counts(kind, problem):
    if (found := payload_of(kind, problem)) is None:
        return
    lattice, gold, payload = found
    run, ways = payload["runs"][0], ways_of(lattice)
    if run["result"] is None:
        assert all("end" not in step["parts"] for step in run["steps"])
        return
    for i in range(1, lattice.T):  # the last position is a share of the end already
        step = run["steps"][i - 1]
        bars = {before: bars_of(run, before, lattice) for before in (i - 1, i)}
        meant = {}
        for indices, contexts, p in ways:
            key = bars[i - 1](contexts[i - 1]), bars[i](contexts[i]), contexts[i - 1], indices[i - 1]
            meant[key] = meant.get(key, 0) + p
        sums = {}
        names = step["candidates"]
        for (origin, into, _, _, m), end in zip(parts_of(step), step["parts"]["end"], strict=True):
            assert into >= 0 or end == 0
            sums[into] = sums.get(into, 0) + end
            if m >= 0 and origin != (run["columns"][i - 1]["rest"] or [None])[0]:
                label = lattice.labels[names["label"][m]]
                own = [
                    p for (o, d, _, y), p in meant.items() if o == origin and d == into and name(lattice, i, y) == label
                ]
                assert end == pytest.approx(sum(own), abs=ROUGH)
        for bar in {into for _, into, *_ in meant}:
            assert sums.get(bar, 0) == pytest.approx(sum(p for (_, d, *_), p in meant.items() if d == bar), abs=ROUGH)
        assert sum(sums.values()) == pytest.approx(1, abs=EXACT)
    exact = enumerated(rv.exact(problem[0], problem[1])[0])
    beginnings = [sum(p for labels, p in exact.items() if labels[:i] == gold[:i]) for i in range(1, lattice.T + 1)]
    assert payload["exact"]["beginnings"] == pytest.approx(beginnings, abs=EXACT)


def name(lattice, i, y):
    """The name of a label by its index at position i."""
    return lattice.labels[lattice.label_of(i - 1, y)]


def bars_of(run, i, lattice):
    """A function from contexts of column i to their bars."""
    rest = (run["columns"][i]["rest"] or [None])[0]
    own = {0: 0} if i == 0 else {}
    for k in range(len(run["columns"][i]["origin"])):
        if i and k != rest:
            own[lattice.find(i, name_of(run, i, k, lattice.labels))] = k
    return lambda c: own.get(c, rest)


def name_of(run, i, place, labels):
    """The name of a bar, read off from column to column as the browser does."""
    length, at, known = run["columns"][i]["length"][place], place, []
    for k in range(i, i - length, -1):
        known.append(run["columns"][k]["label"][at])
        at = run["columns"][k]["origin"][at]
    return ("" if length == i else "*") + "".join(labels[y] for y in reversed(known))


@pytest.mark.parametrize("kind", BUILDERS)
@settings(max_examples=25)
@given(problem=problems())
def test_the_poster_says_what_the_library_says(kind, problem):
    if (found := payload_of(kind, problem)) is None:
        return
    lattice, gold, payload = found
    run, result = payload["runs"][0], payload["runs"][0]["result"]
    if rv.log_z(lattice) == -math.inf:
        assert result is None
        return
    best = rv.viterbi(lattice)
    assert tuple(payload["labels"][y] for y in result["labels"]) == best.labels
    assert result["p"] == pytest.approx(rv.mass(lattice, best.labels), abs=EXACT)
    assert result["p"] == pytest.approx(math.exp(rv.log_prob(lattice, best.labels)), abs=EXACT)
    assert result["gold"] == pytest.approx(enumerated(lattice)[gold], abs=EXACT)
    assert result["right"] == (best.labels == gold)
    assert result["lost"] == pytest.approx(1 - run["left"][-1], abs=EXACT)
    outputs = {tuple(payload["labels"][y] for y in labels): p for labels, p, _ in run["outputs"]}
    for labels, p in outputs.items():
        assert p == pytest.approx(enumerated(lattice)[labels], abs=EXACT)
    assert sum(outputs.values()) <= 1 + EXACT
    into = {}
    for _, place, _, share, _ in parts_of(run["steps"][-1]):
        into[place] = into.get(place, 0) + share
    reached = sum(share for place, share in into.items() if place >= 0)
    for place, (_, p, _) in enumerate(run["outputs"]):
        assert into.get(place, 0) == pytest.approx(p * reached, abs=EXACT)


@pytest.mark.parametrize("kind", BUILDERS)
@settings(max_examples=25)
@given(problem=problems(), size=st.integers(1, 5))
def test_followed_mass_equals_enumeration(kind, problem, size):
    if (found := payload_of(kind, problem)) is None:
        return
    lattice, gold, _ = found
    if rv.log_z(lattice) == -math.inf:
        return
    beginning = gold[:size]
    meant = sum(p for labels, p in enumerated(lattice).items() if labels[: len(beginning)] == beginning)
    assert follow_beginning(lattice, beginning)[-1] == pytest.approx(meant, abs=EXACT)
    posterior = rv.posterior(lattice).context
    for c in range(lattice.C):
        if posterior[c] > 0:
            assert follow_context(lattice, c)[-1] == pytest.approx(posterior[c], abs=EXACT)


def test_many_candidates_become_few_parts():
    labels = tuple(f"label {k}" for k in range(40))
    rng = np.random.default_rng(3)
    model = rv.NgramModel.from_windows(labels, 2, {("*", a, b): float(rng.normal()) for a in labels for b in labels})
    emit = rng.normal(0, 1.5, (30, 40))
    payload = build_mass_flow(
        None, [Run("RCMS 60", *rv.rcms(model, emit, 60)), Run("beam 60", *rv.beam(model, emit, 60))]
    )
    for run in payload["runs"]:
        assert max(len(step["parts"]["share"]) for step in run["steps"]) <= 260
        assert max(len(column["origin"]) for column in run["columns"]) <= 75
        for step in run["steps"]:
            assert sum(step["parts"]["count"]) >= step["possible"]
            assert sum(step["parts"]["share"]) == pytest.approx(1, abs=EXACT)


def test_a_long_word_is_a_small_payload():
    labels = "abcdefghijklmnopqrstuvwxyz"
    rng = np.random.default_rng(3)
    windows = {("*", a, b): float(rng.normal()) for a in labels for b in labels}
    model = rv.NgramModel.from_windows(labels, 2, windows)
    emit = rng.normal(0, 1.5, (12, 26))
    runs = [Run("beam 20", *rv.beam(model, emit, 20)), Run("RCMS 20", *rv.rcms(model, emit, 20))]
    sent = json.dumps(build_mass_flow(None, runs, gold="abcdefghijkl"), separators=(",", ":"), allow_nan=False)
    assert len(gzip.compress(sent.encode(), 6)) <= 60_000


def test_a_run_without_a_trace_and_wrong_arguments():
    model, emit = model_and_emissions()
    lattice, trace = rv.rcms(model, emit, 4)
    with_trace = build_mass_flow(None, [Run("RCMS", lattice, trace)])["runs"][0]["steps"]
    without = build_mass_flow(None, [Run("lattice", lattice, None)])["runs"][0]["steps"]
    for one, other in zip(with_trace, without, strict=True):
        assert one["kept"] == other["kept"]
        assert sorted(one["parts"]["share"]) == pytest.approx(sorted(other["parts"]["share"]), abs=EXACT)
    with pytest.raises(ValueError, match="phase"):
        build_mass_flow(None, [Run("RCMS", lattice, trace)], phase="shake")
    with pytest.raises(ValueError, match="position 9"):
        build_mass_flow(None, [Run("RCMS", lattice, trace)], position=9)
