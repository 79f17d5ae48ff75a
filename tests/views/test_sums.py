"""The sums behind the numbers: over the payload, for every method and kind of model, to 1e-9."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from problems import ars
from problems.chain import build, cases, log_emit_of, model_of, problems, problems_of
from problems.mrf import random_field
from rcmviz.core import methods as registry
from rcmviz.core.models.suffix_scores import SuffixScores
from rcmviz.mrf.field import make_field
from rcmviz.views import Run, build_payload
from support.toy_runs import model_and_emissions

METHODS = {
    "rcms": lambda *given: rv.rcms(*given, 3),
    "two passes": lambda *given: rv.rcms(*given, 3, passes=2, deduplicate=True),
    "repaired": lambda *given: rv.rcms(*given, 3, root_weight=-1.5),
    "beam": lambda *given: rv.beam(*given, 3),
    "greedy": rv.greedy,
    "exact": rv.exact,
    "best-first": lambda *given: rv.best_first(*given, 4),
    "A*": rv.astar,
    "recombining": lambda *given: rv.recombining_beam(*given, 3),
    "stochastic": lambda *given: rv.stochastic_beam(*given, 3),
    "importance": lambda *given: rv.importance_lattice(*given, 5),
    "smc": lambda *given: rv.smc_lattice(*given, 5),
}


def value(log):
    """A log of the payload, where null is −∞."""
    return -math.inf if log is None else log


def near(a, b):
    """Whether two logs say the same mass to 1e-9."""
    return a == b or abs(a - b) < 1e-9


def log_add(*logs):
    return float(np.logaddexp.reduce([value(log) for log in logs]))


def check(run):
    """All sums of a run's payload against the trace, the lattice and each other; returns its columns."""
    lattice, post = run.lattice, rv.posterior(run.lattice)
    shown = build_payload(None, [run])["runs"][0]
    for i, column in enumerate(shown["columns"]):
        sums, names = column["sums"], names_of(run, i, column)
        for k, name in enumerate(names):
            c = lattice.find(i, name)
            assert near(value(sums["forward"][k]), post.forward[c])
            assert near(value(sums["backward"][k]), post.backward[c])
            assert math.isclose(
                math.exp(value(sums["forward"][k]) + value(sums["backward"][k]) - shown["logZ"]),
                post.context[c],
                rel_tol=1e-9,
                abs_tol=1e-300,
            )
            if sums["own"]:
                weight = value(shown["sums"]["rootWeight"]) if not column["length"][k] else 0.0
                taken = sums["taken"][k][1] if sums["taken"][k] else None
                assert near(log_add(sums["own"][k], taken) + weight, value(sums["forward"][k]))
        if "candidates" in column:
            check_candidates(run, i, column, shown["columns"][i - 1], names)
    return shown


def names_of(run, i, column):
    known = [[run.lattice.labels[y] for y in labels] for labels in column["labels"]]
    return [named(run, labels, i) for labels in known]


def named(run, labels, i):
    """A context after i labels as ``Lattice.name`` writes it."""
    apart = "" if all(len(label) == 1 for label in labels) else " "
    return ("" if labels and len(labels) == i else "*") + apart.join(labels)


def check_candidates(run, i, column, before, names):
    sent, trace = column["candidates"], run.trace
    sums, table = sent["sums"], trace.table(i)
    by_rank = {int(rank): row for rank, row in zip(table["rank"], table.itertuples(), strict=True)}
    ranked = []
    for k, rank in enumerate(sent["rank"]):
        name, parent = sums["parents"][sums["parent"][k]]
        mass = value(sums["mass"][k])
        assert near(mass, by_rank[rank].log_mass)
        product = value(parent) + value(sums["window"][k]) + value(sums["emission"][k])
        assert near(product, mass) or product == mass == -math.inf
        assert math.isclose(math.exp(mass - column["sums"]["whole"]), sent["mass"][k], rel_tol=1e-5, abs_tol=1e-30)
        if mass > -math.inf:
            joined = sums["joined"][k] if sums["joined"] else None
            ranked.append((rank, log_add(mass, joined) + (value(sums["ahead"][k]) if sums["ahead"] else 0.0)))
    keys = [key for _, key in sorted(ranked)]
    entry = registry.METHODS[trace.settings["method"]]
    by_mass = entry.root_proposes and not entry.draws and not sums["joined"]  # joined candidates come last
    if by_mass:
        assert all(above >= below - 1e-9 for above, below in zip(keys, keys[1:], strict=False))
    taken = {}  # the candidates merged into each context
    for row in table.itertuples():
        if row.into is not None and not row.kept and row.log_mass > -math.inf:
            taken.setdefault(named(run, row.into, i), []).append(row.log_mass)
    for name, taken_sum in zip(names, column["sums"]["taken"], strict=True):
        count, total = taken_sum or (0, None)
        assert count == len(taken.get(name, []))
        assert not count or near(total, log_add(*taken[name]))


@given(cases(max_length=5), st.integers(1, 3))
@problems_of(120)
def test_factors_of_every_mass_on_random_problems(case, passes):
    problem, rule = case
    lattice, trace = build(problem, rule, passes=passes)
    if rv.log_z(lattice) > -math.inf:
        check(Run("run", lattice, trace))


@given(problems(max_length=5), st.sampled_from(sorted(METHODS)))
@problems_of(60)
def test_every_method_on_random_problems(problem, method):
    try:
        lattice, trace = METHODS[method](model_of(problem), log_emit_of(problem))
    except ValueError:  # no output is possible
        return
    if rv.log_z(lattice) > -math.inf:
        check(Run(method, lattice, trace))


@given(st.integers(0, 10**9), st.sampled_from(sorted(METHODS)))
@problems_of(40)
def test_every_method_on_words_of_a_language_model(seed, method):
    problem = ars.random_problem(random.Random(seed))
    hmm = rv.HMM(ars.lm_of(problem.table), problem.candidates, problem.log_obs, end=problem.end)
    lattice, trace = METHODS[method](hmm, None)
    if rv.log_z(lattice) > -math.inf:
        shown = check(Run(method, lattice, trace))
        assert not shown["sums"]["windows"]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_on_the_words_of_a_field(method):
    potentials, _ = random_field(3, most=4)
    words = ("<S>", *"abcdefgh"[: potentials.size - 1])
    field = make_field(words, potentials, counts=np.arange(1.0, potentials.size + 1))
    offered = [list(words[1:])] * 4
    hmm = field.hmm(offered)
    check(Run(method, *METHODS[method](hmm, None)))


class Alternating(SuffixScores):
    def log_scores(self, i, suffixes):
        return np.where(suffixes[:, -1:] == np.arange(3), -1.0, 0.25 * i)


class AnyModel:
    labels, choices = ("x", "long", "z"), None
    check_emissions = staticmethod(np.asarray)

    def scores(self, log_emit, root_weight=0.0):
        return Alternating(self.labels, None, 2, log_emit)


@pytest.mark.parametrize("method", ["rcms", "beam", "exact", "two passes"])
def test_a_users_model(method):
    check(Run(method, *METHODS[method](AnyModel(), np.random.default_rng(1).normal(size=(5, 3)))))


def test_window_and_emission_are_those_of_the_model():
    model, log_emit = model_and_emissions(length=5)
    lattice, trace = rv.rcms(model, log_emit, 4, pin=[(3, "b")])
    for i, column in enumerate(build_payload(None, [Run("RCMS", lattice, trace)])["runs"][0]["columns"][1:-1], start=1):
        sent = column["candidates"]
        for k, labels in enumerate(sent["labels"]):
            emission = sent["sums"]["emission"][k]
            if i == 3 and labels[-1] != 1:
                assert emission is None
                continue
            assert emission == pytest.approx(log_emit[i - 1, labels[-1]], abs=1e-9)
            context = [model.labels[y] for y in labels[:-1]]
            row = model.rows(i - 1, len(context), np.array([code_of(model, context)]))
            assert sent["sums"]["window"][k] == pytest.approx(model.log_table[row[0], labels[-1]], abs=1e-9)


def code_of(model, context):
    known = [model.labels.index(label) for label in context[-model.order :]]
    return sum(y * len(model.labels) ** k for k, y in enumerate(reversed(known)))


def test_twins_are_ranked_with_the_mass_that_joins_them():
    model, log_emit = model_and_emissions(length=6)
    lattice, trace = rv.rcms(model, log_emit, 12, deduplicate=True)
    joined = 0
    for i, column in enumerate(build_payload(None, [Run("RCMS", lattice, trace)])["runs"][0]["columns"][1:-1], start=1):
        sent, table = column["candidates"], trace.table(i)
        by_rank = {int(rank): m for m, rank in enumerate(table["rank"])}
        keys = trace.key[trace.candidates(i)]
        both = [
            (keys[by_rank[rank]], log_add(sent["sums"]["mass"][k], sent["sums"]["joined"][k]))
            for k, rank in enumerate(sent["rank"])
            if keys[by_rank[rank]] > -math.inf
        ]
        apart = {round(mass - key, 8) for key, mass in both}
        assert len(apart) == 1, "the key is the mass of all twins, up to the scale of the position"
        joined += sum(value(mass) > -math.inf for mass in sent["sums"]["joined"])
    assert joined


def test_with_several_passes_the_sum_of_the_rank_is_the_key():
    """Return mass × the previous pass's message as a share of all candidates, as the list shows it."""
    model, log_emit = model_and_emissions(length=6)
    lattice, trace = rv.rcms(model, log_emit, 5, passes=3)
    shown = build_payload(None, [Run("RCMS", lattice, trace)])["runs"][0]
    assert shown["sums"]["by"] == "pass" and any("by estimated posterior ({key})" in one for one in shown["sentences"])
    for i, column in enumerate(shown["columns"][1:-1], start=1):
        sent = column["candidates"]
        share = dict(zip(trace.rank(i).tolist(), trace.key_share(i).tolist(), strict=True))
        assert sent["key"] == pytest.approx([share[rank] for rank in sent["rank"]], rel=1e-5)
        ahead = sent["sums"]["ahead"] or [0.0] * len(sent["key"])
        factors, whole = zip(sent["sums"]["mass"], ahead, strict=True), column["sums"]["whole"]
        found = [math.exp(value(mass) + value(log) - whole) for mass, log in factors]
        assert found == pytest.approx(sent["key"], rel=1e-5)
    alone = build_payload(None, [Run("RCMS", *rv.rcms(model, log_emit, 5))])["runs"][0]
    assert all(column["candidates"]["key"] is None for column in alone["columns"][1:-1])


def test_old_traces_show_the_score_as_one_factor():
    model, log_emit = model_and_emissions()
    lattice, trace = rv.rcms(model, log_emit, 4)
    text = trace.to_json().replace('"log_emit"', '"of_a_later_version"')
    lattice, trace = rv.read_trace(text)
    sums = build_payload(None, [Run("RCMS", lattice, trace)])["runs"][0]["columns"][2]["candidates"]["sums"]
    assert sums["emission"] is None
    for k, parent in enumerate(sums["parent"]):
        assert near(sums["parents"][parent][1] + sums["window"][k], sums["mass"][k])
